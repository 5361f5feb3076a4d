package import CofferPlatform

/// What `coffer-sync sync --json` prints in place of a report if it fails.
package struct SyncError: Sendable, Codable {
  /// Why it failed.
  package let error: VaultError.Report

  package init(_ error: VaultError) { self.error = VaultError.Report(error) }

  /// The JSON, with a newline at its end.
  package func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }
}
