internal import CofferGit
internal import CofferStore
package import CofferVault

/// The remote that a vault syncs with.
package struct RemoteSetting {
  private let local: LocalVault

  package init(_ local: LocalVault) { self.local = local }

  /// Sets the remote, and forgets the state of the former one. Returns the URL as it is stored.
  ///
  /// - Throws: `invalidArgument` for a URL that cannot be used, with the reason.
  @discardableResult
  package func set(_ text: String) throws(VaultError) -> String {
    try translatingAll {
      let url = try RemoteURL(text)
      try local.store.write { writer in
        if try writer.setting(.remoteURL) == Array(url.description.utf8) { return }
        try writer.setSetting(.remoteURL, Array(url.description.utf8))
        try writer.setSetting(.remoteTip, nil)
        try writer.setSetting(.lastSync, nil)
        try writer.setSetting(.missingSegments, nil)
        try writer.setSetting(.differentSegments, nil)
      }
      return url.description
    }
  }
}
