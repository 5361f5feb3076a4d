import Coffer
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import Foundation
import Testing

/// Thousands of concurrent versions of one item, which an app that may write the group can make, dated in the future.
@Suite struct ManyHeadsTests {
  private let fixture: TemporaryVault
  private let app: Vault
  private let name = GenericPassword(service: "service", account: "account")
  private let group = "com.example.shared"
  private let other = "com.example.own"
  private let attacker = "com.example.attacker"

  /// The year 9999, and the last time that there is.
  private static let times = [Timestamp(microseconds: 253_402_300_799_000_000), Timestamp(microseconds: .max)]

  init() throws {
    fixture = try TemporaryVault()
    app = try fixture.app(other, groups: ["~com.example.shared", "~com.example.own"])
    try fixture.app(attacker, groups: ["~com.example.shared"])
    try app.set("first", for: name, in: group)
  }

  /// Inserts versions of the item that name no other one, as if they had been imported.
  private func plant(_ count: Int, at time: Timestamp) throws {
    let records = try (0..<count).map { _ in
      try fixture.forge("evil", service: "service", account: "account", in: group, by: attacker, at: time)
    }
    try fixture.local.store.write { writer in
      for record in records { try writer.insert(record, validity: .valid, intoOutbox: false) }
    }
  }

  /// Inserts many such versions: the attacker's keys are opened once.
  private func plantMany(_ count: Int) throws {
    let first = try fixture.forge("evil", service: "service", account: "account", in: group, by: attacker).header
    let signer = try fixture.keys(of: attacker).signing
    let keys = try #require(try fixture.group(group, openedBy: attacker).keys.last)
    let attributes = ItemAttributes([.service: .string("service"), .account: .string("account")])
    try fixture.local.store.write { writer in
      for number in 0..<count {
        let header = RecordHeader(
          vault: first.vault, group: first.group, generation: first.generation, item: first.item,
          itemClass: first.itemClass, content: first.content, isDeviceLocal: false, bases: [],
          time: Timestamp(microseconds: first.time.microseconds + Int64(number)), author: first.author, tokens: [])
        let record = Record(
          header: header, attributes: attributes, value: Array("evil".utf8), keys: keys, signer: signer)
        try writer.insert(record, validity: .valid, intoOutbox: false)
      }
    }
  }

  /// The heads in the store of every item in a group.
  private func heads(in name: String) throws -> [Record] {
    let membership = try fixture.local.membership()
    let id = GroupID(vault: membership.vault, name: "\(membership.team).\(name)")
    return try fixture.local.store.read { reader in
      try reader.page(of: id, after: nil, limit: 10, withValues: true).flatMap { try $1.map { try $0.record() } }
    }
  }

  @Test(arguments: [15, 16, 17, 31, 32, 33, 300], Self.times)
  func `A write supersedes every version that it has seen, and its time is not before any of theirs`(
    count: Int, time: Timestamp
  ) throws {
    try plant(count, at: time)
    #expect(try heads(in: group).count == count + 1 && app.conflicts(GenericPassword.self).count == 1)
    try app.set("second", for: name, in: group)
    #expect(try app.string(for: name) == "second")
    #expect(try app.conflicts(GenericPassword.self).isEmpty)
    let left = try heads(in: group)
    #expect(left.count == 1 && left[0].header.time == time.next)
    #expect(try app.delete(name, in: group))
    #expect(try app.string(for: name) == nil && app.list(GenericPassword.self).items.isEmpty)
    #expect(try heads(in: group).map(\.header.isTombstone) == [true])
  }

  /// A change of an item with many heads, after which the item is as the change says, and nothing of the attacker's is
  /// left.
  enum Change: CaseIterable {
    case deleteByName, deleteByQuery, deleteByIdentifier, update, rename, move, becomeLocal, restore, replaceSeen
    case deleteSeen, setTransactionally
  }

