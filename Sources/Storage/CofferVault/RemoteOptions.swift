package import CofferPlatform
package import CofferStore

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
