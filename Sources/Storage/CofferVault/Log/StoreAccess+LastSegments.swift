package import CofferFormat
package import CofferStore

extension StoreAccess where Self: ~Copyable {
  /// Returns the last segment of each stream of machines that are revoked. A machine can begin any number of streams,
  /// and an entry of the log has space for some: of more, those are named in which `keeps` lets most records stay
  /// valid. Other machines send the kept records of the others again.
  package func lastSegments(
    of machines: [DeviceID], keeping keeps: (Record) -> Bool, openedBy device: DeviceFile
  ) throws -> [RevocationStatement.Machine] {
    guard !machines.isEmpty else { return [] }
    let heads = Dictionary(grouping: try streamHeads(), by: \.device)
    let limit = min(Limits.seenStreams, Limits.namedStreams / machines.count)
    return try machines.map { machine in
      var ends = (heads[machine] ?? []).map(\.position)
      if ends.count > limit {
        let counted = try ends.map { (end: $0, kept: try keptCount(in: $0.stream, keeps, device)) }
        ends = counted.sorted { ($1.kept, $0.end.stream) < ($0.kept, $1.end.stream) }.prefix(limit).map(\.end)
      }
      return RevocationStatement.Machine(device: machine, ends: ends)
    }
  }

  private func keptCount(in stream: StreamID, _ keeps: (Record) -> Bool, _ device: DeviceFile) throws -> Int {
    var count = 0
    try forEachSegment(of: stream) { stored in
      guard let segment = stored.segment(openedBy: device) else { return }
      count += segment.records.count { bytes in (try? Record(bytes: bytes)).map(keeps) ?? false }
    }
    return count
  }
}
