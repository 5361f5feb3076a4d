package import Coffer
internal import CofferFormat
package import CofferGit
internal import Foundation

/// The first half of a clone: what only the vault key can verify is brought as it is.
package struct VaultDownload {
  private let limits: TransferLimits
  private let cancellation: Cancellation
  private let progress: ((TransferProgress) -> Void)?

  package init(
    limits: TransferLimits = TransferLimits(), cancellation: Cancellation = Cancellation(),
    progress: ((TransferProgress) -> Void)? = nil
  ) {
    self.limits = limits
    self.cancellation = cancellation
    self.progress = progress
  }

  /// Fetches a vault into a folder's cache, and lays its genesis, root slot and membership log into `incoming`.
  ///
  /// - Throws: ``VaultError``: `network`; `integrity` where there is no vault.
  package func run(from text: String, into folder: VaultFolder) throws(VaultError) {
    try translatingAll {
      let url = try RemoteURL(text)
      let repository = try Cache.open(folder)
      let remote = try RemoteState(
        fetching: url, into: repository, limits: limits, cancellation: cancellation, progress: progress)
      guard let tip = remote.tip else {
        throw VaultError(
          .integrity, "\(url) holds no vault",
          mend: "check the URL, and that the other machine has synced (coffer sync)")
      }
      try write(Array(url.description.utf8), as: "url", in: folder)
      for name in ["genesis", "root"] {
        guard let bytes = try repository.blob(at: name, in: tip, maximumByteCount: 4096) else {
          throw VaultError(
            .integrity, "\(url) is no intact vault: it lacks the file \(name)",
            mend: "check the URL, or restore the repository")
        }
        try write(bytes, as: name, in: folder)
      }
      var sequence: UInt64 = 1
      while let bytes = try repository.blob(
        at: RemoteLayout.path(ofLogEntry: sequence), in: tip, maximumByteCount: Limits.objectByteCount)
      {
        try write(bytes, as: "log/\(sequence)", in: folder)
        sequence += 1
      }
    }
  }

  private func write(_ bytes: [UInt8], as name: String, in folder: VaultFolder) throws {
    let file = folder.incoming.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data(bytes).write(to: file)
  }
}
