import CofferTestSupport
import Coffer
import Foundation

/// All measurements at one size of vault.
struct SizeReport {
  let size: Int
  let rounds: Int
  let hasSummary: Bool
  let folder: TemporaryFolder

  init(size: Int, rounds: Int, hasSummary: Bool, in folder: TemporaryFolder) {
    self.hasSummary = hasSummary
    self.size = size
    self.rounds = rounds
    self.folder = folder
  }

  func run() throws {
    let benchmark = try BenchmarkVault(creatingAt: folder.url.appending(path: "vault"), hasSummary: hasSummary)
    let started = ContinuousClock.now
    for first in stride(from: 0, to: size, by: 10_000) {
      try benchmark.importItems(first..<min(first + 10_000, size))
    }
    let seconds = started.duration(to: .now).microseconds / 1e6
    print("\n\(size) items, filled in \(seconds.shown(1)) s, \((Double(size) / seconds).shown(0)) items a second")
    let plain = try copy(of: benchmark)
    try read(benchmark, plain)
    try walk(benchmark, plain)
    try open(benchmark, plain)
    try write(benchmark, plain)
  }

  /// Copies the store and opens the copy with plain SQLite.
  private func copy(of benchmark: BenchmarkVault) throws -> PlainStore {
    let path = folder.url.appending(path: "plain.sqlite")
    do {
      let source = try PlainDatabase(path: benchmark.storePath)
      try source.run("PRAGMA wal_checkpoint(TRUNCATE)")
      try FileManager.default.copyItem(at: URL(fileURLWithPath: benchmark.storePath), to: path)
    }
    return try PlainStore(path: path.path(percentEncoded: false))
  }

  // MARK: Reading

  private func read(_ benchmark: BenchmarkVault, _ plain: PlainStore) throws {
    let vault = benchmark.vault
    let present = cycle((0..<2_000).map { _ in BenchmarkVault.item(.random(in: 0..<size)) })
    let absent = cycle((0..<2_000).map { BenchmarkVault.item(-1 - $0) })
    let labels = cycle((0..<2_000).map { _ in BenchmarkVault.label(.random(in: 0..<size)) })
    var times = try measure(turns: 10, repetitions: 100) {
      guard try vault.bytes(for: present()) != nil else { ItemBenchmark.refuse("an item is missing") }
    } beside: {
      try plain.get()
    }
    row("get, hit", times, target: 1.8)
    times = try measure(turns: 10, repetitions: 100) {
      guard try vault.bytes(for: absent()) == nil else { ItemBenchmark.refuse("a missing item has a value") }
    } beside: {
      try plain.miss()
    }
    row("get, miss", times, target: 1.8)
    times = try measure(turns: 10, repetitions: 100) {
      let query = ItemQuery<GenericPassword>().matching(.label, labels())
      guard try vault.first(query) != nil else { ItemBenchmark.refuse("an item cannot be found") }
    } beside: {
      try plain.findToken()
    }
    row("first item of a label", times)
  }

  private func walk(_ benchmark: BenchmarkVault, _ plain: PlainStore) throws {
    let few = size > 10_000 ? 1 : rounds
    let list = try medians(
      rounds: few, turns: 1,
      of: [
        {
          var count = 0
          let damaged = try benchmark.vault.forEach(ItemQuery<GenericPassword>()) { _ in count += 1 }
          guard count == size, damaged.isEmpty else { ItemBenchmark.refuse("the list is not complete") }
        }, plain.list,
      ])
    row("list, each item", list.map { $0 / Double(size) }, target: 1.8)
    let count = try measure(turns: 10, repetitions: 10) {
      _ = try benchmark.vault.count(GenericPassword.self)
    } beside: {
      try plain.count()
    }
    limit("count", count, of: 1_000)
  }

