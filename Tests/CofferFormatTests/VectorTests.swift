import CofferCrypto
import CofferFormatSamples
import CofferKeys
import Foundation
import Testing

@testable import CofferFormat

@Suite(.serialized) struct VectorTests {
  /// Writes files for cases that have none if COFFER_WRITE_VECTORS is 1. A frozen file is never written again.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["COFFER_WRITE_VECTORS"] == "1"))
  func `Vectors without a file are written on request`() throws {
    let known = Set(try names())
    for (name, vector) in try VectorCatalog.make() where !known.contains(name) { try vector.write(named: name) }
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: Vector.folder.path)
      .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
  }

  @Test func `Every vector of the catalog has a file, and every file is in the catalog`() throws {
    let catalog = try VectorCatalog.make().keys.sorted()
    #expect(catalog.count > 50)
    #expect(try names() == catalog)
  }

  @Test func `Every frozen object has its frozen fields or its frozen error`() throws {
    var accepted = 0
    var refused: Set<String> = []
    for name in try names() {
      let vector = try Vector(named: name)
      do {
        let fields = try VectorReader(vector: vector).fields()
        #expect(vector.expect == "accept", "\(name)")
        #expect(fields == vector.fields, "\(name)")
        #expect(!fields.isEmpty || vector.expect != "accept", "\(name)")
        accepted += 1
      } catch {
        #expect(VectorReader.code(of: error) == vector.expect, "\(name)")
        refused.insert(VectorReader.code(of: error))
      }
    }
    #expect(accepted >= 25)
    let codes: [FormatError.Code] = [
      .truncated, .trailingBytes, .otherKind, .unsupportedVersion, .tooLarge, .invalidValue, .badSignature, .otherVault,
      .doesNotOpen,
    ]
    #expect(refused.isSuperset(of: codes.map(\.rawValue)))
  }

  @Test func `Objects without a random part are encoded to the same bytes again`() throws {
    let fixture = try SampleObjects()
    #expect(try Vector(named: "genesis").bytes == hexadecimal(fixture.genesis.bytes))
    #expect(try Vector(named: "attributes").bytes == hexadecimal(fixture.attributes.bytes))
    #expect(try Vector(named: "record-tombstone").bytes == hexadecimal(fixture.tombstone().bytes))
    #expect(try Vector(named: "credential").bytes == hexadecimal(fixture.credential.secretBytes()))
    #expect(try Vector(named: "device-file").bytes == hexadecimal(fixture.deviceFile.secretBytes()))
    #expect(try Vector(named: "log-transport-key").bytes == hexadecimal(fixture.entries()[0].bytes))
    let bodies = try fixture.statements().map { hexadecimal($0.body) }
    for name in [
      "principal", "withdrawal", "app-with-groups", "revocation", "dismissal", "device-with-delivery-key", "member",
      "succession", "read-only-device", "invited-device", "device-name", "group-requirement",
    ] { #expect(bodies.contains(try Vector(named: "log-\(name)").fields["body"] ?? ""), "\(name)") }
  }
}
