import Coffer
import CofferTestSupport
import Foundation

/// What a process of its own does: a memory peak, a first access and a count of system calls are those of a whole process.
enum ChildTask {
  /// Opens a vault, gets the item of a number once, and says how long both took.
  case firstGet(folder: String, number: Int)
  /// The same with plain SQLite.
  case firstLookUp(store: String, row: Int64)
  /// Makes a vault and sets new items; a call of fsync that must fail stands before and behind them.
  case sets(folder: String, count: Int)
  /// Gets each of the first items of a vault in turn, as often in all: something to run under a profiler.
  case gets(folder: String, count: Int)

  init?(_ arguments: ArraySlice<String>) {
    guard arguments.count == 3, let number = arguments.last.flatMap({ Int($0) }) else { return nil }
    let path = arguments[arguments.startIndex + 1]
    switch arguments.first {
    case "first-get": self = .firstGet(folder: path, number: number)
    case "first-look-up": self = .firstLookUp(store: path, row: Int64(number))
    case "sets": self = .sets(folder: path, count: number)
    case "gets": self = .gets(folder: path, count: number)
    default: return nil
    }
  }

  private var arguments: [String] {
    switch self {
    case .firstGet(let folder, let number): ["first-get", folder, "\(number)"]
    case .firstLookUp(let store, let row): ["first-look-up", store, "\(row)"]
    case .sets(let folder, let count): ["sets", folder, "\(count)"]
    case .gets(let folder, let count): ["gets", folder, "\(count)"]
    }
  }

  /// The command that runs this.
  var command: [String] { [CommandLine.arguments[0]] + arguments }

  // MARK: In the child

  func run() throws {
    let start = ContinuousClock.now
    // Closing is no part of it.
    func report() throws { print(start.duration(to: .now).microseconds, try Self.peakMemory()) }
    switch self {
    case .firstGet(let folder, let number):
      let vault = try BenchVault(at: URL(fileURLWithPath: folder)).vault
      guard try vault.bytes(for: BenchVault.item(number)) == BenchVault.value(number) else {
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
      let vault = try BenchVault(creatingAt: URL(fileURLWithPath: folder))
      // The first commit of a log that is empty writes its head too.
      try vault.set(-1)
      fsync(-1)
      for number in 0..<count { try vault.set(number) }
      fsync(-1)
    case .gets(let folder, let count):
      let bench = try BenchVault(at: URL(fileURLWithPath: folder))
      let present = try bench.vault.count(GenericPassword.self) - 1
      for number in 0..<count { _ = try bench.vault.bytes(for: BenchVault.item(number * 7 % present)) }
      try report()
    }
  }

  /// The most memory that this process has held, in KiB.
  private static func peakMemory() throws -> Int {
    #if os(Linux)
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
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

  /// Runs it in a process of its own.
  func spawn() throws -> Outcome {
    let words = try Command.run(arguments: command).split(separator: " ")
    guard words.count == 2, let microseconds = Double(words[0]), let peak = Int(words[1]) else {
      throw SpawnedProgram.Failure(description: "a child of the benchmark said nothing of use")
    }
    return Outcome(microseconds: microseconds, peakKiB: peak)
  }
}

/// Counts what of a durable set reaches the disk.
enum SyncCount {
  /// How often `sets` new items in a row call fsync or fdatasync.
  static func measure(sets: Int, in folder: URL) throws -> Int {
    let trace = try TemporaryDirectory()
    let file = trace.path("calls")
    try Command.run(
      arguments: ["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", file]
        + ChildTask.sets(folder: folder.path, count: sets).command)
    let calls = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    // Between the two calls for no file.
    return calls.split { $0.contains("(-1)") }.dropFirst().first?.count ?? 0
  }
}
