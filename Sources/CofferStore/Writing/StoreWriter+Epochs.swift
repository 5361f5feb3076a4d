internal import CofferCrypto
package import CofferFormat

/// Checkpoints, snapshots, and the change to another epoch.
extension StoreWriter {
  /// Stores a verified checkpoint, in place of another one of its epoch. `published` is the identifier of its file on
  /// the remote; nil if the remote does not have it.
  package func insert(_ checkpoint: Checkpoint, published: [UInt8]?) throws(StoreError) {
    let epoch: [SQLValue] = [.integer(Int64(checkpoint.epoch))]
    try connection.changing(.checkpoint, where: "epoch = ?1", epoch) { () throws(StoreError) in
      try connection.run(
        """
        INSERT INTO checkpoint (epoch, hash, published, object) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (epoch) DO UPDATE SET hash = excluded.hash, object = excluded.object,
          published = coalesce(excluded.published, published)
        """, epoch + [.hash(checkpoint.hash.raw), .optionalBlob(published), .blob(checkpoint.bytes)])
    }
  }

  /// Marks a checkpoint as published, under the identifier of its file on the remote.
  package func markCheckpointPublished(_ epoch: UInt32, as file: [UInt8]) throws(StoreError) {
    try connection.run(
      "UPDATE checkpoint SET published = ?2 WHERE epoch = ?1", [.integer(Int64(epoch)), .blob(file)])
  }

  /// Stores a chunk of a snapshot, whose hash was compared with the checkpoint's, in place of another one in its place.
  /// `published` is the identifier of its file on the remote; nil if the remote does not have it.
  package func insert(_ chunk: SnapshotChunk, published: [UInt8]?) throws(StoreError) {
    let place: [SQLValue] = [.integer(Int64(chunk.epoch)), .integer(Int64(chunk.number))]
    try connection.changing(.chunk, where: "epoch = ?1 AND number = ?2", place) { () throws(StoreError) in
      try connection.run(
        """
        INSERT INTO chunk (epoch, number, hash, published, object) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (epoch, number) DO UPDATE SET hash = excluded.hash, object = excluded.object,
          published = coalesce(excluded.published, published)
        """, place + [.hash(chunk.hash), .optionalBlob(published), .blob(chunk.bytes)])
    }
  }

  /// Marks a chunk as published, under the identifier of its file on the remote.
  package func markChunkPublished(_ number: UInt32, of epoch: UInt32, as file: [UInt8]) throws(StoreError) {
    try connection.run(
      "UPDATE chunk SET published = ?3 WHERE epoch = ?1 AND number = ?2",
      [.integer(Int64(epoch)), .integer(Int64(number)), .blob(file)])
  }

  /// Deletes the chunks that the checkpoint of an epoch does not name: those of other epochs, and those of another snapshot
  /// that could not be followed.
  package func deleteChunks(exceptOf epoch: UInt32) throws(StoreError) {
    let count = try checkpoint(epoch).flatMap { try? Checkpoint(bytes: $0) }?.chunks.count ?? 0
    let values: [SQLValue] = [.integer(Int64(epoch)), .integer(Int64(count))]
    try connection.changing(.chunk, where: "epoch <> ?1 OR number >= ?2", values) { () throws(StoreError) in
      try connection.run("DELETE FROM chunk WHERE epoch <> ?1 OR number >= ?2", values)
    }
  }

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
    try connection.changing(.segment, where: "stream = ?1 AND number <= ?2", end) { () throws(StoreError) in
      try connection.run("DELETE FROM segment WHERE stream = ?1 AND number <= ?2", end)
    }
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
