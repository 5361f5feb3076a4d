internal import CofferAgent
package import CofferCrypto
package import CofferFormat
internal import CofferKeys
package import CofferTrust
package import CofferVault
internal import Synchronization

/// The group keys of an author. Each is opened when it is first needed, and kept until the vault is locked.
final class Keyring: Sendable {
  private struct LocalKey: Hashable {
    let group: GroupID
    let generation: UInt32
  }
  private struct Opened {
    var groups: [GroupID: [GroupKeys]] = [:]
    var local: [LocalKey: GroupKeys] = [:]
  }

  private let author: AuthorID
  private let keys: any AuthorKeys
  private let vault: LocalVault
  private let opened = Mutex(Opened())

  init(author: AuthorID, keys: any AuthorKeys, local vault: LocalVault) {
    self.author = author
    self.keys = keys
    self.vault = vault
  }

  /// Returns the keys of a generation. Those that were opened before stay until the vault locks, also if the agent that
  /// has opened them has been locked.
  func keys(of group: RegisteredGroup, generation: UInt32) throws(VaultError) -> GroupKeys {
    func find(in keys: [GroupKeys]) -> GroupKeys? { keys.first { $0.generation == generation } }
    if let known = opened.withLock({ $0.groups[group.id] }).flatMap(find) { return known }
    let fresh = try open(group)
    opened.withLock { $0.groups[group.id] = fresh }
    if let found = find(in: fresh) { return found }
    guard group.generations[Int(generation) - 1].boxes[author] == nil else {
      throw VaultError(
        .integrity, "generation \(generation) of the key of \(group.name) does not open: a faulty machine made it",
        recoverySuggestion: "other items are unharmed; remove the admin who made it, see: coffer log")
    }
    if let error = try vault.expiryError(of: author, group.name) { throw error }
    throw VaultError(
      .notEntitled, "no key of \(group.name) was sealed to this credential",
      recoverySuggestion: "give it a new one with `coffer app install`, or sync if another machine changed the group")
  }

  /// Opens the generations of a group's key. What a program has returned that keeps the author's keys counts only if
  /// the log commits to it.
  private func open(_ group: RegisteredGroup) throws(VaultError) -> [GroupKeys] {
    let secrets = try keys.groupSecrets(of: group)
    return secrets.compactMap { (generation, secret) -> GroupKeys? in
      guard group.generations.indices.contains(Int(generation) - 1),
        let keys = try? GroupKeys(group: group.id, generation: generation, secret: secret),
        keys.commitment == group.generations[Int(generation) - 1].commitment
      else { return nil }
      return keys
    }.sorted { $0.generation < $1.generation }
  }

  /// Returns the keys of the newest generation, which seal new records.
  func currentKeys(of group: RegisteredGroup) throws(VaultError) -> GroupKeys {
    try keys(of: group, generation: UInt32(group.generations.count))
  }

  /// Returns the keys that open a record, with this machine's secret mixed in for a record that never leaves it. If
  /// none opens it, returns those of its generation.
  func keys(for record: Record, of group: RegisteredGroup) throws(VaultError) -> GroupKeys {
    let header = record.header
    let own: GroupKeys
    do throws(VaultError) {
      let shared = try keys(of: group, generation: header.generation)
      own = header.isDeviceLocal ? try deviceLocal(shared) : shared
    } catch {
      guard let recovered = try recoveredKeys(for: record, of: group) else { throw error }
      return recovered
    }
    guard !group.recovered.isEmpty, (try? record.attributes(with: own)) == nil else { return own }
    return try recoveredKeys(for: record, of: group) ?? own
  }

  /// Returns the key of a rejected branch that opens a record; nil if none does.
  private func recoveredKeys(for record: Record, of group: RegisteredGroup) throws(VaultError) -> GroupKeys? {
    let generation = record.header.generation
    guard group.recovered.contains(where: { $0.generation == generation }) else { return nil }
    for keys in group.recoveredKeys(of: generation, openedBy: opened.withLock { $0.groups[group.id] } ?? []) {
      // Its secret is mixed in as for other keys, and not kept: the place of these keys is that of the log's own.
      let keys = record.header.isDeviceLocal ? keys.deviceLocal(try vault.localSecret()) : keys
      if (try? record.attributes(with: keys)) != nil { return keys }
    }
    return nil
  }

  /// Returns a group's keys with this machine's secret mixed in, for items that never leave it.
  func deviceLocal(_ keys: GroupKeys) throws(VaultError) -> GroupKeys {
    let place = LocalKey(group: keys.group, generation: keys.generation)
    if let known = opened.withLock({ $0.local[place] }) { return known }
    let fresh = keys.deviceLocal(try vault.localSecret())
    opened.withLock { $0.local[place] = fresh }
    return fresh
  }
}

/// An author's keys in the memory of this process.
package struct HeldKeys: AuthorKeys {
  package let author: AuthorID
  private let keys: PartyKeys

  package init(_ keys: PartyKeys, of author: AuthorID) {
    self.author = author
    self.keys = keys
  }

  package func verificationKey(of group: GroupID) -> SymmetricKey? {
    Hash.key(from: keys.secret, domain: .verifiedKey).key(from: group.raw, domain: .verifiedGroup)
  }

  package func groupSecrets(of group: RegisteredGroup) throws(VaultError) -> [UInt32: SecretBytes] {
    do throws(CryptoError) {
      return try group.keys(for: author, opening: keys.agreement).reduce(into: [:]) { $0[$1.generation] = $1.secret }
    } catch {
      throw VaultError(
        .integrity, "the keys of \(group.name) do not open: their log entry was altered, or made for other keys",
        recoverySuggestion:
          "check the log with `coffer log --verify`; if it is sound, give the app a new credential with `coffer app install`"
      )
    }
  }

  package func sign(_ record: UnsignedRecord) throws(VaultError) -> Signature { record.signature(by: keys.signing) }
}
