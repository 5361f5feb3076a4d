import CofferCrypto
import Foundation

@testable import CofferFormat

/// A test vector: the bytes of an object, the inputs to read it with, and the expected result.
///
/// The files in Vectors are for every implementation; Scripts/check-vectors reads them according to FORMAT.md alone.
struct Vector: Codable, Equatable {
  /// The kind of object, as FORMAT.md names it.
  var object: String
  /// `accept`, or the code of the error that reading must fail with.
  var expect: String
  /// Keys and passphrases in hexadecimal, text unencoded.
  var inputs: [String: String] = [:]
  /// The object, in hexadecimal.
  var bytes: String
  /// The fields of an accepted object: numbers in decimal, bytes in hexadecimal.
  var fields: [String: String] = [:]

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")

  /// Reads a vector from its file.
  ///
  /// - Throws: An error if the file does not exist.
  init(named name: String) throws {
    self = try JSONDecoder().decode(
      Vector.self, from: Data(contentsOf: Self.folder.appending(path: "\(name).json")))
  }

  init(_ object: String, _ bytes: [UInt8], inputs: [String: String] = [:]) throws {
    self.object = object
    self.inputs = inputs
    self.bytes = hexadecimal(bytes)
    expect = "accept"
    do {
      fields = try VectorReader(vector: self).fields()
    } catch {
      expect = VectorReader.code(of: error)
    }
  }

  func write(named name: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(self) + Data("\n".utf8)).write(to: Self.folder.appending(path: "\(name).json"))
  }
}

/// Returns the bytes of hexadecimal text.
func bytes(_ text: String) throws -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  guard digits.count == text.count, text.count.isMultiple(of: 2) else { throw MalformedVector(what: "hexadecimal") }
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

struct MalformedVector: Error {
  let what: String
}
