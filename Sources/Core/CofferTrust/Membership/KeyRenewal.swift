package import CofferFormat

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
