import CofferCrypto
import CofferExchange
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Logging
import Testing

/// Three enrolled machines with one remote and both example apps. The laptop removes the desktop from the vault.
struct ThreeMachines {
  let remote: TemporaryRemote
  let laptop: Machine
  let desktop: Machine
  let third: Machine
  let key: String

  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let template = Result {
    let (two, third) = (try TwoMachines(), try Machine())
    two.deleteAtExit()
    third.directory.deleteAtExit()
    try third.coffer("clone", "--name", "third", "--no-passphrase", "--vault-key-file", two.key, two.remote.path)
    try two.laptop.sync()
    try two.desktop.sync()
    return (two, third)
  }

  init() throws {
    let template = try unsafe Self.template.get()
    let two = try TwoMachines(copying: template.0)
    (remote, laptop, desktop, key) = (two.remote, two.laptop, two.desktop, two.key)
    third = try template.1.copied(syncingWith: remote)
  }

  init(_ remote: TemporaryRemote, _ laptop: Machine, _ desktop: Machine, _ third: Machine, key: String) {
    (self.remote, self.laptop, self.desktop, self.third, self.key) = (remote, laptop, desktop, third, key)
  }

  /// Syncs machines without any problem.
  func sync(_ machines: Machine...) throws { for machine in machines { try machine.sync() } }

  /// Removes the desktop from the vault.
  func revoke() throws {
    try laptop.coffer("device", "revoke", "desktop", "--vault-key-file", key, "--yes")
  }

  /// Runs a command that removes machines or apps, on a machine.
  func remove(on machine: Machine, _ arguments: String...) throws -> Machine.Outcome {
    try machine.start("coffer", arguments + ["--vault-key-file", key, "--yes"]).wait()
  }

  /// Clones the vault to a further machine.
  func clone(named name: String) throws -> Machine {
    let machine = try Machine()
    try machine.coffer("clone", "--name", name, "--no-passphrase", "--vault-key-file", key, remote.path)
    return machine
  }

  /// The path of the record list on the remote: exactly one.
  func listPath() throws -> String {
    let lists = try remote.files().filter { $0.hasPrefix("lists/") }
    try #require(lists.count == 1, "\(lists)")
    return lists[0]
  }

  /// Expects that stores match their signed objects.
  func expectSound(_ machines: Machine...) throws {
    for machine in machines { #expect(try machine.coffer("check") == "The store matches its signed objects.") }
  }
}

extension Machine {
  /// Returns a machine with all files of this one, which syncs with another remote.
  func copied(syncingWith remote: TemporaryRemote) throws -> Machine {
    let copy = try copied()
    try copy.local.store.write { try $0.setSetting(.remoteURL, Array(remote.path.utf8)) }
    return copy
  }

  /// The last segment of the stream that this machine writes.
  func lastOwnSegment() throws -> StreamPosition {
    try local.store.read { reader in
      let stream = try #require(try reader.setting(.ownStream).flatMap { Bytes16($0) })
      return try #require(try reader.streamHead(of: StreamID(stream))).position
    }
  }

  /// Syncs in this process with little space for refused records, and returns the problems.
  func syncKeeping(_ byteLimit: Int) throws -> [String] {
    try syncReport(keeping: byteLimit).problems.map(\.message)
  }

  /// Syncs in this process with little space for refused and pending records, and reads what it reports.
  func syncReport(keeping byteLimit: Int) throws -> SyncReport {
    let report = try Synchronizer(
      local, unadmittedByteLimit: byteLimit, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).run()
    try local.markRead(report.problems)
    return report
  }

  /// Puts a file in place of this machine's store.
  func replaceStore(by other: Machine) throws {
    let store = vault.appending(path: "store.sqlite").path
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: store + suffix) {
      try FileManager.default.removeItem(atPath: store + suffix)
    }
    try Command.run("sqlite3", other.vault.appending(path: "store.sqlite").path, ".backup '\(store)'")
  }
}
