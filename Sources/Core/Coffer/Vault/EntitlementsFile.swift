package import CofferPlatform
internal import CofferTrust
internal import CofferVault

/// Reads an entitlements file, at most one byte more than the maximum size of a plist, because a file can be large.
/// Throws `code` if it is missing, not readable, or not a regular file.
package func readEntitlements(
  at url: URL, missing code: VaultError.Code = .notEntitled
) throws(VaultError) -> [UInt8] {
  let path = url.path(percentEncoded: false)
  do throws(RegularFile.Refusal) {
    return try RegularFile.open(path, followsLinks: true).read(upTo: EntitlementsDocument.maximumByteCount + 1)
  } catch {
    let message =
      switch error {
      case .system(ENOENT), .system(ENOTDIR): "there are no entitlements at \(path)"
      case .notRegular: "\(path) is not a regular file, so it holds no entitlements"
      default: "cannot read the entitlements at \(path)"
      }
    throw VaultError(code, message, recoverySuggestion: "give the path of an entitlements plist")
  }
}
