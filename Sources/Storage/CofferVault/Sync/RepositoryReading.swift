package import CofferPlatform

/// What `coffer-sync read` answers on its standard output: a line of JSON with this, then the image of a store if it has
/// succeeded.
package struct RepositoryReading: Sendable, Codable {
  /// The largest answer, with a store in it.
  package static let maximumByteCount = 1 << 30

  /// Why there is no store; nil if there is one.
  package let error: VaultError.Report?
  /// The problems of the repository, a line each, that leave the rest usable.
  package let problems: [String]

  package init(error: VaultError) {
    self.error = VaultError.Report(error)
    problems = []
  }

  package init(problems: [String]) {
    error = nil
    self.problems = problems
  }

  /// The line, with its end.
  package func line() throws -> Data { try JSONEncoder().encode(self) + Data("\n".utf8) }

  /// Reads an answer from the whole output of the program. Also returns the bytes after it; nil for another output.
  package static func parse(_ output: [UInt8]) -> (answer: RepositoryReading, image: ArraySlice<UInt8>)? {
    guard let end = output.firstIndex(of: UInt8(ascii: "\n")),
      let answer = try? JSONDecoder().decode(RepositoryReading.self, from: Data(output[..<end]))
    else { return nil }
    return (answer, output[(end + 1)...])
  }
}
