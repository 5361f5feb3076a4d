import CofferCrypto
import CofferFormatSamples

@testable import CofferFormat

extension VectorReader {
  func fields(of checkpoint: Checkpoint) throws -> [String: String] {
    try require(checkpoint.isSigned(by: verifyingKey()))
    return [
      "vault": checkpoint.vault.description, "epoch": "\(checkpoint.epoch)", "previous": checkpoint.previous.raw.hex,
      "log": "\(checkpoint.log.sequence) \(checkpoint.log.hash.raw.hex)", "time": "\(checkpoint.time.microseconds)",
      "streams": checkpoint.streams.map {
        "\($0.position.stream) \($0.device) \($0.position.number) \($0.position.hash.raw.hex)"
      }.joined(separator: ", "),
      "chunks": checkpoint.chunks.map(\.hex).joined(separator: " "), "device": checkpoint.device.description,
      "hash": checkpoint.hash.raw.hex,
    ]
  }

  func fields(of chunk: SnapshotChunk) -> [String: String] {
    [
      "vault": chunk.vault.description, "epoch": "\(chunk.epoch)", "number": "\(chunk.number)",
      "entries": chunk.entries.map { entry in
        switch entry {
        case .record(let bytes): "record \(hexadecimal(bytes))"
        case .skeleton(let bytes): "skeleton \(hexadecimal(bytes))"
        case .pending(let bytes, let origin):
          "pending \(origin.device) \(origin.stream) \(origin.number) \(origin.log) \(hexadecimal(bytes))"
        }
      }.joined(separator: ", "),
      "hash": chunk.hash.hex,
    ]
  }

  func fields(of closing: Closing) throws -> [String: String] {
    try require(closing.isSigned(by: verifyingKey()))
    return [
      "vault": closing.vault.description, "epoch": "\(closing.epoch)", "branch": closing.next.name,
      "checkpoint": closing.checkpoint.raw.hex, "device": closing.device.description,
    ]
  }
}
