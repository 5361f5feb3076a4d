import Coffer
import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Copies of a record that its author did not sign, which an enrolled machine publishes and a host shows before the
/// author's log entry.
@Suite struct PoisonedRecordTests {
  private let suite: TwoMachines
  private let application = "com.example.new"
  /// The record of the laptop's new app.
  private let record: Record
  private let logEntries: [String]
  private let segments: [String]

  /// The laptop has registered an app and written an item with it; the desktop has neither.
  init() throws {
    suite = try TwoMachines()
    try suite.desktop.sync()
    let known = Set(try suite.remote.files())
    let plist = try suite.laptop.directory.write(
      "new.entitlements", entitlementsPlist("com.example.new"))
    try suite.laptop.coffer("app", "add", plist)
    try suite.laptop.coffer("set", "service", "account", "--app", application, input: "genuine")
    let outbox = try LocalVault.open(VaultFolder(suite.laptop.vault)).store.read { reader in
      try reader.outbox(in: try #require(try reader.outboxGroups().first), byteLimit: .max)
    }
    record = try Record(bytes: try #require(outbox.first).1)
    try suite.laptop.sync()
    let new = try suite.remote.files().filter { !known.contains($0) }
    logEntries = new.filter { $0.hasPrefix("log/") }
    segments = new.filter { $0.hasPrefix("segments/") }
  }

  /// How the copies and the genuine record reach the desktop.
  enum Arrival: CaseIterable {
    case copyFirst, genuineFirst, copyWithGenuine, copiesInTwoSegments, copyAfterLogEntry
  }

  /// Returns the record with a changed bit in its signature.
  private func copy(_ position: Int = 1) throws -> [UInt8] {
    var signed = record.signedBytes
    signed[signed.count - position] ^= 1
    return try Record(
      signedBytes: signed, sealedAttributes: record.sealedAttributes, sealedValue: record.sealedValue
    ).bytes
  }

  /// Commits a segment with `records` in a new stream, signed by the laptop, and withholds the files at `paths`.
  private func publish(_ records: [[UInt8]], withholding paths: [String]) throws {
    try suite.remote.put([suite.laptop.sealSegment(of: records, in: record.header.group)], withholding: paths)
  }

  /// Syncs the desktop, which must name the withheld log entry.
  private func syncDesktop() throws {
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(
      sync.exitCode == 6 && sync.errors.contains("of the membership log, which laptop has seen there"), "\(sync)")
  }

  /// Shows the desktop everything that was withheld.
  private func expectGenuine() throws {
    try suite.laptop.run("coffer", "sync")
    try suite.desktop.run("coffer", "sync")
    #expect(try suite.desktop.status("pendingRecords") == "0")
    try suite.desktop.coffer("app", "install", application)
    #expect(try suite.desktop.coffer("get", "service", "account", "--app", application) == "genuine")
    let local = try LocalVault.open(VaultFolder(suite.desktop.vault))
    #expect(try local.store.read { try $0.unadmittedByteCounts().all } == 0)
    #expect(try local.store.read { try $0.record(record.hash)?.signedBytes } == record.signedBytes)
  }

  @Test(arguments: Arrival.allCases)
  func `A copy with another signature does not replace the genuine record, in any order`(arrival: Arrival) throws {
    switch arrival {
    case .copyFirst:
      try publish([copy()], withholding: logEntries + segments)
      try syncDesktop()
      #expect(try suite.desktop.status("pendingRecords") == "1")
    case .genuineFirst:
      try publish([], withholding: logEntries)
      try syncDesktop()
      try publish([copy()], withholding: logEntries)
      try syncDesktop()
      #expect(try suite.desktop.status("pendingRecords") == "2")
    case .copyWithGenuine:
      try publish([copy(), record.bytes, copy(2)], withholding: logEntries + segments)
      try syncDesktop()
      #expect(try suite.desktop.status("pendingRecords") == "3")
    case .copiesInTwoSegments:
      try publish([copy()], withholding: logEntries + segments)
      try syncDesktop()
      try publish([copy(), copy(2)], withholding: logEntries + segments)
      try syncDesktop()
      #expect(try suite.desktop.status("pendingRecords") == "2")
    case .copyAfterLogEntry:
      try publish([copy()], withholding: segments)
      let sync = try suite.desktop.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("its author did not sign it"), "\(sync)")
      #expect(try suite.desktop.status("pendingRecords") == "0")
    }
    try expectGenuine()
  }

  @Test func `A copy with another sealed value is refused, and the genuine record counts`() throws {
    var value = record.sealedValue
    value[value.count - 1] ^= 1
    var bytes = ByteWriter(reserving: record.bytes.count)
    for part in [record.signedBytes, record.sealedAttributes, value] { bytes.data(part) }
    try publish([bytes.bytes], withholding: logEntries + segments)
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("sealed value"), "\(sync)")
    #expect(try suite.desktop.status("pendingRecords") == "0")
    try expectGenuine()
  }
}
