package import CofferCrypto
package import CofferFormat

/// A succession in the membership log: from this entry on, root is who the statement names.
package struct Succession: Hashable, Sendable {
  package let position: LogPosition
  package let time: Timestamp
  package let statement: SuccessionStatement
}

extension Membership {
  /// Verifies a succession. That the new root agrees is shown by the following entries, which it signs, and without
  /// which the succession has no effect.
  func check(_ statement: SuccessionStatement, of entry: LogEntry) throws(TrustError) {
    func failure(_ code: TrustError.Code, _ detail: String) -> TrustError {
      TrustError(code, at: entry.sequence, detail)
    }
    guard entry.signer == .root else { throw failure(.notAuthorised, "only root hands the vault over") }
    guard batch == nil else { throw failure(.contradiction, "the change before it is not complete") }
    guard statement.generation == rootGeneration + 1 else {
      throw failure(.contradiction, "its root is not the next one")
    }
    let earlier = [genesis.root] + successions.map(\.statement.root)
    guard earlier.allSatisfy({ $0.verifying != statement.root.verifying && $0.box != statement.root.box }) else {
      throw failure(.contradiction, "its root has keys of an earlier one")
    }
    guard statement.keys.count <= Int(statement.followingEntries) else {
      throw failure(.contradiction, "it names more keys than entries that introduce them")
    }
    try checkKeys(statement.keys, replacing: Set(groups.keys).union([.none]), in: entry)
  }

  /// Verifies that every key of `wanted` is replaced, and that every key that a statement names can follow.
  /// ``GroupID/none`` stands for the transport key.
  func checkKeys(_ keys: [NewKey], replacing wanted: Set<GroupID>, in entry: LogEntry) throws(TrustError) {
    for key in keys {
      let count = key.group == .none ? transportCommitments.count : groups[key.group]?.generations.count
      guard let count, key.generation == UInt32(count) + 1 else {
        throw TrustError(.contradiction, at: entry.sequence, "it names a key that is not the next generation")
      }
    }
    guard wanted.isSubset(of: keys.map(\.group)) else {
      throw TrustError(.contradiction, at: entry.sequence, "it does not replace every key that was readable")
    }
  }

  /// Returns the succession that took the vault from a root; nil for the present root, and for keys that are no root's.
  package func succession(from keys: PartyPublicKeys) -> Succession? {
    var root = genesis.root
    for succession in successions {
      if root == keys { return succession }
      root = succession.statement.root
    }
    return nil
  }
}

/// A key that replaced an older one, because somebody has the older one and may no longer read.
package struct KeyRenewal: Hashable, Sendable {
  /// Why the key was replaced.
  package enum Cause: Hashable, Sendable {
    /// Machines, apps or rights were removed.
    case revocation(Revocation)
    /// The vault key was replaced: whoever has the old one opens the keys until then.
    case succession(Succession)
  }

  package let generation: UInt32
  package let cause: Cause

  /// The entry of the log that demands the key.
  package var position: LogPosition {
    switch cause {
    case .revocation(let revocation): revocation.position
    case .succession(let succession): succession.position
    }
  }

  package var time: Timestamp {
    switch cause {
    case .revocation(let revocation): revocation.time
    case .succession(let succession): succession.time
    }
  }
}

extension Membership {
  /// The keys of groups that revocations and successions have introduced, oldest first.
  package var keyRenewals: [GroupID: [KeyRenewal]] {
    var renewals: [GroupID: [KeyRenewal]] = [:]
    func add(_ keys: [NewKey], _ cause: KeyRenewal.Cause) {
      for key in keys where key.group != .none {
        renewals[key.group, default: []].append(KeyRenewal(generation: key.generation, cause: cause))
      }
    }
    for revocation in revocations { add(revocation.statement.keys, .revocation(revocation)) }
    for succession in successions { add(succession.statement.keys, .succession(succession)) }
    return renewals.mapValues { $0.sorted { $0.generation < $1.generation } }
  }
}
