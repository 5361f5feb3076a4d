import Coffer
import CofferInspection
import CofferTestSupport
import Foundation

/// Measures what a person waits for in the inspector, without the server: pages, searches as one types, and memory.
struct InspectionReport {
  private let benchmark: BenchmarkVault
  private let rounds: Int

  init(_ benchmark: BenchmarkVault, rounds: Int) {
    self.benchmark = benchmark
    self.rounds = rounds
  }

  func run() throws {
    let vault = InspectedVault(vault: benchmark.vault, local: benchmark.vault.local)
    report("first page, as the store is opened", try times(1) { _ = try vault.items() }, target: 150)
    let total = try vault.items().total
    report("index of all items, once", try times(1) { _ = try vault.items(ItemRequest(text: "x")) })
    report("first page", try times(rounds) { _ = try vault.items() }, target: 150)
    let last = ItemRequest(page: .max)
    report("last page", try times(rounds) { _ = try vault.items(last) }, target: 150)
    for sort in ItemSort.allCases {
      let request = ItemRequest(sort: sort, isDescending: true)
      report("sorted by \(sort.rawValue), the first time", try times(1) { _ = try vault.items(request) }, target: 150)
      report("sorted by \(sort.rawValue)", try times(rounds) { _ = try vault.items(request) }, target: 150)
    }
    var keystrokes: [Double] = []
    for text in ["service-12", "account 4711", "a", "nothing of this", "e.com account 99"] {
      for end in 1...text.count {
        keystrokes += try times(3) { _ = try vault.items(ItemRequest(text: String(text.prefix(end)))) }
      }
    }
    report("search, median of all keystrokes", [keystrokes.median])
    report("search, slowest keystroke", [keystrokes.max() ?? 0], target: 100)
    let item = BenchmarkVault.item(total / 2)
    report(
      "search after a change of an item",
      try times(rounds) {
        try benchmark.vault.set(BenchmarkVault.value(total / 2), for: item)
      } then: {
        _ = try vault.items(ItemRequest(text: "account-\(total / 2)", sort: .name))
      }, target: 100)
    let now = try ChildTask.peakMemory("VmRSS")
    print(
      "  memory \((Double(now) / 1024).shown(1)) MiB, at most \((Double(try ChildTask.peakMemory()) / 1024).shown(1)) MiB"
    )
    vault.lock()
  }

  private func report(_ name: String, _ times: [Double], target: Double? = nil) {
    let goal = target.map { " (target \($0.shown(0)) ms)" } ?? ""
    print("  \(name.padding(toLength: 44, withPad: " ", startingAt: 0)) \(times.median.shown(1)) ms\(goal)")
  }

  /// Returns the times of an operation in milliseconds. What prepares it is not measured.
  private func times(_ count: Int, _ prepare: () throws -> Void = {}, then body: () throws -> Void) throws -> [Double] {
    try (0..<count).map { _ in
      try prepare()
      let start = ContinuousClock.now
      try body()
      return start.duration(to: .now).microseconds / 1_000
    }
  }

  private func times(_ count: Int, _ body: () throws -> Void) throws -> [Double] { try times(count, {}, then: body) }
}
