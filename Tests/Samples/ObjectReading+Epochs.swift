internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys

/// The objects of epochs.
extension ObjectReading {
  package static let checkpoint = ObjectReading(
    description: "checkpoint",
    rewrite: { bytes in
      let checkpoint = try Checkpoint(bytes: bytes)
      var writer = ByteWriter()
      writer.begin(.checkpoint)
      writer.fixed(checkpoint.vault.raw)
      writer.u32(checkpoint.epoch)
      writer.fixed(checkpoint.previous.raw)
      writer.u64(checkpoint.log.sequence)
      writer.fixed(checkpoint.log.hash.raw)
      writer.i64(checkpoint.time.microseconds)
      writer.list(checkpoint.streams) { writer, stream in
        writer.fixed(stream.position.stream.raw)
        writer.fixed(stream.device.raw)
        writer.u64(stream.position.number)
        writer.fixed(stream.position.hash.raw)
      }
      writer.list(checkpoint.chunks) { $0.fixed($1) }
      writer.fixed(checkpoint.device.raw)
      return writer.bytes + bytes.suffix(Signature.count)
    },
    sample: { $0.checkpoint().bytes },
    isAuthentic: { bytes, fixture in try Checkpoint(bytes: bytes).isSigned(by: fixture.device.signing.publicKey) })

  package static let laterCheckpoint = ObjectReading(
    description: "checkpoint of a later epoch", rewrite: checkpoint.rewrite,
    sample: { $0.checkpoint(epoch: 3).bytes }, isAuthentic: checkpoint.isAuthentic)

  package static let snapshotChunk = ObjectReading(
    description: "snapshot chunk",
    rewrite: { bytes in
      let chunk = try SnapshotChunk(bytes: bytes)
      return SnapshotChunk(vault: chunk.vault, epoch: chunk.epoch, number: chunk.number, entries: chunk.entries).bytes
    },
    sample: { $0.snapshotChunk.bytes })

  package static let closing = ObjectReading(
    description: "closing",
    rewrite: { bytes in
      let closing = try Closing(bytes: bytes)
      var writer = ByteWriter()
      writer.begin(.closing)
      writer.fixed(closing.vault.raw)
      writer.u32(closing.epoch)
      writer.u64(closing.next.tag)
      writer.fixed(closing.checkpoint.raw)
      writer.fixed(closing.device.raw)
      return writer.bytes + bytes.suffix(Signature.count)
    },
    sample: { try $0.closing().bytes },
    isAuthentic: { bytes, fixture in try Closing(bytes: bytes).isSigned(by: fixture.device.signing.publicKey) })

  package static let skeleton = ObjectReading(
    description: "skeleton of a record",
    rewrite: { bytes in
      let skeleton = try RecordSkeleton(bytes: bytes)
      var writer = ByteWriter()
      skeleton.header.write(to: &writer)
      return writer.bytes + bytes.dropFirst(writer.bytes.count)
    },
    sample: { $0.record().signedBytes },
    isAuthentic: { bytes, fixture in
      try RecordSkeleton(bytes: bytes).isSigned(by: fixture.principal.signing.publicKey)
    })
}
