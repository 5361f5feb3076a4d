internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Checks what other machines state that they have seen of the streams.
extension Importer {
  /// Records the positions that a segment's writer has seen, and this machine has not or has with other contents.
  func recordSeenPositions(of segment: Segment, _ writer: borrowing StoreWriter) throws {
    guard !segment.seen.isEmpty, try mayClaim(segment.device, writer) else { return }
    var missing = try MissingSegments.load(from: writer)
    var different = try MissingSegments.load(from: writer, .differentSegments)
    let known = (missing.positions, different.positions)
    let membership = try local.settledLog(in: writer).membership
    for position in segment.seen where !membership.hasEnded(before: position) {
      switch try writer.comparison(with: position) {
      case .held: different.remove(upTo: position, by: segment.device)
      case .missing: missing.insert(SeenPosition(position: position, reader: segment.device))
      case .different: different.insert(SeenPosition(position: position, reader: segment.device))
      }
    }
    if missing.positions != known.0 { try missing.save(to: writer) }
    if different.positions != known.1 { try different.save(to: writer) }
  }

  /// Reports segments that other machines have seen and that the remote does not show, or shows with other contents, at
  /// every sync until it shows them: a host that withholds segments is noticed here.
  mutating func checkSeenPositions() throws {
    let hasPositions = try local.store.read {
      try !MissingSegments.load(from: $0).positions.isEmpty
        || !MissingSegments.load(from: $0, .differentSegments).positions.isEmpty
    }
    guard hasPositions else { return }
    let membership = try local.membership()
    let (unmet, contradictions) = try local.store.write { writer in
      var missing = try MissingSegments.load(from: writer)
      var different = try MissingSegments.load(from: writer, .differentSegments)
      let known = (missing.positions, different.positions)
      for seen in Set(known.0 + known.1) where try !mayClaim(seen.reader, writer) {
        missing.remove(seen)
        different.remove(seen)
      }
      for seen in missing.positions {
        let comparison = try writer.comparison(with: seen.position)
        // What a revoked machine pushed after its last segment comes no more.
        if comparison != .missing || membership.hasEnded(before: seen.position) { missing.remove(seen) }
        if comparison == .different { different.insert(seen) }
      }
      for seen in different.positions where try writer.comparison(with: seen.position) == .held {
        different.remove(seen)
      }
      if missing.positions != known.0 { try missing.save(to: writer) }
      if different.positions != known.1 { try different.save(to: writer) }
      return (missing.positions, different.positions)
    }
    for seen in unmet {
      reportProblem(.missing, "lacks \(seen.position.words), which \(membership.name(of: seen.reader)) has seen there")
    }
    for seen in contradictions { reportContradiction(seen.position, reader: seen.reader, in: membership) }
  }

  private func mayClaim(_ machine: DeviceID, _ writer: borrowing StoreWriter) throws -> Bool {
    try local.branches(in: writer).chain.mayClaim(machine)
  }

  /// Reports that two machines have different segments under one number, each signed by its writer.
  private mutating func reportContradiction(_ position: StreamPosition, reader: DeviceID, in membership: Membership) {
    reportProblem(
      .contradiction,
      "has another content of \(position.words) than \(membership.name(of: reader)) has seen there: a machine was copied, or the host shows different contents"
    )
  }
}

extension StreamPosition {
  fileprivate var words: String { "segment \(number) of stream \(stream)" }
}