  /// Measures a first access in separate processes.
  private func open(_ benchmark: BenchmarkVault, _ plain: PlainStore) throws {
    var times: [Double] = []
    var limits: [Double] = []
    var peaks: [Double] = []
    for _ in 0..<rounds {
      let folder = benchmark.location.folder.path(percentEncoded: false)
      let get = try ChildTask.firstGet(folder: folder, number: .random(in: 0..<size)).spawn()
      let lookUp = try ChildTask.firstLookUp(
        store: self.folder.url.appending(path: "plain.sqlite").path(percentEncoded: false), row: plain.sample[0]
      ).spawn()
      times.append(get.microseconds)
      limits.append(lookUp.microseconds)
      peaks.append(Double(get.peakKiB) / 1_024)
    }
    limit("open and first get", [times.median, limits.median], of: 2_500)
    let memory = Self.verdict(peaks.median <= 30)
    print("  \("its peak memory".padded(to: 24))\(peaks.median.shown(1)) MiB   target 30 MiB: \(memory)")
  }

  // MARK: Writing

  private func write(_ benchmark: BenchmarkVault, _ plain: PlainStore) throws {
    var next = size
    func fresh(_ count: Int) -> Range<Int> {
      defer { next += count }
      return next..<next + count
    }
    row(
      "set, new item",
      try measure(turns: 50, repetitions: 1) {
        try benchmark.set(fresh(1).lowerBound)
      } beside: {
        try plain.setNew()
      }, target: 1.3)
    row(
      "set, new value",
      try measure(turns: 50, repetitions: 1) {
        try benchmark.set(.random(in: 0..<size))
      } beside: {
        try plain.setAgain()
      }, target: 1.3)
    let batch = 1_000
    let times = try measure(turns: 1, repetitions: 1) {
      try benchmark.importItems(fresh(batch))
    } beside: {
      try plain.importItems(batch)
    }
    row("import, each of \(batch)", times.map { $0 / Double(batch) }, target: 1.5)
  }

  // MARK: Rows

  private func measure(
    turns: Int, repetitions: Int, _ body: () throws -> Void, beside limit: () throws -> Void
  ) throws -> [Double] {
    try withoutActuallyEscaping(body) { body in
      try withoutActuallyEscaping(limit) { limit in
        // One run before: its cost of first use is not measured.
        try body()
        try limit()
        return try medians(rounds: rounds, turns: turns, repetitions: repetitions, of: [body, limit])
      }
    }
  }

  /// Returns the elements in rotation.
  private func cycle<Element>(_ elements: [Element]) -> () -> Element {
    var index = 0
    return {
      index = (index + 1) % elements.count
      return elements[index]
    }
  }

  private func row(_ name: String, _ times: [Double], target: Double? = nil) {
    let ratio = times[0] / times[1]
    let verdict = target.map { "   target \($0) ×: \(Self.verdict(ratio <= $0))" } ?? ""
    print(
      "  \(name.padded(to: 24))\(times[0].shown(1)) µs   \(times[1].shown(1)) µs at the least   \(ratio.shown(2)) ×\(verdict)"
    )
  }

  /// Prints a time that has a limit in microseconds, next to that of plain SQLite.
  private func limit(_ name: String, _ times: [Double], of microseconds: Double) {
    print(
      "  \(name.padded(to: 24))\(times[0].shown(1)) µs   \(times[1].shown(1)) µs in SQLite"
        + "   target \(microseconds.shown(0).trimmingCharacters(in: .whitespaces)) µs: "
        + Self.verdict(times[0] <= microseconds))
  }

  private static func verdict(_ isMet: Bool) -> String { isMet ? "pass" : "miss" }
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 1)) }
}

extension Double {
  /// Formats with this number of decimals, right-aligned in ten columns.
  func shown(_ decimals: Int) -> String {
    let text = formatted(.number.precision(.fractionLength(decimals)).grouping(.never).locale(Locale(identifier: "en")))
    return String(repeating: " ", count: max(10 - text.count, 0)) + text
  }
}
