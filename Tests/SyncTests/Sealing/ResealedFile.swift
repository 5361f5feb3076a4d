import CofferCrypto
import CofferVault
import CofferStore
import CofferFormat
import CofferTestSupport
import Foundation
import Testing

/// In which way a holder of a transport key seals an object again.
enum Resealing: String, CaseIterable, CustomTestStringConvertible {
  case withoutBoxes, withOneBoxLess, withBoxesInAnotherOrder, withAnotherBox, withFurtherBoxes
  case padded, underAnotherGeneration, withAnotherSignature
  /// As its signer has sealed it, with another nonce.
  case genuine

  var testDescription: String { rawValue }
}

extension Machine {
  /// Seals the object in a file again, with this machine's transport keys.
  ///
  /// - Parameters:
  ///   - file: The file of the repository.
  ///   - resealing: What differs from the genuine form.
  /// - Returns: The new file.
  /// - Throws: An error if this machine cannot open the file.
  func reseal(_ file: [UInt8], _ resealing: Resealing) throws -> [UInt8] {
    let envelope = try Envelope(bytes: file)
    let device = try local.deviceFile()
    var key = try #require(device.transportKey(envelope.generation))
    var object = try envelope.open(with: key.key)
    var boxes = envelope.boxes
    var byteCount: Int?
    switch resealing {
    case .withoutBoxes: boxes = []
    case .withOneBoxLess: boxes.removeLast()
    case .withBoxesInAnotherOrder: boxes.reverse()
    case .withAnotherBox: boxes[0] = try device.keys.publicKeys.box.seal(SymmetricKey.random().secret)
    case .withFurtherBoxes: boxes += [[UInt8](repeating: 7, count: 80)]
    case .padded: byteCount = 4 << 20
    case .underAnotherGeneration: key = try #require(device.transportKeys.first { $0.generation != key.generation })
    case .withAnotherSignature:
      // Smaller than any genuine one.
      object =
        try LogEntry(bytes: object).bytes.dropLast(Signature.count) + [UInt8](repeating: 0, count: Signature.count)
    case .genuine: break
    }
    return sealed(object, as: envelope.content, key, boxes, byteCount: byteCount)
  }

  /// Seals an object, and pads its file to a size; to the size that the format requires if nil.
  private func sealed(
    _ object: [UInt8], as content: Envelope.Content, _ key: TransportKey, _ boxes: [[UInt8]], byteCount: Int?
  ) -> [UInt8] {
    guard let byteCount else {
      return Envelope(sealing: object, as: content, key: key.key, generation: key.generation, boxes: boxes).bytes
    }
    var writer = ByteWriter()
    writer.begin(.envelope)
    writer.u8(content.rawValue)
    writer.u32(key.generation)
    writer.list(boxes) { $0.fixed($1) }
    var plain = ByteWriter()
    plain.data(object)
    let overhead = writer.bytes.count + 4 + SymmetricKey.overheadByteCount + plain.bytes.count
    plain.fixed([UInt8](repeating: 0, count: byteCount - overhead))
    writer.data(key.key.seal(plain.bytes, associated: writer.bytes))
    return writer.bytes
  }
}

extension TemporaryRemote {
  /// Returns the file of the log entry that introduces a generation of the transport key, and its path.
  func introducing(generation: UInt32) throws -> (path: String, file: [UInt8]) {
    let found = try files().filter { $0.hasPrefix("log/") }.map { (path: $0, file: try bytes(of: $0)) }.first {
      _, file in
      let envelope = try Envelope(bytes: file)
      return envelope.generation == generation && !envelope.boxes.isEmpty
    }
    return try #require(found)
  }
}
