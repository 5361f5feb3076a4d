import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// The first syncs of a vault that a released program wrote.
@Suite struct MigratedVaultTests {
  private let machine: Machine
  private let remote: TemporaryRemote
  private let frozen = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "CofferTests/FrozenVaults")

  /// The vault of version 3 has a pending record. Its remote is an empty repository in place of the lost one.
  init() throws {
    remote = try TemporaryRemote()
    machine = try Machine()
    try FileManager.default.createDirectory(
      at: machine.vault.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: frozen.appending(path: "version-3"), to: machine.vault)
    try Command.run("chmod", "-R", "u=rwX,go=", machine.home.path)
    try machine.coffer("remote", "set", remote.path)
  }

  @Test func `A pending record that version 3 kept with its contents is found in its segment, and counts later`() throws
  {
    _ = try machine.run("coffer", "sync")
    #expect(try machine.status("pendingRecords") == "1" && machine.status("refusedRecords") == "0")
    #expect(try machine.local.store.read { try $0.unadmittedByteCount() } == 0)
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
    try remote.tamper { tree in
      for sequence in 17...19 {
        try FileManager.default.copyItem(
          at: frozen.appending(path: "version-3-log/\(sequence)"), to: tree.appending(path: "log/0/\(sequence)"))
      }
    }
    try machine.coffer("sync")
    #expect(try machine.status("logLength") == "19" && machine.status("pendingRecords") == "0")
    try machine.coffer("app", "install", "com.example.new")
    #expect(try machine.coffer("get", "service", "pending", "--app", "com.example.new") == "pending")
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
  }
}
