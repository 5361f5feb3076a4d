package import CofferStore
package import CofferTrust

extension StoreWriter {
  /// Checks, before a change of membership, that no other machine has seen entries of the log that this one lacks.
  ///
  /// - Parameters:
  ///   - membership: The membership, for the names of machines.
  ///   - despite: Whether the owner has decided to go on: the claims are then acknowledged, and the next push of the log
  ///     replaces files that cannot be verified in its place.
  /// - Throws: ``VaultError``: `integrity` for an open claim.
  package func checkClaims(in membership: Membership, despite: Bool) throws {
    var claims = try LogClaims.load(from: self)
    if despite {
      claims.acknowledge()
      try claims.save(to: self)
      try setSetting(.despiteClaims, [1])
    } else if let error = claims.error(in: membership) {
      throw error
    }
  }
}
