import Coffer
import CofferTestSupport
import Foundation

/// A task for a separate process, so that a memory peak, a first access and a count of system calls cover that process
/// only.
enum ChildTask {
  /// Opens a vault, gets the item of a number once, and prints how long both took.
  case firstGet(folder: String, number: Int)
  /// The same with plain SQLite.
  case firstLookUp(store: String, row: Int64)
  /// Creates a vault and sets new items; a call of fsync that must fail marks the beginning and the end.
  case sets(folder: String, count: Int)
  /// Gets the first items of a vault in turn, for the given number of times: a load to run under a profiler.
  case gets(folder: String, count: Int)
  /// Lists all items of a vault the given number of times.
  case lists(folder: String, count: Int)
  /// Adds the first items to a vault in which the benchmark's app is registered.
  case fill(folder: String, count: Int)
  /// Changes the values of items of such a vault, chosen at random, in one transaction.
  case change(folder: String, count: Int)
  /// Creates a vault with one item that has so many concurrent versions.
  case versions(folder: String, count: Int)
  /// Creates a vault with so many items that each have two concurrent versions.
  case conflicts(folder: String, count: Int)
  /// Lists, searches and sorts the items of a vault as the inspector does, for the given number of rounds.
  case inspection(folder: String, rounds: Int)

  init?(_ arguments: ArraySlice<String>) {
    guard arguments.count == 3, let number = arguments.last.flatMap({ Int($0) }) else { return nil }
    let path = arguments[arguments.startIndex + 1]
    switch arguments.first {
    case "first-get": self = .firstGet(folder: path, number: number)
    case "first-look-up": self = .firstLookUp(store: path, row: Int64(number))
    case "sets": self = .sets(folder: path, count: number)
    case "gets": self = .gets(folder: path, count: number)
    case "lists": self = .lists(folder: path, count: number)
    case "fill": self = .fill(folder: path, count: number)
    case "change": self = .change(folder: path, count: number)
    case "versions": self = .versions(folder: path, count: number)
    case "conflicts": self = .conflicts(folder: path, count: number)
    case "inspect": self = .inspection(folder: path, rounds: number)
    default: return nil
    }
  }

  private var arguments: [String] {
    switch self {
    case .firstGet(let folder, let number): ["first-get", folder, "\(number)"]
    case .firstLookUp(let store, let row): ["first-look-up", store, "\(row)"]
    case .sets(let folder, let count): ["sets", folder, "\(count)"]
    case .gets(let folder, let count): ["gets", folder, "\(count)"]
    case .lists(let folder, let count): ["lists", folder, "\(count)"]
    case .fill(let folder, let count): ["fill", folder, "\(count)"]
    case .change(let folder, let count): ["change", folder, "\(count)"]
    case .versions(let folder, let count): ["versions", folder, "\(count)"]
    case .conflicts(let folder, let count): ["conflicts", folder, "\(count)"]
    case .inspection(let folder, let rounds): ["inspect", folder, "\(rounds)"]
    }
  }

  /// The command that runs this task.
  var command: [String] { [CommandLine.arguments[0]] + arguments }

  // MARK: In the child

  func run() throws {
    let start = ContinuousClock.now
    // Closing is not measured.
    func report() throws { print(start.duration(to: .now).microseconds, try Self.peakMemory()) }
    switch self {
    case .firstGet(let folder, let number):
      let vault = try BenchmarkVault(at: URL(fileURLWithPath: folder)).vault
      guard try vault.bytes(for: BenchmarkVault.item(number)) == BenchmarkVault.value(number) else {
        ItemBenchmark.refuse("the item is not as it was set")
      }
      try report()
      withExtendedLifetime(vault) {}
    case .firstLookUp(let store, let row):
      let database = try PlainDatabase(path: store)
      let statement = try database.prepare("SELECT value FROM record WHERE id = ?1")
      statement.bind(row, at: 1)
      guard try statement.step() else { ItemBenchmark.refuse("there is no such row") }
      try report()
    case .sets(let folder, let count):
      let vault = try BenchmarkVault(creatingAt: URL(fileURLWithPath: folder))
      // The first commit to an empty write-ahead log also writes the log's header.
      try vault.set(-1)
      fsync(-1)
      for number in 0..<count { try vault.set(number) }
      fsync(-1)
    case .gets(let folder, let count):
      let benchmark = try BenchmarkVault(at: URL(fileURLWithPath: folder))
      let present = try benchmark.vault.count(GenericPassword.self) - 1
      for number in 0..<count { _ = try benchmark.vault.bytes(for: BenchmarkVault.item(number * 7 % present)) }
      try report()
    case .lists(let folder, let count):
      let benchmark = try BenchmarkVault(at: URL(fileURLWithPath: folder))
      for _ in 0..<count { try benchmark.vault.forEach(ItemQuery<GenericPassword>()) { _ in } }
      try report()
    case .fill(let folder, let count):
      let benchmark = try BenchmarkVault(at: URL(fileURLWithPath: folder))
      for first in stride(from: 0, to: count, by: 10_000) {
        try benchmark.importItems(first..<min(first + 10_000, count))
      }
    case .change(let folder, let count):
      try BenchmarkVault(at: URL(fileURLWithPath: folder)).changeItems(count)
    case .versions(let folder, let count):
      let benchmark = try BenchmarkVault(creatingAt: URL(fileURLWithPath: folder))
      try benchmark.set(0)
      try benchmark.addConcurrentVersions(count, ofItems: 0..<1)
    case .conflicts(let folder, let count):
      let benchmark = try BenchmarkVault(creatingAt: URL(fileURLWithPath: folder))
      try benchmark.importItems(0..<count)
      try benchmark.addConcurrentVersions(2, ofItems: 0..<count)
    case .inspection(let folder, let rounds):
      try InspectionReport(BenchmarkVault(at: URL(fileURLWithPath: folder)), rounds: rounds).run()
    }
  }

  /// Returns the peak memory of this process in KiB, or another figure of the system's by its name.
  static func peakMemory(_ name: String = "VmHWM") throws -> Int {
    #if os(Linux)
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
      return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    #else
      return 0
    #endif
  }

  // MARK: In the parent

  struct Outcome {
    let microseconds: Double
    let peakKiB: Int
  }

  /// Runs the task in a separate process.
  func spawn() throws -> Outcome {
    let words = try Command.run(arguments: command).split(separator: " ")
    guard words.count == 2, let microseconds = Double(words[0]), let peak = Int(words[1]) else {
      throw SpawnedProgram.Failure(description: "a child of the benchmark printed no result")
    }
    return Outcome(microseconds: microseconds, peakKiB: peak)
  }
}

/// Counts the disk flushes of durable sets.
enum SyncCount {
  /// Returns how often `sets` new items in a row call fsync or fdatasync.
  static func measure(sets: Int, in folder: URL) throws -> Int {
    let trace = try TemporaryDirectory()
    let file = trace.path("calls")
    try Command.run(
      arguments: ["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", file]
        + ChildTask.sets(folder: folder.path, count: sets).command)
    let calls = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    // The calls between the two that name no file.
    return calls.split { $0.contains("(-1)") }.dropFirst().first?.count ?? 0
  }
}
