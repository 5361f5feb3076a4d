import Coffer
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Segments of so many records that several threads examine them, and the next one while one is stored.
@Suite struct LongSegmentTests {
  private let suite: TwoMachines
  private let vault: Vault

  init() throws {
    suite = try TwoMachines()
    let plist = URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))
    vault = try Vault.open(.file(plist), at: VaultLocation(folder: suite.laptop.vault))
  }

  private func write(_ accounts: Range<Int>) throws {
    try vault.transaction {
      for account in accounts {
        try vault.set("value \(account)", for: GenericPassword(service: "service", account: "\(account)"))
      }
    }
  }

  /// The current versions on the desktop that belong to a group.
  private func desktopHeads() throws -> Set<RecordHash> {
    Set(try suite.desktop.local.store.read { try $0.sharedHeads() })
  }

  @Test func `Of a long segment, only the records are ignored that nobody signed or that are malformed`() throws {
    try write(0..<200)
    let (group, rows) = try suite.laptop.local.store.read { reader in
      let group = try #require(try reader.outboxGroups().first)
      return (group, try reader.outbox(in: group, byteLimit: .max))
    }
    let genuine = try rows.map { try Record(bytes: $0.1) }
    #expect(genuine.count == 200)
    let before = try desktopHeads()
    var records = genuine.map(\.bytes)
    records[70] = [1, 2, 3]
    var signed = genuine[130].signedBytes
    signed[signed.count - 1] ^= 1
    records[130] = try Record(
      signedBytes: signed, sealedAttributes: genuine[130].sealedAttributes, sealedValue: genuine[130].sealedValue
    ).bytes
    try suite.remote.put([suite.laptop.sealSegment(of: records, in: group)])
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("its author did not sign it"), "\(sync)")
    #expect(sync.errors.split(separator: "\n").count { $0.contains("a record from laptop is ignored") } == 2, "\(sync)")
    let arrived = try desktopHeads().subtracting(before)
    #expect(arrived == Set(genuine.indices.filter { $0 != 70 && $0 != 130 }.map { genuine[$0].hash }))
    // The genuine ones are in the laptop's own segment.
    try suite.laptop.run("coffer", "sync")
    try suite.desktop.run("coffer", "sync")
    #expect(try suite.desktop.get("130") == "value 130")
  }

  @Test func `Long segments of one stream arrive whole, although one in their middle is damaged at first`() throws {
    let known = Set(try suite.remote.files())
    for part in 0..<4 {
      try write(part * 100..<(part + 1) * 100)
      try suite.laptop.sync()
    }
    let segments = try suite.remote.files().filter { !known.contains($0) && $0.hasPrefix("segments/") }.sorted()
    #expect(segments.count == 4)
    try suite.remote.tamper { try Data("no segment".utf8).write(to: $0.appending(path: segments[1])) }
    let before = try desktopHeads()
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("is not valid"), "\(sync)")
    #expect(sync.errors.split(separator: "\n").count { $0.contains("is not valid") } == 1, "\(sync)")
    // Records are signed themselves, so they do not wait for the segment before them.
    #expect(try desktopHeads().subtracting(before).count == 300)
    try suite.laptop.run("coffer", "sync")
    try suite.desktop.sync()
    #expect(try desktopHeads().subtracting(before).count == 400)
    #expect(try suite.desktop.get("150") == "value 150")
    #expect(try suite.desktop.coffer("check") == "The store matches its signed objects.")
  }
}
