package import CofferFormat

/// A key that took the place of one that somebody has who may not read any more.
package struct KeyRenewal: Hashable, Sendable {
  package let generation: UInt32
  package let revocation: Revocation
}

extension Membership {
  /// The keys of groups that revocations have introduced, oldest first.
  package var keyRenewals: [GroupID: [KeyRenewal]] {
    var renewals: [GroupID: [KeyRenewal]] = [:]
    for revocation in revocations {
      for key in revocation.statement.keys where key.group != .none {
        renewals[key.group, default: []].append(KeyRenewal(generation: key.generation, revocation: revocation))
      }
    }
    return renewals
  }
}
