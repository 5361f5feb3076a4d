internal import Coffer
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

/// What other machines say they have read.
extension Intake {
  /// Keeps what a segment says its writer has read and this machine does not hold. Returns what it holds with other contents.
  func noteClaims(of segment: Segment, _ writer: borrowing StoreWriter) throws -> [StreamPosition] {
    var absent: [StreamPosition] = []
    var different: [StreamPosition] = []
    for position in segment.seen {
      switch try writer.comparison(with: position) {
      case .held: break
      case .missing: absent.append(position)
      case .different: different.append(position)
      }
    }
    guard !absent.isEmpty else { return different }
    var missing = try MissingSegments(writer)
    for position in absent { missing.insert(MissingSegments.Claim(position: position, reader: segment.device)) }
    try missing.store(writer)
    return different
  }

  /// What other machines say they have read has to be there: a host that withholds it is found out here, at every sync until it
  /// shows it.
  mutating func checkSeen() throws {
    guard try local.store.read({ try !MissingSegments($0).claims.isEmpty }) else { return }
    let membership = try local.membership()
    let (unmet, different) = try local.store.write { writer in
      var missing = try MissingSegments(writer)
      let claims = missing.claims
      var unmet: [MissingSegments.Claim] = []
      var different: [MissingSegments.Claim] = []
      for claim in claims {
        let comparison = try writer.comparison(with: claim.position)
        if comparison == .missing {
          unmet.append(claim)
          continue
        }
        if comparison == .different { different.append(claim) }
        missing.remove(claim)
      }
      if unmet.count < claims.count { try missing.store(writer) }
      return (unmet, different)
    }
    for claim in unmet {
      problem("less than \(membership.name(of: claim.reader)) has read there: \(claim.position.words) is missing")
    }
    for claim in different { nameContradiction(claim.position, reader: claim.reader, in: membership) }
  }

  /// Two machines hold different segments under one number, each signed by its writer.
  mutating func nameContradiction(_ position: StreamPosition, reader: DeviceID, in membership: Membership) {
    problem(
      "something else than \(membership.name(of: reader)) has read there: \(position.words) has two contents; a machine was cloned, or the host shows each its own"
    )
  }
}

extension Membership {
  /// What the owner calls a machine.
  func name(of device: DeviceID) -> String { devices[device]?.name ?? "an unknown machine" }
}

extension StreamPosition {
  fileprivate var words: String { "segment \(number) of stream \(stream)" }
}
