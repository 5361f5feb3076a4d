import Coffer
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

/// A machine that was removed from the vault, and a thief with all of its files.
@Suite struct RevokedMachineTests {
  private let suite: ThreeMachines
  /// The desktop's files before it was removed.
  private let copy: Machine
  private let group = "com.example.photo.pro"

  init() throws {
    suite = try ThreeMachines()
    try suite.desktop.set("old", "by the desktop")
    try suite.sync(suite.desktop, suite.laptop, suite.third)
    copy = try suite.desktop.copied()
  }

  private func forge(
    _ value: String, _ account: String = "old", over bases: [RecordHash] = [], time: Int64 = 60
  ) throws -> Record {
    try copy.forge(Array(value.utf8), account: account, in: group, by: app, bases: bases, time: time)
  }

  private func segment(
    _ records: [Record], after previous: StreamPosition? = nil, inPlaceOf other: StreamPosition? = nil
  ) throws -> SealedSegment {
    let id = GroupID(vault: try copy.local.membership().vault, name: try "\(copy.local.membership().team).\(group)")
    return try copy.sealSegment(of: records.map(\.bytes), in: id, after: previous, inPlaceOf: other)
  }

  /// Expects that a machine refuses what the remote shows, names it, and keeps the record as a refused one.
  private func expectRefused(by machine: Machine, naming words: String, refused: String = "1") throws {
    let sync = try machine.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains(words), "\(sync)")
    #expect(try machine.status("refusedRecords") == refused)
    #expect(try machine.coffer("status").contains("Refused "))
    #expect(try machine.get("old") == "by the desktop")
  }

  // MARK: The machine itself

  @Test func `A revoked machine's commands say that it was removed, by whom and when; its older items open`() throws {
    try suite.revoke()
    try suite.laptop.set("new", "after")
    try suite.sync(suite.laptop)
    for machine in [suite.desktop, copy] {
      for command in [
        ["sync"], ["set", "service", "x", "--app", app], ["delete", "service", "old", "--app", app],
        ["set", "service", "x", "--group", group], ["app", "add", Machine.entitlements(of: "PhotoFree")],
        ["app", "remove", app, "--yes"], ["app", "install", app],
      ] {
        let outcome = try machine.start("coffer", command, input: Data("value".utf8)).wait()
        #expect(outcome.exitCode == 4, "\(command): \(outcome)")
        let words = /this machine was removed from the vault on [0-9]{4}-[0-9-]+ [0-9:]+ by the vault key/
        #expect(outcome.errors.contains(words), "\(command): \(outcome)")
      }
      #expect(try machine.coffer("status").contains("Removed"))
      #expect(try machine.status("revocation").contains("by the vault key"))
      #expect(try machine.values() == ["old": "by the desktop"])
    }
    #expect(try suite.laptop.status("revocation") == "none")
    #expect(!(try suite.laptop.coffer("device", "list").contains("desktop")))
    #expect(try suite.laptop.coffer("device", "list", "--revoked").contains("removed"))
  }

  @Test func `A revoked machine's error names the command that exports what only it has`() throws {
    try suite.desktop.set("unsent", "only here")
    try suite.revoke()
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.errors.contains("`coffer export json FILE --app APP`"), "\(sync)")
    let file = suite.desktop.directory.path("export.json")
    try suite.desktop.coffer("export", "json", file, "--app", app, "--yes")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("only here"))
  }

  @Test func `Nothing on the remote that was written after the revocation opens with a revoked machine's keys`() throws
  {
    let before = Set(try suite.remote.files())
    try suite.revoke()
    try suite.laptop.set("new", "after")
    try suite.sync(suite.laptop)
    let keys = try copy.local.deviceFile()
    let admin = try copy.local.folder.adminFile.read { try AdminFile(secretBytes: $0).open(passphrase: nil) }
    let credential = try copy.local.folder.credentialFile(of: copy.local.application(named: app))
    let own = try credential.read(Credential.self).open(passphrase: nil, in: copy.local.membership().vault)
    let parties = [keys.keys, admin, own]
    var opened: [String] = []
    for path in try suite.remote.files() where !before.contains(path) {
      let envelope = try Envelope(bytes: suite.remote.bytes(of: path))
      let boxed = parties.compactMap {
        TransportKey(introducedBy: envelope, openedBy: $0.agreement, mixing: keys.transportKeys)
      }
      #expect(boxed.isEmpty, "\(path)")
      if let key = keys.transportKey(envelope.generation), (try? envelope.open(with: key.key)) != nil {
        opened.append(path)
      }
    }
    // Only the revocation itself, so that the machine can say what happened, and the list of its own records.
    #expect(opened.map { $0.prefix(4) }.sorted() == ["list", "log/"], "\(opened)")
    // Even with the log of a member, it has none of the new group keys.
    let membership = try suite.laptop.local.membership()
    for registered in membership.groups.values {
      for party in parties.dropFirst() {
        let id = AuthorID(vault: membership.vault, keys: party.publicKeys)
        let found = try registered.keys(for: id, opening: party.agreement).map(\.generation)
        #expect(registered.generations.count == 2 && !found.contains(2), "\(registered.name)")
      }
    }
    // Nor does the store of a member help.
    try copy.replaceStore(by: suite.laptop)
    for arguments in [["--app", app], ["--group", group]] {
      let get = try copy.start("coffer", ["get", "service", "new"] + arguments).wait()
      #expect(get.exitCode == 4 && get.errors.contains("removed") && get.output.isEmpty, "\(get)")
    }
  }

  // MARK: What it pushes

  @Test func `Segments of a revoked machine after its last one are refused, named and removed; their records are kept`()
    throws
  {
    let last = try copy.lastOwnSegment()
    let planted = try [
      segment([forge("forged")], after: last), segment([forge("forged too", time: 70)]),
    ]
    try suite.revoke()
    try suite.remote.put(planted)
    // Files are removed by the next commit.
    try suite.third.set("third", "value")
    try expectRefused(by: suite.third, naming: "it was written after desktop was revoked", refused: "2")
    #expect(Set(try suite.remote.files()).isDisjoint(with: planted.map(\.path)))
    // The other machine sees the same when the host shows them again.
    try suite.remote.put(planted)
    try suite.laptop.set("laptop", "value")
    try expectRefused(by: suite.laptop, naming: "it was written after desktop was revoked", refused: "2")
    #expect(Set(try suite.remote.files()).isDisjoint(with: planted.map(\.path)))
    try suite.sync(suite.third, suite.laptop)
    try suite.expectSound(suite.third, suite.laptop)
  }

  @Test func `A segment in place of one that a revoked machine had published replaces nothing`() throws {
    // The stream has two segments, so that the one in question is not the last one.
    try suite.desktop.set("second", "by the desktop")
    try suite.sync(suite.desktop, suite.laptop, suite.third)
    let last = try suite.desktop.lastOwnSegment()
    let first = try #require(
      try suite.desktop.local.store.read { try $0.segment(last.stream, 0) })
    let planted = try segment([forge("forged")], inPlaceOf: first.position)
    let path = planted.path
    let genuine = try suite.remote.bytes(of: path)
    try suite.revoke()
    try suite.sync(suite.third)
    for machine in [suite.laptop, suite.third] {
      try suite.remote.put([planted])
      try expectRefused(by: machine, naming: "it is not the one that desktop had published before it was revoked")
      #expect(try suite.remote.bytes(of: path) == genuine)
    }
    try suite.sync(suite.third, suite.laptop)
    try suite.expectSound(suite.third, suite.laptop)
    // A machine that sees the planted one first takes the genuine one as soon as it is shown.
    try suite.remote.put([planted])
    let later = try Machine()
    _ = try later.run(
      "coffer", "clone", "--name", "later", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    _ = try suite.laptop.run("coffer", "sync")
    _ = try later.run("coffer", "sync")
    try suite.sync(later)
    #expect(try later.values() == ["old": "by the desktop", "second": "by the desktop"])
    #expect(try later.status("refusedRecords") == "1")
  }

  @Test func `A record of a revoked machine is refused also if its segment names a later entry of the log`() throws {
    try suite.revoke()
    try suite.sync(suite.third)
    let id = GroupID(vault: try copy.local.membership().vault, name: try "\(copy.local.membership().team).\(group)")
    let ahead = LogPosition(sequence: 1 << 40, hash: EntryHash(.zero))
    try suite.remote.put([copy.sealSegment(of: [forge("forged").bytes], in: id, log: ahead)])
    try expectRefused(by: suite.third, naming: "it was written after desktop was revoked")
    #expect(try suite.third.status("pendingRecords") == "0")
    #expect(try suite.third.coffer("refused").contains("old"))
  }

  @Test func `What a revoked machine states of segments counts for nothing`() throws {
    let nowhere = StreamPosition(stream: .random(), number: 7, hash: SegmentHash(.zero))
    let id = GroupID(vault: try copy.local.membership().vault, name: try "\(copy.local.membership().team).\(group)")
    let planted = try copy.sealSegment(of: [], in: id, seen: [nowhere])
    try suite.remote.put([planted])
    let words = "which desktop has seen there"
    for machine in [suite.laptop, suite.third] {
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains(words), "\(sync)")
    }
    try suite.revoke()
    for machine in [suite.third, suite.laptop] {
      _ = try machine.run("coffer", "sync")
      #expect(!(try machine.coffer("sync").contains(words)))
    }
    // Nor what it states after that.
    try suite.remote.put([copy.sealSegment(of: [], in: id, seen: [nowhere])])
    try suite.third.set("third", "value")
    for machine in [suite.third, suite.laptop] {
      #expect(!(try machine.run("coffer", "sync").errors.contains(words)))
      #expect(!(try machine.coffer("sync").contains(words)))
    }
  }

  @Test func `A segment of a revoked machine leaves the remote also if there is no space to keep its records`() throws {
    try suite.revoke()
    try suite.sync(suite.third)
    let planted = try segment([forge("forged")])
    try suite.remote.put([planted])
    let problems = try suite.third.syncKeeping(10)
    #expect(problems.contains { $0.contains("it was written after desktop was revoked") }, "\(problems)")
    #expect(problems.contains { $0.contains("1 refused record of desktop cannot be kept") }, "\(problems)")
    #expect(!(try suite.remote.files().contains(planted.path)))
    #expect(try suite.third.status("refusedRecords") == "0")
    try suite.sync(suite.third)
  }

  @Test func `An entry that a removed admin signs after its removal is refused, named and removed`() throws {
    try suite.revoke()
    let file = try copy.sealEntry(after: suite.laptop.local.membership().head)
    for machine in [suite.third, suite.laptop] {
      if machine === suite.third { try suite.sync(machine) }
      try suite.remote.put(file)
      try machine.set("a", "value")
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("that is not valid"), "\(sync)")
      #expect(!(try suite.remote.files().contains(file.path)))
    }
    #expect(try suite.third.addApp("other").exitCode == 0)
  }

  @Test func `A removed admin cannot fork the log before its removal`() throws {
    let before = try copy.local.membership().head
    let file = try copy.sealEntry(after: before)
    try suite.revoke()
    let genuine = try suite.remote.bytes(of: file.path)
    try suite.sync(suite.third)
    for machine in [suite.third, suite.laptop] {
      try suite.remote.put(file)
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("log entry \(before.sequence + 1)"), "\(sync)")
      #expect(try machine.status("logFork") == "none")
      #expect(try suite.remote.bytes(of: file.path) == genuine)
    }
    #expect(try suite.third.addApp("other").exitCode == 0)
    try suite.sync(suite.laptop)
    #expect(try suite.third.status("headPhrase") == suite.laptop.status("headPhrase"))
  }

  // MARK: What others pass on

  @Test func `A record that a revoked machine writes later is refused in the segment of another machine too`() throws {
    let record = try forge("forged")
    try suite.revoke()
    try suite.sync(suite.third)
    try suite.remote.put([suite.third.sealSegment(of: [record.bytes], in: record.header.group)])
    try expectRefused(by: suite.laptop, naming: "refused 1 record by")
    try expectRefused(by: suite.third, naming: "refused 1 record by")
    try suite.expectSound(suite.laptop, suite.third)
  }

  @Test func `A record of a revoked machine that is planted in a store with its marks and tokens is not read`() throws {
    let base = try #require(try suite.third.heads(of: forge("")).first)
    let record = try forge("forged", over: [base])
    let fresh = try forge("forged", "fresh")
    try suite.revoke()
    try suite.sync(suite.third)
    _ = try suite.third.local.store.write { writer in
      for record in [record, fresh] { try writer.insert(record, validity: .valid, intoOutbox: true) }
    }
    #expect(try suite.third.values() == ["old": "by the desktop"])
    let get = try suite.third.run("coffer", "get", "service", "fresh", "--app", app)
    #expect(get.exitCode == 3 && get.output.isEmpty, "\(get)")
    _ = try suite.third.run("coffer", "sync")
    _ = try suite.laptop.run("coffer", "sync")
    for machine in [suite.third, suite.laptop] {
      #expect(try machine.values() == ["old": "by the desktop"])
      #expect(try machine.status("refusedRecords") == "2")
    }
    try suite.expectSound(suite.laptop, suite.third)
  }

  // MARK: What it had written

  @Test func `What a revoked machine had written stays valid on machines that learn of it only later`() throws {
    try suite.desktop.set("waiting", "by the desktop")
    try suite.sync(suite.desktop, suite.laptop)
    try suite.revoke()
    try suite.laptop.set("new", "after")
    try suite.sync(suite.laptop)
    let later = try suite.clone(named: "later")
    let expected = ["old": "by the desktop", "waiting": "by the desktop", "new": "after"]
    // The third imports the segments only with the revocation.
    try suite.sync(suite.third)
    for machine in [later, suite.third, suite.laptop] {
      #expect(try machine.values() == expected)
      #expect(try machine.status("refusedRecords") == "0")
      #expect(try machine.coffer("check", "--repair") == "The store matches its signed objects.")
    }
    try later.set("from the clone", "value")
    try suite.sync(later, suite.laptop, suite.third)
    #expect(try suite.third.get("from the clone") == "value")
    #expect(try later.addApp("other").exitCode == 0)
  }

  @Test func `A store that is rebuilt after a revocation has what counts, and refuses the rest`() throws {
    try suite.revoke()
    try suite.sync(suite.third)
    try suite.third.coffer("clone", "--rejoin", suite.remote.path)
    #expect(try suite.third.values() == ["old": "by the desktop"])
    try suite.remote.put([segment([forge("forged")])])
    try expectRefused(by: suite.third, naming: "it was written after desktop was revoked")
    try suite.expectSound(suite.third)
  }

  @Test func `A segment that a host shows only to one machine before the revocation is withdrawn with it`() throws {
    let base = try #require(try suite.third.heads(of: forge("")).first)
    let shown = suite.remote.tip
    let record = try forge("forged", over: [base])
    let planted = try segment([record], after: copy.lastOwnSegment())
    try suite.remote.put([planted])
    try suite.sync(suite.third)
    #expect(try suite.third.get("old") == "forged")
    try suite.third.set("beside", "value")
    try suite.remote.serve(shown)
    try suite.revoke()
    let sync = try suite.third.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("refused"), "\(sync)")
    #expect(try suite.third.get("old") == "by the desktop")
    #expect(try suite.third.heads(of: record) == [base])
    #expect(try suite.third.status("refusedRecords") == "1")
    #expect(!(try suite.remote.files().contains(planted.path)))
    _ = try suite.laptop.run("coffer", "sync")
    for machine in [suite.laptop, suite.third] {
      #expect(try machine.values() == ["old": "by the desktop", "beside": "value"])
    }
    try suite.expectSound(suite.third, suite.laptop)
  }
}
