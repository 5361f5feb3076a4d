package import Coffer
internal import CofferGit
internal import CofferStore

/// Which remote a vault syncs with.
package struct RemoteSetting {
  private let local: LocalVault

  package init(_ local: LocalVault) { self.local = local }

  /// Sets the remote, and forgets what the former one was seen to hold. Returns the URL as it is kept.
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
      }
      return url.description
    }
  }
}
