internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust

/// The keys of groups that branches of the log introduce which root rejects, as far as the log that stays lacks them.
struct RejectedKeys {
  struct Key: Hashable {
    let generation: UInt32
    let commitment: Bytes32
    /// The key, sealed to root.
    let box: [UInt8]
  }

  /// The maximum number of keys of one group: a dishonest admin can make any number, and must not crowd out others.
  private static let keysPerGroup = 64

  /// The keys that readers may get, in ascending order of generation.
  private(set) var byGroup: [GroupID: [Key]] = [:]
  /// The groups that somebody reads who was removed on a rejected branch. The keys that were made there were to keep this
  /// reader out, so they stay closed as long as the log that stays lets it read.
  private(set) var withheld: Set<GroupID> = []

  /// Takes the entries of the branches in ascending order, the membership by the log that stays, and the time at which
  /// the keys would be given.
  init(of entries: [LogEntry], in membership: Membership, at time: Timestamp) {
    var found: [GroupID: Set<Key>] = [:]
    var cut: Set<AuthorID> = []
    for entry in entries {
      switch try? Statement.parse(entry) {
      case .groupKey(let key)?:
        let group = GroupID(vault: membership.vault, name: key.name)
        Self.add(1, key.commitment, key.boxes, to: &found[group, default: []])
      case .groupKeyRenewal(let key)?:
        Self.add(key.generation, key.commitment, key.boxes, to: &found[key.group, default: []])
      case .revocation(let revocation)?: cut.formUnion(revocation.authors.map(\.author))
      default: break
      }
    }
    for (id, keys) in found {
      guard let group = membership.groups[id] else { continue }
      let known = Set(group.recovered.map(\.commitment)).union(group.generations.map(\.commitment))
      let missing = keys.filter { !known.contains($0.commitment) }
      guard !missing.isEmpty else { continue }
      if membership.recipients(of: group.name, at: time).contains(where: cut.contains) {
        withheld.insert(id)
      } else {
        let ordered = missing.sorted { ($0.generation, $0.commitment) < ($1.generation, $1.commitment) }
        byGroup[id] = Array(ordered.prefix(Self.keysPerGroup))
      }
    }
  }

  private static func add(
    _ generation: UInt32, _ commitment: Bytes32, _ boxes: [AddressedBox], to keys: inout Set<Key>
  ) {
    // Two entries with one key are one key, whatever their boxes: the commitment decides.
    guard let box = boxes.first(where: { $0.recipient == .root })?.box,
      !keys.contains(where: { $0.generation == generation && $0.commitment == commitment })
    else { return }
    keys.insert(Key(generation: generation, commitment: commitment, box: box))
  }
}
