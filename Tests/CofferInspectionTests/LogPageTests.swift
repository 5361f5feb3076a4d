import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferInspection
import CofferStore
import CofferTrust
import CofferVault
import Testing

@Suite struct LogPageTests {
  private let fixture: TemporaryVault

  init() throws {
    fixture = try TemporaryVault()
    try fixture.register("com.example.one", groups: ["~com.example.shared"])
  }

  private func page(before: UInt64? = nil, limit: Int = 50) throws -> LogPage {
    try LogPage.read(from: fixture.local, before: before, limit: limit)
  }

  private func sentences() throws -> [String] { try page().lines.reversed().map(\.sentence) }

  @Test func `A log's entries say who did what, in the order of the log`() throws {
    #expect(
      try sentences() == [
        "The vault key created the transport key, which seals everything that machines send to the remote.",
        "The vault key enrolled the machine laptop as an admin.",
        "The owner on laptop registered the app com.example.one with 2 access groups.",
        "The owner on laptop gave the app com.example.one keys on laptop.",
        "The owner on laptop created the access group com.example.shared and sealed its key to 3 recipients.",
        "The owner on laptop created the access group com.example.one and sealed its key to 3 recipients.",
      ])
    let line = try #require(try page().lines.last)
    let entry = try fixture.local.store.read { try LogEntry(bytes: #require(try $0.logEntry(1)).entry) }
    #expect(line.number == 1 && line.hash == hexadecimal(entry.hash.raw.bytes) && line.phrase == entry.position.phrase)
    let machine = try fixture.local.membership().devices.keys.first?.description
    #expect(try page().lines.reversed().map(\.signerMachineID) == [nil, nil] + Array(repeating: machine, count: 4))
    #expect(line.time == entry.time.date && !line.isPublished && !line.isAfterFork)
  }

  @Test func `Later entries say what changed: rights, the passphrase, new keys, more recipients, other machines`()
    throws
  {
    try fixture.register("com.example.one", groups: ["~com.example.shared", "~com.example.more"])
    try fixture.enrol("desktop")
    let file = try fixture.local.folder.credentialFile(of: fixture.local.application(named: "com.example.one"))
    var bytes: [UInt8] = [0]
    try file.write(wiping: &bytes)
    try fixture.register("com.example.one", groups: ["~com.example.shared", "~com.example.more"])
    let later = try Array(sentences().dropFirst(6))
    #expect(
      later[0] == "The owner on laptop changed the registration of the app com.example.one: it gains com.example.more.")
    #expect(later.contains("The vault key enrolled the machine desktop as an admin."))
    #expect(later.contains("The owner on desktop gave the app com.example.one keys on desktop."))
    #expect(
      later.contains("The owner on desktop sealed the key of the access group com.example.shared to 2 more recipients.")
    )
    #expect(later.contains("The owner on laptop gave the app com.example.one new keys on laptop."))
    let grant = try #require(try page().lines.first { $0.kind == .grant && $0.signer == "the owner on desktop" })
    let recipients = grant.details.filter { $0.label == "Recipient" }.map(\.value)
    #expect(Set(recipients) == ["the owner on desktop", "com.example.one on desktop"])
  }

  @Test func `Statements of withdrawal and of unknown kinds are named, and whether a program may ignore them`() throws {
    let head = try fixture.local.membership().head
    let withdrawal = try fixture.entry(
      .withdrawal(WithdrawalStatement(entries: [EntryHash(.zero)])), after: head)
    let unknown = try unknownEntry(after: withdrawal.position, isCritical: true)
    try fixture.append([withdrawal, unknown])
    let lines = try page().lines
    #expect(lines[0].kind == .unknown && lines[0].action.contains("kind 32639"))
    #expect(lines[0].action.contains("must not ignore"))
    #expect(lines[1].action.hasPrefix("withdrew 1 entry, ") && lines[1].details.count == 1)
  }

  /// Returns an entry of a kind that no version of Coffer writes.
  private func unknownEntry(after position: LogPosition, isCritical: Bool) throws -> LogEntry {
    let known = try fixture.entry(
      .grant(GrantStatement(group: GroupID(Bytes16.zero), generation: 1, boxes: [])), after: position)
    var bytes = Array(known.bytes.dropLast(Signature.count))
    // Kind and flag precede the body and its 32-bit length.
    let place = bytes.count - known.body.count - 4 - 3
    bytes.replaceSubrange(place..<(place + 3), with: [0x7F, 0x7F, isCritical ? 1 : 0])
    bytes += try fixture.ownerKeys().signing.sign(Hash.digest(bytes, domain: .logEntry), domain: .logEntry).bytes
    return try LogEntry(bytes: bytes)
  }

  @Test func `Pages are parts of the log without gaps, and a page beyond the first entry is empty`() throws {
    let all = try page().lines
    #expect(try page().total == 6 && page().next == nil && all.map(\.number) == [6, 5, 4, 3, 2, 1])
    var shown: [LogLine] = []
    var next: UInt64?
    repeat {
      let part = try page(before: next, limit: 4)
      #expect(part.lines.count <= 4 && part.total == 6)
      shown += part.lines
      next = part.next
    } while next != nil
    #expect(shown == all)
    for before: UInt64 in [0, 1] { #expect(try page(before: before).lines.isEmpty) }
    #expect(try page(before: .max).lines == all && page(limit: 0).lines.isEmpty && page(limit: -1).lines.isEmpty)
  }

  @Test func `A fork is named, with the entries after it and those of the other branch`() throws {
    let parent = try fixture.local.membership().head
    let group = { (name: String) -> Statement in
      .groupKey(
        GroupKeyStatement(
          name: try fixture.prefix + name, commitment: .zero, boxes: []))
    }
    let own = try fixture.entry(group("com.example.mine"), after: parent)
    let other = try fixture.entry(group("com.example.theirs"), after: parent)
    try fixture.append([own])
    try fixture.local.store.write {
      try $0.insertCompetingEntry(other.hash, sequence: other.sequence, entry: other.bytes, envelope: [])
    }
    let forked = try page()
    #expect(
      forked.fork != nil && forked.lines.map(\.isAfterFork) == [true] + Array(repeating: false, count: 6))
    #expect(forked.otherBranches.map(\.hash) == [hexadecimal(other.hash.raw.bytes)])
    #expect(forked.otherBranches[0].action.hasPrefix("created the access group com.example.theirs"))
    #expect(try Overview.read(from: fixture.local).attention[0] == forked.fork.map(Attention.logFork))
  }
}
