package import CofferFormat
package import CofferStore
package import CofferTrust

extension StoreWriter {
  /// Checks, before a change of membership, that no other machine has seen entries of the log that this one lacks.
  /// Throws `integrity` if one has, unless the change removes it. With `despite`, the owner has decided to go on: the
  /// claims are then acknowledged, and the next push of the log replaces files that cannot be verified in its place.
  package func checkClaims(
    in membership: Membership, despite: Bool, except machines: Set<DeviceID> = []
  ) throws {
    var claims = try LogClaims.load(from: self)
    if despite {
      claims.acknowledge()
      try claims.save(to: self)
      try allowPushDespiteClaims()
    } else if let error = claims.error(in: membership, except: machines) {
      throw error
    }
  }

  /// Lets the next push of the log go on whatever other machines claim, and replace files that cannot be verified in its
  /// place. The claims stay reported.
  package func allowPushDespiteClaims() throws { try setSetting(.despiteClaims, [1]) }
}
