import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation

/// Measures how long it takes to fold membership logs, and to open a vault that has one.
@main
enum LogBenchmark {
  /// The numbers of entries: those of one machine, of a team of 50, and of 200 machines with 20 apps each.
  private static let sizes = [20, 2_000, 10_000]
  private static let rounds = 9

  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "first-get", arguments.count == 2 { return try firstGet(arguments[1]) }
    if arguments == ["open"] { return try reportOpening() }
    for size in sizes { try report(size) }
    for size in sizes.suffix(2) { try reportRevocations(size) }
    try reportOpening()
  }

  /// Compares the first get in a vault with a long log with that in a vault with a short one, in turns.
  private static func reportOpening() throws {
    let folders = try [50, 10_000].map { size in
      let folder = try TemporaryDirectory()
      let vault = try LargeVault(at: URL(fileURLWithPath: folder.path("vault")), entryCount: size)
      return (folder: folder, entryCount: vault.entries.count)
    }
    var times = folders.map { _ in [Double]() }
    for round in 0..<rounds * 3 {
      for (index, vault) in folders.enumerated() {
        let time = try timeOfFirstGet(in: vault.folder)
        // The first opening stores the fold of the long log.
        if round == 0 {
          line("first open with \(vault.entryCount) entries", time, target: nil)
        } else {
          times[index].append(time)
        }
      }
    }
    for (vault, times) in zip(folders, times) {
      line("open and get with \(vault.entryCount)", times.median, target: nil)
    }
    let ratio = times[1].median / times[0].median
    print(String(format: "  long log: %.2f × the short one   target 2: ", ratio) + (ratio <= 2 ? "met" : "missed"))
  }

  private static func timeOfFirstGet(in folder: TemporaryDirectory) throws -> Double {
    let output = try Command.run(arguments: [CommandLine.arguments[0], "first-get", folder.path("vault")])
    guard let time = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw SpawnedProgram.Failure(description: "a child of the benchmark printed no result")
    }
    return time
  }

  /// Measures a log in which three apps of each machine lose a group.
  private static func reportRevocations(_ size: Int) throws {
    let admin = PartyKeys.random()
    let genesis = Genesis(
      vault: .random(), created: Timestamp(microseconds: 1), root: .random(),
      firstDevice: PartyKeys.random().publicKeys, firstAdmin: admin.publicKeys)
    let empty = Membership(genesis: genesis)
    var log = try SampleLog(after: empty, admin: admin)
    try log.grow(to: size, revocationsPerMachine: 3)
    let bytes = log.entries.reduce(0) { $0 + $1.bytes.count }
    print(
      "\na log of \(log.entries.count) entries, \(bytes >> 10) KiB, with \(log.membership.revocations.count) revocations"
    )
    line(
      "fold, each signature verified", try median { try fold(log.entries, empty, isVerified: false) }, target: 1_000_000
    )
    line("fold, verified before", try median { try fold(log.entries, empty, isVerified: true) }, target: nil)
  }

  private static func report(_ size: Int) throws {
    let folder = try TemporaryDirectory()
    let vault = try LargeVault(at: URL(fileURLWithPath: folder.path("vault")), entryCount: size)
    let entries = vault.entries
    let bytes = entries.reduce(0) { $0 + $1.bytes.count }
    print("\na log of \(entries.count) entries, \(bytes >> 10) KiB")
    let empty = Membership(genesis: vault.genesis)
    let verified = try median { try fold(entries, empty, isVerified: false) }
    let chained = try median { try fold(entries, empty, isVerified: true) }
    line("fold, each signature verified", verified, target: 1_000_000)
    line("fold, verified before", chained, target: nil)
    let location = VaultLocation(folder: URL(fileURLWithPath: folder.path("vault")))
    let local = try LocalVault.open(VaultFolder(location))
    line("all entries in words", try median { _ = try LogPage.read(from: local, limit: nil) }, target: nil)
    line("verify, as log --verify does", try median { _ = try Vault.verifyLog(at: location) }, target: nil)
    let times = try (0..<rounds).map { _ in try timeOfFirstGet(in: folder) }
    line("open and first get", times.median, target: 2_500)
  }

  private static func fold(_ entries: [LogEntry], _ empty: Membership, isVerified: Bool) throws {
    var membership = empty
    for entry in entries { try membership.apply(LogEntry(bytes: entry.bytes), isVerified: isVerified) }
  }

  private static func median(_ body: () throws -> Void) throws -> Double {
    try (0..<rounds).map { _ in
      let start = ContinuousClock.now
      try body()
      return start.duration(to: .now).microseconds
    }.median
  }

  private static func line(_ name: String, _ microseconds: Double, target: Double?) {
    let verdict =
      target.map { String(format: "   target %.1f ms: ", $0 / 1e3) + (microseconds <= $0 ? "met" : "missed") } ?? ""
    let padding = String(repeating: " ", count: max(30 - name.count, 1))
    print("  \(name)\(padding)" + String(format: "%.2f ms", microseconds / 1e3) + verdict)
  }

  /// Prints how long the first get of an item takes, in microseconds, in a process of its own.
  private static func firstGet(_ folder: String) throws {
    let start = ContinuousClock.now
    let vault = try Vault.open(.bytes(LargeVault.plist), at: VaultLocation(folder: URL(fileURLWithPath: folder)))
    guard try vault.string(for: LargeVault.item) == LargeVault.value else {
      throw SpawnedProgram.Failure(description: "the item is not as it was set")
    }
    print(start.duration(to: .now).microseconds)
  }
}
