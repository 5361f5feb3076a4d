internal import CofferTrust
internal import CofferVault
package import Foundation

/// Reads an entitlements file, at most one byte more than the maximum size of a plist, because a file can be endless.
///
/// - Parameters:
///   - url: The file.
///   - code: The error code if the file cannot be read.
/// - Returns: The file's bytes.
/// - Throws: ``VaultError`` with `code` if the file is missing or not readable.
package func readEntitlements(
  at url: URL, missing code: VaultError.Code = .notEntitled
) throws(VaultError) -> [UInt8] {
  let path = url.path(percentEncoded: false)
  do {
    let handle = try FileHandle(forReadingFrom: url)
    defer { try? handle.close() }
    return [UInt8](try handle.read(upToCount: EntitlementsDocument.maximumByteCount + 1) ?? Data())
  } catch {
    let exists = FileManager.default.fileExists(atPath: path)
    throw VaultError(
      code, exists ? "cannot read the entitlements at \(path)" : "there are no entitlements at \(path)",
      recoverySuggestion: "give the path of an entitlements plist")
  }
}
