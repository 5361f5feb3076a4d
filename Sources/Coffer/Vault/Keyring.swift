internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust
internal import Synchronization

/// The group keys that an actor has opened, kept for as long as the vault is open.
final class Keyring: Sendable {
  private let actor: VaultActor
  private let opened = Mutex<[GroupID: [GroupKeys]]>([:])

  init(actor: VaultActor) { self.actor = actor }

  /// The keys of one generation of a group.
  func keys(of group: AccessGroup, generation: UInt32) throws(VaultError) -> GroupKeys {
    let index = Int(generation) - 1
    let known = opened.withLock { $0[group.id] ?? [] }
    if known.indices.contains(index) { return known[index] }
    let fresh: [GroupKeys]
    do throws(CryptoError) {
      fresh = try group.keys(for: actor.author.id, opening: actor.keys.agreement)
    } catch {
      throw VaultError(
        .integrity, "the keys of \(group.name) do not open: their log entry was altered, or made for other keys")
    }
    opened.withLock { $0[group.id] = fresh }
    guard fresh.indices.contains(index) else {
      throw VaultError(
        .notEntitled, "no key of \(group.name) was sealed to this credential",
        mend: "mint a new one with `coffer app install`, or sync if another machine changed the group")
    }
    return fresh[index]
  }

  /// The newest generation's keys, which seal.
  func currentKeys(of group: AccessGroup) throws(VaultError) -> GroupKeys {
    try keys(of: group, generation: UInt32(group.generations.count))
  }
}
