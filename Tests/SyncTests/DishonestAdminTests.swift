import Coffer
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// An admin that states what is valid and harmful, before it is removed and the vault key is replaced.
@Suite struct DishonestAdminTests {
  private let suite: ThreeMachines
  private let group = "com.example.photo.pro"

  init() throws {
    suite = try ThreeMachines()
    try suite.desktop.set("old", "before")
    try suite.sync(suite.desktop, suite.laptop, suite.third)
  }

  /// Publishes a statement as the desktop's admin, after the end of its log.
  private func state(_ statement: Statement) throws {
    try suite.remote.put(suite.desktop.sealEntry(statement, after: suite.desktop.local.membership().head))
    try suite.sync(suite.desktop, suite.laptop, suite.third)
  }

  /// Removes the desktop, replaces the vault key and clones the vault with the new one. Returns the clone.
  private func recover() throws -> Machine {
    let revocation = try suite.remove(on: suite.laptop, "device", "revoke", "desktop")
    #expect(revocation.exitCode == 0, "\(revocation)")
    let key = try suite.rotate()
    let clone = try suite.clone(named: "later", key: key)
    try suite.sync(suite.laptop, suite.third, clone)
    try suite.expectSound(suite.laptop, suite.third, clone)
    return clone
  }

  @Test func `Apps whose public keys cannot be used keep nobody from removing the admin who named them`() throws {
    let membership = try suite.laptop.local.membership()
    let laptop = try #require(suite.laptop.local.machine(in: membership)?.id)
    for app in membership.apps.values {
      let keys = PartyPublicKeys(verifying: PartyKeys.random().publicKeys.verifying, box: BoxKey(.zero))
      try state(.principal(PrincipalStatement(app: app.registration, device: laptop, keys: keys)))
    }
    #expect(try recover().values() == ["old": "before"])
    try suite.laptop.set("new", "after")
    try suite.sync(suite.laptop, suite.third)
    #expect(try suite.third.values() == ["old": "before", "new": "after"])
  }

  /// Signs the removal of an app from a machine as the desktop's admin. Returns its entries, the revocation first.
  private func signRemoval(lists: [Bytes32] = []) throws -> [SealedEntry] {
    let membership = try suite.desktop.local.membership()
    let author = try #require(membership.authors.values.first { $0.application != nil })
    let cut = RevocationStatement.CutAuthor(author: author.id, groups: nil)
    let groups = membership.groupsToRenew(afterCutting: [cut])
    let keys = groups.map { group in
      GroupKeys.random(group: group.id).later(generation: UInt32(group.generations.count) + 1)
    }
    let statement = RevocationStatement(
      machines: [], apps: [], authors: [cut], recordCount: UInt64(lists.count), recordLists: lists,
      followingEntries: UInt32(keys.count),
      keys: keys.map { NewKey(group: $0.group, generation: $0.generation, commitment: $0.commitment) })
    var entries = [try suite.desktop.sealEntry(.revocation(statement), after: membership.head)]
    for (group, keys) in zip(groups, keys) {
      let recipients = membership.recipients(of: group.name, at: .now).filter { $0 != author.id }
      let boxes = try recipients.map { recipient in
        let box = recipient == .root ? membership.root.box : try #require(membership.authors[recipient]).keys.box
        return AddressedBox(recipient: recipient, box: try box.seal(keys.secret))
      }
      let renewal = GroupKeyRenewalStatement(
        group: keys.group, generation: keys.generation, commitment: keys.commitment,
        wrappedGeneration: keys.generation - 1, wrapped: Random.bytes(count: 104), boxes: boxes)
      let last = try #require(entries.last).entry.position
      entries.append(try suite.desktop.sealEntry(.groupKeyRenewal(renewal), after: last))
    }
    return entries
  }

