import CofferCrypto
import CofferFormatSamples

@testable import CofferFormat

extension VectorCatalog {
  /// Checkpoints, chunks of snapshots, and the end of an epoch.
  mutating func addEpochs() throws {
    try addCheckpoints()
    try addSnapshotChunks()
    try addClosings()
    let transport = ["transport key": hex(fixture.transport.key.secret)]
    let contents: [(String, [UInt8], Envelope.Content)] = [
      ("checkpoint", fixture.checkpoint().bytes, .checkpoint),
      ("snapshot-chunk", fixture.snapshotChunk.bytes, .snapshotChunk),
      ("closing", try fixture.closing().bytes, .closing),
    ]
    for (name, object, content) in contents {
      let sealed = Envelope(sealing: object, as: content, key: fixture.transport.key, generation: 1).bytes
      try add("envelope-\(name)", "envelope", sealed, transport)
      try add(
        "envelope-\(name)-as-segment", "envelope", altered(sealed, at: 5, to: 2), transport, expect: "doesNotOpen")
    }
  }

  private mutating func addCheckpoints() throws {
    let inputs = inputs(of: fixture.device)
    let checkpoint = fixture.checkpoint()
    let bytes = checkpoint.bytes
    let later = fixture.checkpoint(epoch: 3).bytes
    try add("checkpoint", "checkpoint", bytes, inputs)
    try add("checkpoint-of-a-later-epoch", "checkpoint", later, inputs)
    let empty = Checkpoint(
      vault: fixture.vault, epoch: 2, after: .beforeFirst, log: checkpoint.log, time: fixture.time, streams: [],
      chunks: [], device: fixture.deviceID, key: fixture.device.signing)
    try add("checkpoint-of-an-empty-vault", "checkpoint", empty.bytes, inputs)
    // kind 5, vault 16, epoch 4, previous 32, log 40, time 8, then the count of streams, each of 72 bytes.
    let streams = bytes[105..<109] + bytes[181..<253] + bytes[109..<181]
    let descending = bytes[..<105] + streams + bytes[253...]
    let refused: [(String, [UInt8], String)] = [
      ("truncated", bytes.dropLast(), "truncated"), ("trailing-byte", bytes + [0], "trailingBytes"),
      ("newer-version", altered(bytes, at: 4, to: 2), "unsupportedVersion"),
      ("other-kind", altered(bytes, at: 2, to: 0x53), "otherKind"),
      ("of-the-first-epoch", altered(bytes, at: 24, to: 1), "invalidValue"),
      ("of-a-later-epoch-without-previous", altered(bytes, at: 24, to: 3), "invalidValue"),
      ("of-the-second-epoch-with-previous", altered(later, at: 24, to: 2), "invalidValue"),
      ("log-position-too-great", altered(bytes, at: 57, to: 128), "invalidValue"),
      ("streams-descending", Array(descending), "invalidValue"),
      ("too-many-streams", altered(bytes, at: 105, to: 255), "tooLarge"),
      ("number-too-great", altered(bytes, at: 141, to: 128), "invalidValue"),
      ("too-many-chunks", altered(bytes, at: 253, to: 255), "tooLarge"),
      ("altered", altered(bytes, at: 100, to: ~bytes[100]), "badSignature"),
    ]
    for (name, bytes, code) in refused {
      try add("checkpoint-\(name)", "checkpoint", bytes, inputs, expect: code)
    }
    try add(
      "checkpoint-of-another-device", "checkpoint", bytes, self.inputs(of: fixture.admin), expect: "badSignature")
  }

  private mutating func addSnapshotChunks() throws {
    let bytes = fixture.snapshotChunk.bytes
    try add("snapshot-chunk", "snapshot chunk", bytes)
    let empty = SnapshotChunk(vault: fixture.vault, epoch: 2, number: 0, entries: [])
    // kind 5, vault 16, epoch 4, number 4, count 4, then the kind of the first entry and its length.
    let refused: [(String, [UInt8], String)] = [
      ("truncated", bytes.dropLast(), "truncated"), ("trailing-byte", bytes + [0], "trailingBytes"),
      ("newer-version", altered(bytes, at: 4, to: 2), "unsupportedVersion"),
      ("of-the-first-epoch", altered(bytes, at: 24, to: 1), "invalidValue"),
      ("number-too-great", altered(bytes, at: 27, to: 64), "invalidValue"),
      ("without-entries", empty.bytes, "invalidValue"),
      ("too-many-entries", altered(bytes, at: 29, to: 255), "tooLarge"),
      ("unknown-entry", altered(bytes, at: 33, to: 4), "invalidValue"),
      ("record-too-large", altered(bytes, at: 34, to: 255), "tooLarge"),
      (
        "skeleton-too-large",
        SnapshotChunk(
          vault: fixture.vault, epoch: 2, number: 0, entries: [.skeleton([UInt8](repeating: 7, count: 4097))]
        ).bytes, "tooLarge"
      ),
    ]
    for (name, bytes, code) in refused {
      try add("snapshot-chunk-\(name)", "snapshot chunk", bytes, expect: code)
    }
  }

  private mutating func addClosings() throws {
    let inputs = inputs(of: fixture.device)
    let bytes = try fixture.closing().bytes
    try add("closing", "closing", bytes, inputs)
    let refused: [(String, [UInt8], String)] = [
      ("truncated", bytes.dropLast(), "truncated"), ("trailing-byte", bytes + [0], "trailingBytes"),
      ("newer-version", altered(bytes, at: 4, to: 2), "unsupportedVersion"),
      // kind 5, vault 16, epoch 4, branch 8.
      ("of-no-epoch", altered(bytes, at: 24, to: 0), "invalidValue"),
      ("of-the-last-epoch", Array(bytes[..<21]) + [255, 255, 255, 255] + Array(bytes[25...]), "invalidValue"),
      ("on-another-branch", altered(bytes, at: 32, to: 8), "badSignature"),
    ]
    for (name, bytes, code) in refused { try add("closing-\(name)", "closing", bytes, inputs, expect: code) }
    try add("closing-of-another-device", "closing", bytes, self.inputs(of: fixture.admin), expect: "badSignature")
  }
}
