internal import CofferCrypto
package import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import Foundation

/// Makes this machine an admin of a vault that was downloaded, by the vault key.
package final class Enrolment {
  private let folder: VaultFolder
  private let root: PartyKeys
  private let device = PartyKeys.random()
  private let admin = PartyKeys.random()
  private let local: LocalVault
  private let transportKey: TransportKey

  /// Verifies what lies in the folder's `incoming`, and builds the store from it.
  ///
  /// - Throws: `authenticationFailed` for the wrong vault key; `integrity` for anything that does not hold.
  package init(_ folder: VaultFolder, vaultKey: VaultKey) throws(VaultError) {
    self.folder = folder
    let download: Download
    do {
      download = try Download(folder.incoming, vaultKey: vaultKey)
    } catch let error as CryptoError where error == .authenticationFailed {
      throw VaultError(
        .authenticationFailed, "this vault key does not open this vault",
        mend: "use the key that `coffer init` printed for this very vault")
    } catch {
      let error = VaultError(translating: error)
      guard error.code == .integrity else { throw error }
      throw VaultError(
        .integrity, "the repository is no intact vault: \(error.message)",
        mend: "check the URL; if it is right, the repository was altered: clone from another copy")
    }
    root = download.root
    guard let transportKey = download.transportKeys.last else {
      throw VaultError(.integrity, "the repository's membership log names no transport key")
    }
    self.transportKey = transportKey
    try translatingErrors {
      let store = try Store.create(
        at: folder.storePath, genesis: download.genesis.bytes, rootSlot: download.rootSlot.bytes)
      try store.write { writer in
        try writer.setSetting(.remoteURL, download.url)
        for (entry, envelope) in download.log {
          try writer.appendLogEntry(
            sequence: entry.sequence, entry: entry.bytes, envelope: envelope.bytes, isPublished: true)
        }
      }
      try FileManager.default.removeItem(at: folder.incoming)
    }
    try VaultCreation.writeDeviceFile(
      DeviceFile(
        genesis: download.genesis.hash, keys: device, localSecret: .random(count: 32),
        transportKeys: download.transportKeys), to: folder)
    local = try LocalVault(folder)
  }

  /// Writes this machine's admin keys.
  package func writeAdminKeys(_ protection: AdminProtection) throws(VaultError) {
    try AdminKeys.write(admin, genesis: local.membership().genesis.hash, protection: protection, to: folder)
  }

  /// Appends to the log as it stands now: this machine, a principal for each registered app, and the keys for them all. To
  /// be called again where another machine's entries came first.
  ///
  /// - Returns: One credential for each app, to be installed once the entries, of which the last stands at `position`, are on
  ///   the remote.
  package func join(
    deviceName: String, protection: AdminProtection
  ) throws(VaultError) -> (credentials: [PendingCredential], position: LogPosition) {
    try VaultCreation.checkDeviceName(deviceName)
    return try translatingErrors {
      try local.store.write { writer in
        let membership = try local.membership(in: writer)
        if let unknown = membership.firstUnknownCritical {
          throw VaultError(
            .upgradeNeeded, "entry \(unknown) of the membership log was written by a newer Coffer",
            mend: "upgrade Coffer")
        }
        var draft = LogDraft(membership: membership, transportKey: transportKey)
        try draft.append(
          .device(DeviceStatement(keys: device.publicKeys, adminKeys: admin.publicKeys, name: deviceName)),
          by: .root, key: root.signing)
        let id = AuthorID(vault: membership.vault, keys: admin.publicKeys)
        let deviceID = DeviceID(vault: membership.vault, keys: device.publicKeys)
        var credentials: [PendingCredential] = []
        for app in membership.apps.values.sorted(by: { $0.id.description < $1.id.description }) {
          let keys = PartyKeys.random()
          try draft.append(
            .principal(PrincipalStatement(app: app.registration, device: deviceID, keys: keys.publicKeys)),
            by: .admin(id), key: admin.signing)
          credentials.append(
            try PendingCredential(
              of: app.id, in: folder, keys: keys, device: deviceID, membership: draft.membership,
              passphrase: protection.passphrase(of: app)))
        }
        for group in membership.groups.values.sorted(by: { $0.id < $1.id }) {
          try draft.grantMissingBoxes(
            of: group.name, openedAs: .root, with: root.agreement, by: .admin(id), key: admin.signing)
        }
        try draft.commit(to: writer)
        return (credentials, draft.membership.head)
      }
    }
  }

  /// The vault as it stands, for installing credentials.
  package var vault: LocalVault { local }
}

extension AdminProtection {
  /// The machine's passphrase where the app's credential is to be under it.
  fileprivate func passphrase(of app: App) throws(VaultError) -> [UInt8]? {
    guard app.statement.isLocked else { return nil }
    guard case .passphrase(let passphrase) = self else { throw PendingCredential.noPassphrase(for: app.id) }
    return passphrase
  }
}