  /// Publishes a part of a removal, and expects that nobody can change the membership then.
  private func begin(_ removal: some Sequence<SealedEntry>, lacking words: String) throws {
    try suite.remote.put(Array(removal))
    for machine in [suite.laptop, suite.third] {
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("lacks \(words) of"), "\(sync)")
    }
    try suite.laptop.set("new", "after")
    let refused = try suite.remove(on: suite.laptop, "device", "revoke", "desktop")
    #expect(refused.exitCode == 6 && refused.errors.contains("or was never sent"), "\(refused)")
    #expect(refused.errors.contains("coffer log resolve"), "\(refused)")
  }

  /// A part of a removal that its signer keeps.
  enum Missing: CaseIterable { case entries, list }

  @Test(arguments: Missing.allCases)
  func `The owner gives up a removal whose rest never comes, removes its signer, and the rest changes nothing later`(
    missing: Missing
  ) throws {
    let vault = try suite.laptop.local.membership().vault
    let list = try #require(RecordList.lists(of: [RecordHash(.zero)], in: vault).first)
    let removal = try signRemoval(lists: missing == .list ? [list.hash] : [])
    try #require(removal.count > 1)
    try begin(
      missing == .list ? removal[...] : removal.prefix(1), lacking: missing == .list ? "a record list" : "entries")
    let head = try suite.laptop.status("headPhrase")
    let asked = try suite.laptop.run("coffer", "log", "resolve", "--vault-key-file", suite.key)
    #expect(asked.exitCode == 2 && asked.errors.contains("What is given up, on all machines"), "\(asked)")
    #expect(asked.errors.contains("remove it anew if that was meant"), "\(asked)")
    // Other machines may have all of it, and have written under its keys.
    #expect(asked.errors.contains("What was written there since stays closed") == (missing == .list), "\(asked)")
    #expect(try suite.laptop.status("headPhrase") == head)
    let wrong = try suite.laptop.directory.write(
      "wrong", "coffer-vault-key-1-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000")
    #expect(try suite.laptop.run("coffer", "log", "resolve", "--yes", "--vault-key-file", wrong).exitCode == 5)
    let outcome = try suite.laptop.run("coffer", "log", "resolve", "--yes", "--vault-key-file", suite.key)
    #expect(outcome.exitCode == 0 && outcome.text.contains("is given up"), "\(outcome)")
    #expect(try suite.laptop.status("logFork") == "none")
    let told = try suite.third.run("coffer", "sync")
    #expect(told.exitCode == 6 && told.errors.contains("to end the fork on the other branch"), "\(told)")
    let revocation = try suite.remove(on: suite.laptop, "device", "revoke", "desktop")
    #expect(revocation.exitCode == 0, "\(revocation)")
    try suite.third.coffer("clone", "--rejoin", "--accept-fork", suite.remote.path)
    let clone = try suite.clone(named: "later")
    for _ in 0..<2 { for machine in [suite.laptop, suite.third, clone] { _ = try machine.run("coffer", "sync") } }
    // The signer sends everything.
    try suite.remote.put(removal)
    _ = try suite.third.run("coffer", "sync")
    let last = try suite.clone(named: "last")
    for _ in 0..<2 { for machine in [suite.laptop, suite.third, clone] { _ = try machine.run("coffer", "sync") } }
    for machine in [suite.laptop, suite.third, clone, last] {
      try suite.sync(machine)
      #expect(try machine.values() == ["old": "before", "new": "after"])
      #expect(try machine.status("logFork") == "none")
      #expect(try machine.status("headPhrase") == last.status("headPhrase"))
      #expect(try !machine.coffer("device", "list").contains("desktop"))
    }
    try suite.expectSound(suite.laptop, suite.third, clone, last)
    #expect(try suite.third.addApp("next").exitCode == 0)
  }

  @Test func `A machine does not give up the entry that has enrolled it`() throws {
    let vault = try suite.laptop.local.membership().vault
    let list = try #require(RecordList.lists(of: [RecordHash(.zero)], in: vault).first)
    let removal = try signRemoval(lists: [list.hash])
    let keys = PartyKeys.random()
    let enrolment = try suite.desktop.sealEntry(
      .device(
        DeviceStatement(
          keys: keys.publicKeys, role: .member(delivery: AgreementKey.random().publicKey), name: "late")),
      after: #require(removal.last).entry.position)
    try suite.remote.put(removal + [enrolment])
    let late = try suite.third.copied(syncingWith: suite.remote)
    let local = try late.local
    let known = try local.deviceFile()
    try local.store.write { try $0.endOwnStreams() }
    try local.folder.deviceFile.write(
      DeviceFile(
        genesis: known.genesis, keys: keys, localSecret: known.localSecret, transportKeys: known.transportKeys))
    let refused = try late.run("coffer", "log", "resolve", "--yes", "--vault-key-file", suite.key)
    #expect(refused.exitCode == 6 && refused.errors.contains("this machine was enrolled after entry"), "\(refused)")
    #expect(try late.local.store.read { try $0.logLength() } == enrolment.entry.sequence)
    // A machine that was enrolled before it can.
    let outcome = try suite.laptop.run("coffer", "log", "resolve", "--yes", "--vault-key-file", suite.key)
    #expect(outcome.exitCode == 0 && outcome.text.contains("is given up"), "\(outcome)")
  }

  @Test func `A removal whose rest never comes also ends with the state before it, in another repository`() throws {
    let before = suite.remote.tip
    try begin(signRemoval().prefix(1), lacking: "entries")
    let other = try TemporaryRemote(copying: suite.remote)
    try other.serve(before)
    let clone = try Machine()
    try clone.coffer("clone", "--name", "later", "--no-passphrase", "--vault-key-file", suite.key, other.path)
    let removal = try suite.remove(on: clone, "device", "revoke", "desktop")
    #expect(removal.exitCode == 0, "\(removal)")
    for machine in [suite.laptop, suite.third] {
      try machine.coffer("clone", "--rejoin", "--accept-fork", other.path)
    }
    try suite.sync(clone, suite.laptop, suite.third)
    for machine in [clone, suite.laptop, suite.third] {
      #expect(try machine.values() == ["old": "before", "new": "after"])
    }
    try suite.expectSound(clone, suite.laptop, suite.third)
    #expect(try suite.laptop.addApp("next").exitCode == 0)
  }

  @Test func `A group key that does not lead to the earlier ones closes nothing to the holder of a later vault key`()
    throws
  {
    let local = try suite.desktop.local
    let membership = try local.membership()
    let admin = try local.folder.adminFile.read { try AdminFile(secretBytes: $0).open(passphrase: nil) }
    let name = try #require(AccessGroupName("\(membership.team).\(group)"))
    let registered = try #require(membership.groups[GroupID(vault: membership.vault, name: name.description)])
    let reader = AuthorID(vault: membership.vault, keys: admin.publicKeys)
    let keys = try #require(try registered.keys(for: reader, opening: admin.agreement).last).later(generation: 2)
    let boxes = try membership.recipients(of: name, at: .now).map { recipient in
      let box = recipient == .root ? membership.root.box : try #require(membership.authors[recipient]).keys.box
      return AddressedBox(recipient: recipient, box: try box.seal(keys.secret))
    }
    try state(
      .groupKeyRenewal(
        GroupKeyRenewalStatement(
          group: keys.group, generation: 2, commitment: keys.commitment, wrappedGeneration: 1,
          wrapped: Random.bytes(count: 104), boxes: boxes)))
    try suite.laptop.set("between", "under the second key")
    try suite.sync(suite.laptop)
    #expect(try recover().values() == ["old": "before", "between": "under the second key"])
  }

  @Test func `Groups whose keys root cannot open keep nobody from removing the admin who made them`() throws {
    let membership = try suite.laptop.local.membership()
    let worthless = AddressedBox(recipient: .root, box: Random.bytes(count: 112))
    for (name, boxes) in [("none", []), ("worthless", [worthless])] {
      let keys = GroupKeys.random(group: GroupID(vault: membership.vault, name: "\(membership.team).\(name)"))
      try state(
        .groupKey(
          GroupKeyStatement(
            name: "\(membership.team).\(name)", commitment: keys.commitment, boxes: boxes)))
    }
    let recovered = try recover()
    #expect(try recovered.values() == ["old": "before"])
    let groups = try recovered.local.membership().groups.values
    #expect(groups.allSatisfy { $0.generations.count == 3 && $0.generations[2].boxes[.root] != nil })
  }

  @Test func `A key that anybody seals to the new root prevents no clone`() throws {
    let key = try suite.rotate()
    try suite.sync(suite.laptop, suite.third)
    let membership = try suite.laptop.local.membership()
    // Its generation is one that the new root opens only through later ones.
    let planted = TransportKey(generation: 1, key: .random())
    let boxes = [try membership.root.box.seal(planted.key.secret)]
    let entry = try suite.desktop.sealEntry(
      .transportKey(
        TransportKeyStatement(generation: 1, commitment: planted.commitment, wrappedPrevious: [], boxes: boxes)),
      after: membership.head
    ).entry
    let envelope = Envelope(
      sealing: entry.bytes, as: .logEntry, key: planted.key, generation: 1, boxes: boxes)
    try suite.remote.put(
      SealedEntry(entry: entry, path: "log/\(entry.sequence / 64)/\(entry.sequence)", file: envelope.bytes))
    let clone = try suite.clone(named: "later", key: key)
    #expect(try clone.values() == ["old": "before"])
  }

  @Test func `The first root's slot is never replaced, also by that root`() throws {
    let genesis = try suite.laptop.local.membership().genesis
    let old = try VaultKey(parsing: SecretText(copying: String(contentsOfFile: suite.key, encoding: .utf8).utf8))
    let root = try RootSlot.first(bytes: suite.remote.bytes(of: "root"), of: genesis).open(with: old)
    _ = try suite.rotate()
    try suite.sync(suite.third)
    let worthless = RootSlot(genesis: genesis, generation: 1, root: root, under: .random())
    try suite.remote.tamper { try Data(worthless.bytes).write(to: $0.appending(path: "root")) }
    let sync = try suite.third.run("coffer", "sync")
    #expect(
      sync.exitCode == 6
        && sync.errors.contains("has a root slot that is not valid: it is not the one that this machine has"), "\(sync)"
    )
    let check = try suite.third.run("coffer", "vault-key", "check", "--vault-key-file", suite.key)
    #expect(check.exitCode == 5 && check.errors.contains("was replaced on"), "\(check)")
    try suite.third.sync()
  }
}
