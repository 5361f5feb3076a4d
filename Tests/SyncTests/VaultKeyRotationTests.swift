import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// The vault key is replaced, and the old one opens nothing new.
@Suite struct VaultKeyRotationTests {
  private let suite: ThreeMachines
  private let group = "com.example.photo.pro"

  init() throws {
    suite = try ThreeMachines()
    try suite.desktop.set("old", "before")
    try suite.sync(suite.desktop, suite.laptop, suite.third)
  }

  @Test func `After a rotation the new vault key clones the vault, and the old one says when it was replaced`() throws {
    let before = Set(try suite.remote.files())
    let new = try suite.rotate()
    try suite.laptop.set("new", "after")
    try suite.sync(suite.laptop, suite.desktop, suite.third)
    for machine in [suite.laptop, suite.desktop, suite.third] {
      #expect(try machine.values() == ["old": "before", "new": "after"])
      #expect(try machine.status("vaultKeyNumber") == "2")
      #expect(try machine.coffer("status").contains("number 2, since 20"))
      #expect(try machine.status("headPhrase") == suite.laptop.status("headPhrase"))
      #expect(try machine.coffer("vault-key", "check", "--vault-key-file", new).contains("number 2"))
      let check = try machine.run("coffer", "vault-key", "check", "--vault-key-file", suite.key)
      #expect(check.exitCode == 5 && check.errors.contains(/this vault key was replaced on [0-9]{4}-/), "\(check)")
    }
    // Who was there before goes on without doing anything.
    try suite.desktop.set("by the desktop", "later")
    try suite.sync(suite.desktop, suite.laptop)
    let later = try suite.clone(named: "later", key: new)
    #expect(try later.values() == ["old": "before", "new": "after", "by the desktop": "later"])
    try later.set("by the clone", "value")
    try suite.sync(later, suite.third)
    #expect(try suite.third.get("by the clone") == "value")
    let clone = try Machine().run(
      "coffer", "clone", "--name", "late", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    let words = /this vault key was replaced on [0-9]{4}-.*entry [0-9]+/
    #expect(clone.exitCode == 5 && clone.errors.contains(words), "\(clone)")
    // Files are added and never changed.
    #expect(before.isSubset(of: try suite.remote.files()))
    #expect(try suite.remote.files().filter { $0.hasPrefix("roots/") }.count == 1)
    try suite.expectSound(suite.laptop, suite.desktop, suite.third, later)
  }

  @Test func `A machine that has lost its store does not rejoin a log from before the rotation`() throws {
    let before = suite.remote.tip
    _ = try suite.rotate()
    let after = suite.remote.tip
    try suite.sync(suite.third)
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: suite.third.vault.path + "/store.sqlite" + suffix)
    }
    // No app has seen the rotation either.
    try FileManager.default.removeItem(at: suite.third.vault.appending(path: "apps"))
    try suite.remote.serve(before)
    let rejoin = try suite.third.run("coffer", "clone", "--rejoin", suite.remote.path)
    let words = "does not introduce the transport key 2, which this machine has"
    #expect(rejoin.exitCode == 6 && rejoin.errors.contains(words), "\(rejoin)")
    try suite.remote.serve(after)
    try suite.third.coffer("clone", "--rejoin", suite.remote.path)
    #expect(try suite.third.status("vaultKeyNumber") == "2")
  }

  @Test func `Every vault key is told apart from its predecessors`() throws {
    let second = try suite.rotate()
    let third = try suite.rotate(with: second)
    try suite.sync(suite.desktop)
    for machine in [suite.laptop, suite.desktop] {
      for old in [suite.key, second] {
        let check = try machine.run("coffer", "vault-key", "check", "--vault-key-file", old)
        #expect(check.exitCode == 5 && check.errors.contains("was replaced on"), "\(check)")
        let revoke = try machine.run("coffer", "device", "revoke", "third", "--vault-key-file", old, "--yes")
        #expect(revoke.exitCode == 5 && revoke.errors.contains("was replaced on"), "\(revoke)")
        let clone = try Machine().run(
          "coffer", "clone", "--name", "late", "--no-passphrase", "--vault-key-file", old, suite.remote.path)
        #expect(clone.exitCode == 5 && clone.errors.contains("was replaced on"), "\(clone)")
      }
      #expect(try machine.coffer("vault-key", "check", "--vault-key-file", third).contains("number 3"))
    }
    try suite.laptop.coffer("device", "revoke", "third", "--vault-key-file", third, "--yes")
    #expect(try suite.clone(named: "later", key: third).values() == ["old": "before"])
    #expect(try suite.laptop.coffer("log", "--kind", "succession").contains("was replaced by another vault key"))
  }

  @Test func `Nothing on the remote that is written after a rotation opens with the old vault key`() throws {
    let before = Set(try suite.remote.files())
    let genesis = try suite.laptop.local.membership().genesis
    let key = try VaultKey(parsing: SecretText(copying: String(contentsOfFile: suite.key, encoding: .utf8).utf8))
    let slot = try RootSlot.first(bytes: suite.remote.bytes(of: "root"), of: genesis)
    let root = try slot.open(with: key)
    let transport = try suite.laptop.local.deviceFile().transportKeys
    try suite.rotate()
    try suite.laptop.set("new", "after")
    try suite.sync(suite.laptop)
    var opened: [Statement?] = []
    for path in try suite.remote.files() where !before.contains(path) {
      let bytes = try suite.remote.bytes(of: path)
      if path.hasPrefix("roots/") {
        #expect(throws: CryptoError.authenticationFailed) { try RootSlot(bytes: bytes, of: genesis).open(with: key) }
        continue
      }
      let envelope = try Envelope(bytes: bytes)
      let boxed = TransportKey(introducedBy: envelope, openedBy: root.agreement, mixing: transport)
      #expect(boxed == nil, "\(path)")
      guard let known = transport.first(where: { $0.generation == envelope.generation }),
        let object = try? envelope.open(with: known.key)
      else { continue }
      opened.append(try Statement.parse(LogEntry(bytes: object)))
    }
    // Only the succession itself, so that the old key's holder can read what happened.
    #expect(opened.count == 1)
    guard case .succession? = opened.first ?? nil else { throw MissingEntry() }
    // Even a member's log and store have no new key for the old root.
    let membership = try suite.laptop.local.membership()
    #expect(membership.groups.count == 3)
    for registered in membership.groups.values {
      #expect(try registered.keys(for: .root, opening: root.agreement).map(\.generation) == [1], "\(registered.name)")
    }
  }

  private struct MissingEntry: Error {}

  @Test func `A vault without a remote gets a new vault key twice, and keeps the last one when it gets a remote`()
    throws
  {
    let machine = try Machine()
    let first = try machine.makeVault()
    try machine.register("PhotoPro")
    try machine.set("old", "before")
    var keys = [first]
    for number in 2...3 {
      let next = machine.directory.path("key-\(number)")
      try machine.coffer("vault-key", "rotate", "--vault-key-file", keys[keys.count - 1], "--new-vault-key-file", next)
      try machine.set("item \(number)", "value")
      keys.append(next)
    }
    let remote = try TemporaryRemote()
    try machine.coffer("remote", "set", remote.path)
    try machine.sync()
    let clone = try Machine()
    try clone.coffer("clone", "--name", "clone", "--no-passphrase", "--vault-key-file", keys[2], remote.path)
    #expect(try clone.values() == ["old": "before", "item 2": "value", "item 3": "value"])
    for old in keys.prefix(2) {
      let outcome = try Machine().run(
        "coffer", "clone", "--name", "late", "--no-passphrase", "--vault-key-file", old, remote.path)
      #expect(outcome.exitCode == 5 && outcome.errors.contains("was replaced on"), "\(outcome)")
    }
    try machine.sync()
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
  }

  @Test
  func `The first push after a rotation without a remote seals no segment under a key that the old vault key opens`()
    throws
  {
    let machine = try Machine()
    let first = try machine.makeVault()
    try machine.register("PhotoPro")
    try machine.set("old", "before")
    let next = machine.directory.path("next")
    try machine.coffer("vault-key", "rotate", "--vault-key-file", first, "--new-vault-key-file", next)
    try machine.set("new", "after")
    let remote = try TemporaryRemote()
    try machine.coffer("remote", "set", remote.path)
    try machine.sync()
    let segments = try remote.files().filter { $0.hasPrefix("segments/") }
    #expect(!segments.isEmpty)
    for path in segments { #expect(try Envelope(bytes: remote.bytes(of: path)).generation == 2, "\(path)") }
    let clone = try Machine()
    try clone.coffer("clone", "--name", "clone", "--no-passphrase", "--vault-key-file", next, remote.path)
    #expect(try clone.values() == ["old": "before", "new": "after"])
    try machine.sync()
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
  }

  // MARK: What the host withholds

  @Test func `A rotation without the entries that belong to it has no effect, and follows with them`() throws {
    let before = try suite.laptop.local.membership().head.sequence
    let new = try suite.rotate()
    let whole = suite.remote.tip
    let later = try suite.remote.files().filter { path in
      path.hasPrefix("log/") && path.split(separator: "/").last.flatMap { UInt64($0) }.map { $0 > before + 1 } ?? false
    }
    #expect(later.count == 4)
    try suite.remote.put([], withholding: later)
    for _ in 0..<2 {
      let sync = try suite.third.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("that belong to entry \(before + 1)"), "\(sync)")
    }
    let change = try suite.third.addApp("other")
    #expect(change.exitCode == 6 && change.errors.contains("a part of the last change of membership"), "\(change)")
    try suite.third.coffer("vault-key", "check", "--vault-key-file", suite.key)
    try suite.third.set("mine", "value")
    _ = try suite.third.run("coffer", "sync")
    try suite.remote.serve(whole)
    _ = try suite.third.run("coffer", "sync")
    _ = try suite.laptop.run("coffer", "sync")
    try suite.sync(suite.third, suite.laptop)
    try suite.third.coffer("vault-key", "check", "--vault-key-file", new)
    #expect(try suite.laptop.values() == ["old": "before", "mine": "value"])
    try suite.expectSound(suite.third, suite.laptop)
  }

  @Test func `A root slot that the host withholds is named and restored; all but the vault key works`() throws {
    let new = try suite.rotate()
    let path = try #require(try suite.remote.files().first { $0.hasPrefix("roots/") })
    let genuine = try suite.remote.bytes(of: path)
    try suite.remote.put([], withholding: [path])
    let sync = try suite.third.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("lacks the root slot of entry"), "\(sync)")
    let check = try suite.third.run("coffer", "vault-key", "check", "--vault-key-file", new)
    #expect(check.exitCode == 6 && check.errors.contains("root slot"), "\(check)")
    try suite.third.set("mine", "value")
    #expect(try suite.third.addApp("other").exitCode == 0)
    #expect(try suite.third.run("coffer", "sync").exitCode == 6)
    // The machine that has it sends it again.
    let repair = try suite.laptop.run("coffer", "sync")
    #expect(repair.exitCode == 6 && repair.errors.contains("has lost \(path)"), "\(repair)")
    #expect(try suite.remote.bytes(of: path) == genuine)
    try suite.sync(suite.third, suite.laptop)
    try suite.third.coffer("vault-key", "check", "--vault-key-file", new)
    #expect(try suite.clone(named: "later", key: new).values() == ["old": "before", "mine": "value"])
  }

  @Test func `Root slots that the log does not name are named and removed, and no clone takes one`() throws {
    let new = try suite.rotate()
    let genesis = try suite.laptop.local.membership().genesis
    let (root, key) = (PartyKeys.random(), VaultKey.random())
    let planted = RootSlot(genesis: genesis, generation: 9, root: root, under: key)
    let path = "roots/\(planted.hash.hex)"
    let junk = "roots/\(Hash.digest([1], domain: .rootSlot).hex)"
    try suite.remote.tamper { tree in
      try Data(planted.bytes).write(to: tree.appending(path: path))
      try Data([1, 2, 3]).write(to: tree.appending(path: junk))
    }
    let text = unsafe key.text.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    let file = try suite.laptop.directory.write("planted-key", text)
    let clone = try Machine().run(
      "coffer", "clone", "--name", "late", "--no-passphrase", "--vault-key-file", file, suite.remote.path)
    #expect(clone.exitCode == 6, "\(clone)")
    let later = try Machine()
    _ = try later.run(
      "coffer", "clone", "--name", "later", "--no-passphrase", "--vault-key-file", new, suite.remote.path)
    #expect(try later.values() == ["old": "before"])
    try suite.third.set("mine", "value")
    _ = try suite.third.run("coffer", "sync")
    #expect(Set(try suite.remote.files()).isDisjoint(with: [path, junk]))
  }

  @Test func `A root slot of a later root that is damaged in the store is restored by the next sync`() throws {
    let new = try suite.rotate()
    let store = suite.laptop.vault.appending(path: "store.sqlite").path
    for change in ["UPDATE object SET bytes = zeroblob(length(bytes))", "DELETE FROM object"] {
      try Command.run("sqlite3", store, "\(change) WHERE kind = 'root_slot'")
      #expect(try suite.laptop.run("coffer", "vault-key", "check", "--vault-key-file", new).exitCode == 6)
      let verification = try suite.laptop.run("coffer", "log", "--verify")
      let words = "the root slot is missing or damaged"
      #expect(verification.exitCode == 6 && "\(verification)".contains(words), "\(verification)")
      #expect(try suite.laptop.run("coffer", "check", "--repair").exitCode == 6)
      _ = try suite.laptop.run("coffer", "sync")
      try suite.sync(suite.laptop)
      try suite.laptop.coffer("vault-key", "check", "--vault-key-file", new)
      try suite.expectSound(suite.laptop)
    }
    // A machine that joins again has it too.
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: store + suffix) {
      try FileManager.default.removeItem(atPath: store + suffix)
    }
    try suite.laptop.coffer("clone", "--rejoin", suite.remote.path)
    try suite.sync(suite.laptop)
    try suite.laptop.coffer("vault-key", "check", "--vault-key-file", new)
    #expect(try suite.laptop.get("old") == "before")
  }
}

extension ThreeMachines {
  /// Replaces the vault key on a machine, the laptop by default. Returns the file with the new one.
  @discardableResult
  func rotate(on machine: Machine? = nil, with old: String? = nil) throws -> String {
    let machine = machine ?? laptop
    let file = machine.directory.path("vault-key-\(UUID().uuidString)")
    try machine.coffer(
      "vault-key", "rotate", "--vault-key-file", old ?? key, "--new-vault-key-file", file)
    return file
  }

  /// Clones the vault to a further machine with a vault key.
  func clone(named name: String, key: String) throws -> Machine {
    let machine = try Machine()
    try machine.coffer("clone", "--name", name, "--no-passphrase", "--vault-key-file", key, remote.path)
    return machine
  }
}
