import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferExchange
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Logging
import Testing

/// A machine that expects to be removed from the vault, and works against it with all of its keys.
@Suite struct UnwillingMachineTests {
  private let suite: ThreeMachines
  private let free = "com.example.photo.free"
  private let pro = "com.example.photo.pro"
  private let items = ["old": "by the desktop"]

  init() throws {
    suite = try ThreeMachines()
    try suite.desktop.set("old", "by the desktop")
    try suite.sync(suite.desktop, suite.laptop, suite.third)
  }

  /// Removes the desktop, and expects that its claims do not matter, and that both machines have refused records.
  private func expectRemoval(refusing refused: Int) throws {
    let removal = try suite.remove(on: suite.laptop, "device", "revoke", "desktop")
    #expect(removal.exitCode == 0, "\(removal)")
    for _ in 0..<2 { for machine in [suite.third, suite.laptop] { _ = try machine.run("coffer", "sync") } }
    for machine in [suite.laptop, suite.third] {
      let membership = try machine.local.membership()
      #expect(membership.revocations.count == 1 && membership.devices.values.count { $0.revocation != nil } == 1)
      #expect(try machine.values() == items)
      #expect(try machine.status("refusedRecords") == "\(refused)")
      try suite.expectSound(machine)
    }
  }

  /// A position of the log after the end of this one.
  private func later(_ sequence: UInt64) throws -> LogPosition {
    LogPosition(sequence: sequence, hash: EntryHash(try #require(Bytes32([UInt8](repeating: 7, count: 32)))))
  }

  @Test func `A record that waits for an entry of the log which never comes does not prevent a revocation`() throws {
    // The app may only read this group.
    let record = try suite.desktop.forge([1], account: "forged", in: "com.example.photo.purchases", by: free)
    try suite.remote.put([
      suite.desktop.sealSegment(of: [record.bytes], in: record.header.group, log: later(1 << 40))
    ])
    try expectRemoval(refusing: 1)
  }

  @Test func `A deletion that was prepared for the keys that a revocation introduces never counts`() throws {
    let value = try suite.desktop.forge([1], account: "old", in: pro, by: app)
    let header = value.header
    let credential = try suite.desktop.local.folder.credentialFile(of: suite.desktop.local.application(named: app))
      .read { try Credential(secretBytes: $0) }
    let deletion = Record(
      header: RecordHeader(
        vault: header.vault, group: header.group, generation: header.generation + 1, item: header.item,
        itemClass: header.itemClass, content: .tombstone(successor: nil), isDeviceLocal: false,
        bases: Array(try suite.desktop.heads(of: value)), time: header.time, author: header.author, tokens: []),
      signer: credential.keys.signing
    ) { _, _ in [] }
    let next = try suite.laptop.local.membership().head.sequence + 1
    try suite.remote.put([suite.desktop.sealSegment(of: [deletion.bytes], in: header.group, log: later(next))])
    try expectRemoval(refusing: 1)
  }

  // MARK: Claims

  /// Publishes a segment without records in which a machine claims to have seen a later entry of the log.
  private func claim(by machine: Machine) throws {
    let group = try #require(try machine.local.membership().groups.keys.first)
    try suite.remote.put([machine.sealSegment(of: [], in: group, log: later(1 << 62))])
    for other in [suite.laptop, suite.third, suite.desktop] where other !== machine {
      let sync = try other.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("lacks entry \(1 << 62)"), "\(sync)")
    }
  }

  @Test func `A machine that claims to have seen more of the log is removed without more ado`() throws {
    try claim(by: suite.desktop)
    let change = try suite.laptop.addApp("other")
    #expect(change.exitCode == 6 && change.errors.contains("coffer device revoke NAME"), "\(change)")
    // For an admin too, the claim is no obstacle: only the vault key removes another admin.
    let machine = try suite.laptop.local.memberMachine(named: "desktop")
    let error = #expect(throws: VaultError.self) {
      try Removal(of: .machines([machine]), from: suite.laptop.local).run(as: .admin(.unavailable))
    }
    #expect(error?.code == .notEntitled, "\(error as Any)")
    try expectRemoval(refusing: 0)
    #expect(try suite.laptop.addApp("other").exitCode == 0)
  }

  @Test func `The vault key removes a machine whatever another one claims, and the claim stays reported`() throws {
    try claim(by: suite.third)
    #expect(try suite.laptop.coffer("status").contains("which third has seen there"))
    try suite.revoke()
    #expect(try suite.laptop.local.membership().revocations.count == 1)
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("which third has seen there"), "\(sync)")
    #expect(try suite.laptop.addApp("other").exitCode == 6)
  }

  // MARK: What was confirmed

  @Test func `A removal that would do more than was shown is an error that says what`() throws {
    let machine = try suite.laptop.local.memberMachine(named: "desktop")
    let shown = try Removal(of: .machines([machine]), from: suite.laptop.local).preview()
    #expect(shown.machines.map(\.name) == ["desktop"] && shown.needsVaultKey)
    #expect(try suite.third.addApp("other").exitCode == 0)
    try suite.desktop.coffer("app", "install", "com.example.other")
    try suite.sync(suite.laptop)
    let error = #expect(throws: VaultError.self) {
      try Removal(of: .machines([machine]), from: suite.laptop.local)
        .run(as: .admin(.unavailable), accepting: shown)
    }
    let words = try #require(error?.message)
    #expect(words.contains("end the rights of") && words.contains("replace the keys of"), "\(words)")
    #expect(words.contains("com.example.other") && !words.contains("photo"), "\(words)")
  }

  // MARK: Forks

  /// Signs an entry as the desktop's admin, and puts it on the remote in the place that follows `position`.
  private func forge(after position: LogPosition) throws -> LogEntry {
    let forged = try suite.desktop.sealEntry(after: position)
    try suite.remote.put(forged)
    return forged.entry
  }

  @Test func `An admin that forks the log is removed with the vault key, and that ends the fork`() throws {
    let shared = try suite.desktop.local.membership().head
    #expect(try suite.laptop.addApp("one").exitCode == 0)
    try suite.sync(suite.third)
    // More entries than the other branch has.
    var last = try forge(after: shared)
    let count = try suite.laptop.local.membership().head.sequence - shared.sequence + 3
    for _ in 1..<count { last = try forge(after: last.position) }
    for machine in [suite.laptop, suite.third] {
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("has forked after entry \(shared.sequence)"), "\(sync)")
    }
    let change = try suite.laptop.addApp("two")
    #expect(change.exitCode == 6 && change.errors.contains("coffer device revoke NAME"), "\(change)")
    // What does not remove who forked the log is no way out.
    for arguments in [["app", "remove", free], ["device", "revoke", "third"]] {
      let other = try suite.laptop.start("coffer", arguments + ["--vault-key-file", suite.key, "--yes"]).wait()
      #expect(other.exitCode == 6 && other.errors.contains("has forked"), "\(other)")
    }
    try suite.revoke()
    for machine in [suite.third, suite.laptop] { _ = try machine.run("coffer", "sync") }
    try suite.sync(suite.third, suite.laptop)
    for machine in [suite.laptop, suite.third] {
      #expect(try machine.status("logFork") == "none")
      #expect(try machine.local.membership().revocations.count == 1)
      #expect(try machine.values() == items)
      try suite.expectSound(machine)
    }
    #expect(try suite.laptop.coffer("app", "list").contains("com.example.one"))
    #expect(try suite.third.addApp("two").exitCode == 0)
    try suite.sync(suite.laptop)
    #expect(try suite.laptop.status("headPhrase") == suite.third.status("headPhrase"))
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 4, "\(sync)")
  }
}
