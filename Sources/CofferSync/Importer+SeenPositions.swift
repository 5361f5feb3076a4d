internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Checks what other machines state that they have seen of the streams.
extension Importer {
  /// Records the positions that a segment's writer has seen and this machine has not. Returns the positions that this
  /// machine has with other contents.
  func recordSeenPositions(of segment: Segment, _ writer: borrowing StoreWriter) throws -> [StreamPosition] {
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
    var missing = try MissingSegments.load(from: writer)
    for position in absent { missing.insert(SeenPosition(position: position, reader: segment.device)) }
    try missing.save(to: writer)
    return different
  }

  /// Reports segments that other machines have seen and that the remote does not show, at every sync until it shows
  /// them: a host that withholds segments is noticed here.
  mutating func checkSeenPositions() throws {
    guard try local.store.read({ try !MissingSegments.load(from: $0).positions.isEmpty }) else { return }
    let membership = try local.membership()
    let (unmet, different) = try local.store.write { writer in
      var missing = try MissingSegments.load(from: writer)
      let positions = missing.positions
      var unmet: [SeenPosition] = []
      var different: [SeenPosition] = []
      for seen in positions {
        let comparison = try writer.comparison(with: seen.position)
        if comparison == .missing {
          unmet.append(seen)
          continue
        }
        if comparison == .different { different.append(seen) }
        missing.remove(seen)
      }
      if unmet.count < positions.count { try missing.save(to: writer) }
      return (unmet, different)
    }
    for seen in unmet {
      reportProblem("lacks \(seen.position.words), which \(membership.name(of: seen.reader)) has seen there")
    }
    for seen in different { reportContradiction(seen.position, reader: seen.reader, in: membership) }
  }

  /// Reports that two machines have different segments under one number, each signed by its writer.
  mutating func reportContradiction(_ position: StreamPosition, reader: DeviceID, in membership: Membership) {
    reportProblem(
      "has another content of \(position.words) than \(membership.name(of: reader)) has seen there: a machine was copied, or the host shows different contents"
    )
  }
}

extension StreamPosition {
  fileprivate var words: String { "segment \(number) of stream \(stream)" }
}
