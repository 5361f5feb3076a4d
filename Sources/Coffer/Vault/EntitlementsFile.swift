internal import CofferTrust
package import Foundation

/// Reads an entitlements file, at most one byte more than a plist may have, so that an endless file ends here.
/// A file that cannot be read is the error `missing`.
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
      mend: "give the path of an entitlements plist")
  }
}
