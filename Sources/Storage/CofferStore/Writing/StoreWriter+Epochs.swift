internal import CofferCrypto
package import CofferFormat

/// The change to another epoch.
extension StoreWriter {
  /// Replaces the segments of a stream that a snapshot covers by their last position. A stream whose position is behind
  /// continues after it; an own one of this machine is then another machine's copy, and ends here. Later segments stay.
  ///
  /// The caller must have kept the contents of pending and refused records, see ``unadmittedSegments(of:through:)``.
  /// Throws ``StoreError/Code/alreadyExists`` if the stream belongs to another device.
  package func coverSegments(through covered: CoveredStream) throws(StoreError) {
    let stream = covered.position.stream
    let end: [SQLValue] = [.id(stream.raw), .integer(Int64(clamping: covered.position.number))]
    let held = try streamHead(of: stream)
    if held.map({ $0.position.number < covered.position.number }) ?? true,
      try setting(.ownStream) == stream.raw.bytes
    {
      try setSetting(.ownStream, nil)
    }
    try adoptStreamHead(StreamHead(position: covered.position, device: covered.device, isOwn: held?.isOwn ?? false))
    try connection.delete(from: .segment, where: "stream = ?1 AND number <= ?2", end)
    // Whoever reads the snapshot knows that its author has seen these segments.
    try markReported([covered.position])
  }

  /// Marks all segments as unpublished: on the branch of another epoch, the remote does not have them, unless the next
  /// import finds them there.
  package func unpublishSegments() throws(StoreError) { try connection.run("UPDATE segment SET published = NULL") }

  /// Sets the branch of the epoch that this machine follows. `opening` is the sealed closing of the epoch before.
  package func setEpoch(_ branch: EpochBranch, opening: [UInt8]) throws(StoreError) {
    try setSetting(.epochBranch, Array(branch.name.utf8))
    try setSetting(.epochOpening, opening)
  }
}
