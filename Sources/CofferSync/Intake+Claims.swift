internal import Coffer
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

/// What other machines say they have read.
extension Intake {
  /// Keeps what a segment says its writer has read and this machine does not hold.
  func noteClaims(of segment: Segment, _ writer: borrowing StoreWriter) throws {
    let open = try segment.seen.filter { try writer.comparison(with: $0) != .held }
    guard !open.isEmpty else { return }
    var missing = try MissingSegments(writer)
    for position in open { missing.insert(MissingSegments.Claim(position: position, reader: segment.device)) }
    try missing.store(writer)
  }

  /// What other machines say they have read has to be there: a host that withholds it, or shows each machine something else, is
  /// found out here, at every sync until it shows it.
  mutating func checkSeen() throws {
    guard try local.store.read({ try !MissingSegments($0).claims.isEmpty }) else { return }
    let membership = try local.membership()
    let (unmet, different) = try local.store.write { writer in
      var missing = try MissingSegments(writer)
      let claims = missing.claims
      let unmet = try claims.filter { try writer.comparison(with: $0.position) == .missing }
      let different = try claims.filter { try writer.comparison(with: $0.position) == .different }
      for claim in Set(claims).subtracting(unmet) { missing.remove(claim) }
      if unmet.count < claims.count { try missing.store(writer) }
      return (unmet, different)
    }
    func name(_ claim: MissingSegments.Claim) -> String { membership.devices[claim.reader]?.name ?? "another machine" }
    for claim in unmet { problem("less than \(name(claim)) has read there: \(claim.position.words) is missing") }
    for claim in different {
      problem(
        "something else than \(name(claim)) has read there: \(claim.position.words) has two contents; a machine was cloned, or the host shows each its own"
      )
    }
  }
}

extension StreamPosition {
  fileprivate var words: String { "segment \(number) of stream \(stream)" }
}