  @Test(arguments: Change.allCases)
  func `Every change of an item with many concurrent versions ends the conflict`(change: Change) throws {
    try plant(100, at: Self.times[0])
    var expected: [String: String] = ["account": "second"]
    switch change {
    case .deleteByName:
      #expect(try app.delete(name, in: group))
      expected = [:]
    case .deleteByQuery:
      #expect(try app.delete(ItemQuery<GenericPassword>(in: group)) == 1)
      expected = [:]
    case .deleteByIdentifier:
      _ = try app.delete(#require(try heads(in: group).first).header.item)
      expected = [:]
    case .update:
      #expect(try app.update(name, in: group, value: "second") { $0.comment = "new" })
    case .rename:
      #expect(try app.update(name, in: group, value: "second") { $0.account = "renamed" })
      expected = ["renamed": "second"]
    case .move:
      #expect(try app.update(name, in: group, value: "second", movingTo: other) { _ in })
    case .becomeLocal:
      #expect(try app.update(name, in: group, value: "second") { $0.accessibility = .whenUnlockedThisDeviceOnly })
    case .restore:
      let versions = try app.history(of: name, in: group).versions
      try app.restore(#require(try versions.first { try app.value(of: $0) == Data("first".utf8) }))
      expected = ["account": "first"]
    case .replaceSeen, .deleteSeen:
      let item = try #require(try heads(in: group).first).header.item
      let address = ItemAddress(group: try #require(try heads(in: group).first).header.group, item: item)
      let revision = try #require(try app.revisions(at: [address]).first)
      #expect(ItemRevision(text: revision.text) == revision && revision.text.utf8.count < 4_096)
      if change == .replaceSeen {
        _ = try app.replace(revision, movingTo: nil) { $1.value = Array("second".utf8) }
      } else {
        let deleted = try app.delete([revision])
        #expect(try app.list(GenericPassword.self).items.isEmpty)
        try app.restore(deleted)
        expected = ["account": "evil"]
      }
    case .setTransactionally:
      try app.transaction {
        try app.set("between", for: name, in: group)
        try app.set("second", for: name, in: group)
      }
    }
    let items = try app.list(GenericPassword.self).items
    let values = try items.map { ($0.item.account, try app.string(for: $0.item, in: $0.accessGroup) ?? "") }
    #expect(Dictionary(values) { first, _ in first } == expected)
    #expect(items.allSatisfy { !$0.hasConflict })
    #expect(try app.conflicts(GenericPassword.self).isEmpty)
    #expect(Dictionary(grouping: try heads(in: group), by: \.header.item).values.allSatisfy { $0.count == 1 })
  }

  @Test func `A version that stays on this machine follows the one before, and what other machines have of the item`()
    throws
  {
    #expect(try app.update(name, in: group) { $0.accessibility = .whenUnlockedThisDeviceOnly })
    var before = try #require(try heads(in: group).first)
    let shared = before.header.bases
    #expect(before.header.isDeviceLocal && !shared.isEmpty)
    for value in ["second", "third"] {
      try app.set(value, for: name, in: group)
      let last = try #require(try heads(in: group).first)
      #expect(last.header.isDeviceLocal && Set(last.header.bases) == Set(shared + [before.hash]))
      before = last
    }
  }

  @Test(arguments: [14, 15, 16]) func `The text of a revision is read again, however many heads it names`(count: Int)
    throws
  {
    try plant(count, at: Self.times[0])
    let head = try #require(try heads(in: group).first).header
    let revision = try #require(try app.revisions(at: [ItemAddress(group: head.group, item: head.item)]).first)
    #expect(ItemRevision(text: revision.text) == revision)
    #expect(try app.delete([revision]).count == 1)
  }

  @Test func `What a read has verified is saved, so that no later one verifies it again`() throws {
    try plantMany(500)
    #expect(try app.history(of: name, in: group).versions.count == 501)
    let count = try Command.run("sqlite3", fixture.local.folder.storePath, "SELECT count(*) FROM verified")
    #expect(try #require(Int(count)) >= 500)
  }

  /// The calls that read every concurrent version of an item.
  enum Reading: CaseIterable {
    case list, conflicts, history, listOfService

    func run(_ app: Vault, _ name: GenericPassword) throws -> Int {
      switch self {
      case .list: try app.list(GenericPassword.self).items.count
      case .listOfService: try app.list(ItemQuery<GenericPassword>().matching(.service, name.service)).items.count
      case .conflicts: try app.conflicts(GenericPassword.self).reduce(0) { $0 + $1.versions.count }
      case .history: try app.history(of: name, in: "com.example.shared").versions.count(where: \.isInConflict)
      }
    }
  }

  @Test(arguments: Reading.allCases)
  func `What reads the concurrent versions of an item takes steps in proportion to them, and not to their square`(
    reading: Reading
  ) throws {
    func steps() throws -> Int {
      // The first time verifies new versions and saves that.
      let count = try reading.run(app, name)
      let before = app.local.store.stepCount
      #expect(try reading.run(app, name) == count)
      return app.local.store.stepCount - before
    }
    try plantMany(500)
    let few = try steps()
    try plantMany(1_500)
    let many = try steps()
    // 4 times as many; their square is 16 times as large.
    #expect(few > 0 && many < 5 * few, "\(few) steps, \(many) steps")
    if reading == .conflicts || reading == .history { #expect(try reading.run(app, name) == 2_001) }
  }

  @Test func `What a write leaves for machines that lack its last record wins over no version that is damaged here`()
    throws
  {
    try plant(40, at: Timestamp(microseconds: Timestamp.now.microseconds - 31_536_000_000_000))
    let before = try heads(in: group)
    try Command.run(
      "sqlite3", fixture.local.folder.storePath, "UPDATE record SET signed = zeroblob(length(signed))")
    try app.set("second", for: name, in: group)
    #expect(try app.string(for: name) == "second")
    let all = try fixture.local.store.read { reader in
      try reader.versions(of: before[0].header.item, in: before[0].header.group).compactMap { try? $0.record() }
    }
    let covers = all.filter(\.header.isTombstone)
    #expect(before.count == 41 && covers.count == 2)
    #expect(covers.allSatisfy { cover in before.allSatisfy { $0.wins(over: cover) } })
  }

  @Test func `What a write leaves for machines that lack its last record wins over no version`() throws {
    try plant(40, at: Self.times[0])
    let before = try heads(in: group)
    try app.set("second", for: name, in: group)
    let id = before[0].header.group
    let all = try fixture.local.store.read { reader in
      try reader.versions(of: before[0].header.item, in: id).map { try $0.record() }
    }
    let covers = all.filter(\.header.isTombstone)
    #expect(covers.count == 2 && covers.allSatisfy { $0.header.bases.count <= 16 && !$0.header.isDeviceLocal })
    #expect(covers.allSatisfy { cover in before.allSatisfy { $0.wins(over: cover) } })
    // The last record names one of the versions itself, so that one of them stays a head without it.
    let last = try #require(try heads(in: group).first)
    #expect(last.header.bases.contains { base in before.contains { $0.hash == base } })
  }
}
