import CofferFuzzing
import Foundation
import Testing

/// The targets read the committed inputs: those that runs of `Scripts/fuzz` found to reach code of their own, and every
/// input that once was a finding.
@Suite struct CorpusTests {
  private static var targets: [(program: String, target: FuzzTarget)] {
    var programs = [
      ("Format", FormatTargets.all), ("PropertyLists", PropertyListTargets.all),
      ("Certificates", CertificateTargets.all), ("Git", GitTargets.all),
      ("Import", ImportTargets.all),
    ]
    #if os(Linux)
      programs.append(("Others", OtherTargets.all))
    #endif
    return programs.flatMap { program, targets in targets.map { (program, $0) } }
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Corpus")

  private static func inputs(_ program: String, _ target: FuzzTarget) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: folder.appending(path: "\(program)/\(target)"), includingPropertiesForKeys: nil)
  }

  @Test func `Every committed input is read as promised or refused`() throws {
    for (program, target) in Self.targets {
      let inputs = try Self.inputs(program, target)
      #expect(!inputs.isEmpty, "\(target)")
      for input in inputs {
        #expect(throws: Never.self, "\(target), \(input.lastPathComponent)") {
          try target.check([UInt8](Data(contentsOf: input)))
        }
      }
    }
  }

  @Test func `Every seed is read as promised`() throws {
    for (_, target) in Self.targets {
      for (index, seed) in try target.seeds().enumerated() {
        #expect(throws: Never.self, "\(target), seed \(index)") { try target.check(seed) }
        #expect(seed.count <= target.maximumByteCount, "\(target), seed \(index)")
      }
    }
  }

  @Test func `The committed inputs belong to a target and are small`() throws {
    let names = Set(Self.targets.map { "\($0.program)/\($0.target)" })
    var byteCount = 0
    let files = try #require(
      FileManager.default.enumerator(at: Self.folder, includingPropertiesForKeys: [.fileSizeKey]))
    for case let file as URL in files where !file.hasDirectoryPath {
      let target = file.pathComponents.dropLast().suffix(2).joined(separator: "/")
      #if os(Linux)
        #expect(names.contains(target), "\(file.path)")
      #endif
      let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? .max
      #expect(size <= 4096, "\(file.path)")
      byteCount += size
    }
    #expect(byteCount <= 300_000)
  }
}
