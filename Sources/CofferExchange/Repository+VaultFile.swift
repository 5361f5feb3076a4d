internal import CofferGit
internal import CofferVault

extension Repository {
  /// Reads a file with which each vault begins.
  ///
  /// - Parameters:
  ///   - name: `genesis` or `root`.
  ///   - tip: The commit of the vault's branch.
  ///   - url: The remote, for errors.
  /// - Returns: The file's bytes, at most 4 KiB.
  /// - Throws: ``VaultError``: `integrity` if the file is missing or cannot be read; the errors of the repository.
  func vaultFile(_ name: String, at tip: ObjectID, of url: RemoteURL) throws -> [UInt8] {
    var bytes: [UInt8]?
    var fault = ""
    do throws(GitError) {
      bytes = try blob(at: name, in: tip, maximumByteCount: 4096)
    } catch {
      guard error.isFaultOfObject else { throw error }
      fault = " (\(error.message))"
    }
    guard let bytes else {
      throw VaultError(
        .integrity, "\(url) is a damaged vault: it lacks the file \(name)\(fault)",
        recoverySuggestion: "check the URL, or restore the repository")
    }
    return bytes
  }
}
