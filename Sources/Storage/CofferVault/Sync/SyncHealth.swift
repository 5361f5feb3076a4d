package import CofferPlatform
package import CofferStore

/// How the syncs of a vault on this machine have gone, in a file beside the store. It is a hint for people: another
/// program of the same user can change it.
package struct SyncHealth: Sendable, Codable, Hashable {
  /// When the last sync ended, by this machine's clock; nil if none has.
  package var lastAttempt: Date?
  /// When the last sync ended that has compared everything with the remote.
  package var lastSuccess: Date?
  /// Why the last sync failed; nil if it did not.
  package var lastError: VaultError.Report?
  /// How many syncs have failed since the last one that did not.
  package var failureCount = 0
  /// The number of problems of the remote and of the store that the last sync has named.
  package var problemCount = 0
  /// The URL of the remote, for a store that cannot be read any more.
  package var remote: String?
  /// When `coffer sync --watch` will sync next, if it runs and nothing happens before.
  package var nextSync: Date?
  /// Where the comparison of the store's contents goes on, a slice in each sync.
  package var checked = ContentPosition()

  /// When the last scheduled backup was made; nil if none was.
  package var lastBackup: Date?
  /// Why the last scheduled backup failed; nil if it did not.
  package var lastBackupError: VaultError.Report?

  package init() {}

  /// Reads the health of a vault: that of a vault that was never synced if there is no file, or one that cannot be
  /// read.
  package static func read(from folder: VaultFolder) -> SyncHealth {
    guard let file = try? RegularFile.open(folder.syncHealthPath, followsLinks: false),
      file.byteCount <= maximumByteCount, let bytes = try? file.read(upTo: file.byteCount)
    else { return SyncHealth() }
    return (try? decoder.decode(SyncHealth.self, from: Data(bytes))) ?? SyncHealth()
  }

  /// Changes the health of a vault. It is lost if it cannot be written: a sync does not fail for it.
  package static func update(in folder: VaultFolder, _ change: (inout SyncHealth) -> Void) {
    guard let lock = try? FileLock.acquire(path: folder.syncHealthPath + ".lock", timeout: .seconds(1), purpose: "sync")
    else { return }
    defer { extendLifetime(lock) }
    var health = read(from: folder)
    let before = health
    change(&health)
    guard health != before, let bytes = try? encoder.encode(health), bytes.count <= maximumByteCount else { return }
    let draft = folder.syncHealthPath + ".new"
    // Without waiting for the disk, as Foundation does: each sync would, for a hint.
    guard write(bytes, to: draft) else { return }
    _ = unsafe rename(draft, folder.syncHealthPath)
  }

  private static func write(_ bytes: Data, to path: String) -> Bool {
    _ = unsafe unlink(path)
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return unsafe bytes.withUnsafeBytes { unsafe StandardOutput.writeAll($0, to: descriptor) } == nil
  }

  private static let maximumByteCount = 1 << 16

  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    return decoder
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}

/// How this machine reaches the vault's remote over HTTP. Other machines have their own.
package struct RemoteOptions: Sendable, Hashable {
  /// The path of a file with the certificate authorities to trust instead of those of the system; nil for these.
  package var certificateAuthorityFile: String?
  /// Whether the remote may be reached by `http://` although it is another machine.
  package var allowsInsecureHTTP: Bool

  package init(certificateAuthorityFile: String? = nil, allowsInsecureHTTP: Bool = false) {
    self.certificateAuthorityFile = certificateAuthorityFile
    self.allowsInsecureHTTP = allowsInsecureHTTP
  }

  package func write(to writer: borrowing StoreWriter) throws(StoreError) {
    try writer.setSetting(.remoteCertificateAuthorities, certificateAuthorityFile.map { Array($0.utf8) })
    try writer.setSetting(.remoteAllowsInsecureHTTP, allowsInsecureHTTP ? [1] : nil)
  }

  // MARK: Files of a download

  private static let authoritiesName = "ca-file"
  private static let insecureName = "insecure-http"

  /// Writes the options to files in a folder, for the store that does not exist yet.
  package func write(to folder: URL) throws {
    if let certificateAuthorityFile {
      try Data(certificateAuthorityFile.utf8).write(to: folder.appending(path: Self.authoritiesName))
    }
    if allowsInsecureHTTP { try Data().write(to: folder.appending(path: Self.insecureName)) }
  }

  /// Reads the files that ``write(to:)`` has written.
  package init(in folder: URL) {
    let file = FileManager.default.contents(
      atPath: folder.appending(path: Self.authoritiesName).path(percentEncoded: false))
    self.init(
      certificateAuthorityFile: file.flatMap { String(validating: $0, as: UTF8.self) },
      allowsInsecureHTTP: FileManager.default.fileExists(
        atPath: folder.appending(path: Self.insecureName).path(percentEncoded: false)))
  }
}

extension LocalVault {
  /// Returns how this machine reaches the remote over HTTP.
  package func remoteOptions() throws(VaultError) -> RemoteOptions {
    let isInsecure = try translatingErrors { try store.read { try $0.setting(.remoteAllowsInsecureHTTP) != nil } }
    return RemoteOptions(
      certificateAuthorityFile: try textSetting(.remoteCertificateAuthorities), allowsInsecureHTTP: isInsecure)
  }
}
