import Coffer
import CofferTestSupport
import Foundation

/// Measures Coffer's item operations in process next to plain SQLite and libsodium, in one run and in turns.
@main
enum ItemBenchmark {
  static let usage = """
    Usage: ItemBenchmark [--inspect] [--vault FOLDER] [--sizes N,N,…] [--full] [--rounds N] [--folder FOLDER] [--no-summary]

      --inspect  measures the lists and searches of the inspector instead, in one vault of 100000 items by default
      --vault    with --inspect and one size: the folder of the vault, which must not exist and is kept
      --sizes    the numbers of items in the vaults; 1000,10000,100000 by default
      --full     also measures 1000000 items, which takes minutes to fill
      --rounds   the number of rounds of each median; 9 by default
      --folder   the folder of the vaults, in the file system to measure
      --no-summary   measures vaults without a summary of their rows, as before the first sync
    """

  static func main() throws {
    var arguments = CommandLine.arguments.dropFirst()
    if let child = ChildTask(arguments) { return try child.run() }
    var settings = Settings()
    while let argument = arguments.popFirst() {
      switch argument {
      case "--sizes":
        guard let sizes = arguments.popFirst()?.split(separator: ",").map({ Int($0) }), !sizes.contains(nil) else {
          refuse("--sizes requires numbers, separated by commas")
        }
        settings.sizes = sizes.compactMap(\.self)
      case "--full": settings.isFull = true
      case "--inspect": settings.isInspection = true
      case "--vault":
        guard let folder = arguments.popFirst() else { refuse("--vault requires a path") }
        settings.vault = URL(fileURLWithPath: folder, isDirectory: true)
      case "--rounds":
        guard let rounds = arguments.popFirst().flatMap({ Int($0) }), rounds > 0 else {
          refuse("--rounds requires a number")
        }
        settings.rounds = rounds
      case "--folder":
        guard let folder = arguments.popFirst() else { refuse("--folder requires a path") }
        settings.folder = URL(fileURLWithPath: folder, isDirectory: true)
      case "--no-summary": settings.hasSummary = false
      case "-h", "--help": return print(usage)
      default: refuse("unknown argument \(argument)\n\(usage)")
      }
    }
    try run(settings)
  }

  struct Settings {
    /// Nil for those of the benchmark.
    var sizes: [Int]?
    var isFull = false
    var isInspection = false
    var vault: URL?
    var rounds = 9
    var hasSummary = true
    var folder = FileManager.default.temporaryDirectory
  }

  private static func run(_ settings: Settings) throws {
    let scratch = try TemporaryFolder(in: settings.folder)
    defer { scratch.remove() }
    if settings.isInspection {
      for size in settings.sizes ?? [100_000] { try reportInspection(size, settings, in: scratch) }
      return
    }
    try Primitives().report()
    try reportSyncs(in: scratch)
    try reportDeletedItems(in: scratch)
    for size in (settings.sizes ?? [1_000, 10_000, 100_000]) + (settings.isFull ? [1_000_000] : []) {
      let folder = try scratch.subfolder("\(size)")
      defer { folder.remove() }
      try SizeReport(size: size, rounds: settings.rounds, hasSummary: settings.hasSummary, in: folder).run()
    }
  }

  /// Reports lists and searches of the inspector, in a process of their own.
  private static func reportInspection(_ size: Int, _ settings: Settings, in scratch: TemporaryFolder) throws {
    let folder = settings.vault ?? scratch.url.appending(path: "inspect-\(size)")
    do {
      let benchmark = try BenchmarkVault(creatingAt: folder)
      for first in stride(from: 0, to: size, by: 10_000) {
        try benchmark.importItems(first..<min(first + 10_000, size))
      }
    }
    print("inspector, \(size) items")
    print(try Command.run(arguments: ChildTask.inspection(folder: folder.path, rounds: settings.rounds).command))
  }

  /// Reports the number of disk flushes of one durable set.
  private static func reportSyncs(in scratch: TemporaryFolder) throws {
    print("durable set, new item, 20 in a row")
    #if os(Linux)
      let count = try SyncCount.measure(sets: 20, in: scratch.url.appending(path: "syncs"))
      print("  fsync and fdatasync calls of each: \(Double(count) / 20) (target 1)")
    #else
      print("  fsync calls are counted with strace, on Linux only")
    #endif
  }

  /// Reports how much longer a list of ten items takes if the vault also has deleted ones.
  private static func reportDeletedItems(in scratch: TemporaryFolder) throws {
    let benchmark = try BenchmarkVault(creatingAt: scratch.url.appending(path: "deleted"))
    try benchmark.importItems(0..<10)
    func list() throws -> Double {
      let times = try (0..<200).map { _ in
        let start = ContinuousClock.now
        guard try benchmark.vault.list(GenericPassword.self).items.count == 10 else { refuse("a list is not complete") }
        return start.duration(to: .now).microseconds
      }
      return times.median
    }
    let before = try list()
    try benchmark.importItems(10..<5_010)
    try benchmark.vault.transaction {
      for number in 10..<5_010 { try benchmark.vault.delete(BenchmarkVault.item(number)) }
    }
    let after = try list()
    print("list of 10 items")
    print(
      "  without deleted items \(before.shown(1)) µs, with 5000 deleted \(after.shown(1)) µs, \((after / before).shown(2)) ×"
    )
  }

  static func refuse(_ message: String) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(2)
  }
}

/// A temporary folder of the benchmark.
struct TemporaryFolder {
  let url: URL

  init(in parent: URL) throws { try self.init(at: parent.appending(path: "coffer-benchmark-\(UUID().uuidString)")) }

  private init(at url: URL) throws {
    self.url = url
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  func subfolder(_ name: String) throws -> TemporaryFolder { try TemporaryFolder(at: url.appending(path: name)) }

  func remove() {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      FileHandle.standardError.write(Data("cannot remove \(url.path): \(error)\n".utf8))
    }
  }
}
