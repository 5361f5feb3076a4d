internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Checks what other machines state that they have seen of the membership log.
extension Importer {
  /// Keeps the position of the log that a segment's writer has seen, unless the log here contains it.
  func recordLogClaim(of segment: Segment, _ writer: borrowing StoreWriter) throws {
    var claims = try LogClaims.load(from: writer)
    let known = claims
    try claims.add(segment.log, by: segment.device, in: writer, branches: local.branches(in: writer))
    if claims != known { try claims.save(to: writer) }
  }

  /// Reports, at every sync, entries of the log that other machines have seen and the remote does not show, and entries
  /// that they have seen in another form: a host that shows machines different logs is noticed here.
  mutating func checkLogClaims() throws {
    guard try local.store.read({ try !LogClaims.load(from: $0).isEmpty }) else { return }
    let (claims, membership) = try local.store.write { writer in
      var claims = try LogClaims.load(from: writer)
      let known = claims
      let membership = try local.membership(in: writer)
      try claims.update(in: writer, branches: local.branches(in: writer))
      if claims != known { try claims.save(to: writer) }
      return (claims.open, membership)
    }
    for claim in claims { reportProblem(.contradiction, claim.words(in: membership)) }
  }
}
