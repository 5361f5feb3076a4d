internal import CofferCrypto
package import CofferFormat
package import CofferPlatform
package import CofferStore
internal import CofferSystem
package import CofferTrust

/// The files of one vault on one machine.
///
///     store.sqlite              items, membership log, segments: everything sealed
///     store-stamp               the state of the store's file when its rows were last known to match their summary
///     device                    this machine's keys and the transport keys (0600)
///     admin                     an admin's keys, under the machine's passphrase if it has one (0600)
///     delivery                  the key for what admins deliver, under the same passphrase (0600)
///     vault-key                 the vault key, sealed to this admin's keys, until it is written down (0600)
///     invitations               the invitations that were made here (0600)
///     apps/ID/credential        an app's keys on this machine (0600)
///     new-keys                  files that replace those above, and are not moved into place yet
///     sync-health               how the last syncs have gone
///     missed                    exists if a program has looked for something in vain since the last sync by itself
///     agent-log                 what the agent has done with the keys (0600)
///     agent-settings            how the agent keeps them (0600)
///     backup                    the objects of a backup while it is made; disposable
///     cache.git                 a copy of the remote's objects; disposable
///     *.lock                    locked while a sync or a change of membership runs
package struct VaultFolder: Sendable {
  package let url: URL

  package init(_ url: URL) { self.url = url }

  package init(_ location: VaultLocation) { url = location.folder }

  /// Returns the folder of a location; that of the user's own vault if it is nil.
  package static func at(_ location: VaultLocation?) throws(VaultError) -> VaultFolder {
    if let location { VaultFolder(location) } else { try VaultFolder(.standard()) }
  }

  /// Returns the folders of all of the user's own vaults, whichever `COFFER_VAULT` selects.
  package static func all() throws(VaultError) -> [VaultFolder] {
    let parent = try VaultLocation.standard().folder.deletingLastPathComponent()
    let path = parent.path(percentEncoded: false)
    guard !isAbsent(path) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        .map { VaultFolder(parent.appending(path: $0, directoryHint: .isDirectory)) }
    } catch {
      throw VaultError(
        .readOnly, "cannot read \(path)", recoverySuggestion: "check the owner and the mode of the folder")
    }
  }

  /// Stands for the folder of a vault that has none: nothing exists there.
  package static let inMemory = VaultFolder(URL(fileURLWithPath: "/\(Store.memoryPath)"))

  package var path: String { url.path(percentEncoded: false) }
  package var storePath: String { file("store.sqlite") }
  package var cachePath: String { file("cache.git") }
  /// The objects of a backup while it is made, under the lock of a sync.
  package var backupScratch: URL { url.appending(path: "backup", directoryHint: .isDirectory) }
  /// The files of a clone that were downloaded and are not verified yet.
  package var incoming: URL { url.appending(path: "incoming") }
  package var deviceFile: SecretFile { machineFile("device", name: "this machine's keys") }
  package var adminFile: SecretFile { machineFile("admin", name: "this machine's admin keys") }
  package var deliveryFile: SecretFile { machineFile("delivery", name: "this machine's delivery key") }
  /// The vault key of a vault that an app has created, until its owner has written it down.
  package var vaultKeyFile: SecretFile {
    SecretFile(
      path: file("vault-key"), name: "the vault key",
      recoverySuggestion: "restore the file from a backup; without it, nobody has the vault key")
  }
  /// The invitations that this machine has made.
  package var invitationsFile: SecretFile {
    SecretFile(
      path: file("invitations"), name: "the file with this machine's invitations",
      recoverySuggestion: "delete the file and invite again: whoever has an earlier code cannot use it then")
  }
  /// The request of a new machine, beside its keys, until it is enrolled.
  package var requestFile: SecretFile {
    SecretFile(
      path: file("request"), name: "this machine's request",
      recoverySuggestion: "delete the folder \(path), and clone with another code")
  }
  package var syncLockPath: String { file("sync.lock") }
  package var membershipLockPath: String { file("membership.lock") }
  /// How the syncs have gone.
  package var syncHealthPath: String { file("sync-health") }
  /// The file by which a program that has looked for something in vain asks the process that syncs the vault by itself
  /// for a sync.
  package var missName: String { "missed" }
  /// Locked by the process that syncs the vault by itself, whose identifier is in it.
  package var watchLockPath: String { file("watch.lock") }

  /// What the agent has done with the vault's keys.
  package var agentLogPath: String { file("agent-log") }
  /// How the agent keeps them.
  package var agentSettingsPath: String { file("agent-settings") }

  /// Locked by each process of `coffer inspect`, see ``InspectLock``.
  var inspectLockPath: String { file("inspect.lock") }

  /// Returns the credential file with which this process can be an app: that of the installed app if the process has
  /// its group and root has made one, and the one in this folder otherwise. The identifier becomes a file's name, so it
  /// must be a validated one.
  package func credentialFile(of application: ApplicationID) -> SecretFile {
    let installed = InstalledApp.running(application.bundleID)?.credentialFile(of: application, geteuid())
    let file = credentialFile(named: application.description)
    return installed.map { $0.exists || !file.exists ? $0 : file } ?? file
  }

  /// Whether an app has a credential of this user: a file, or one that root has installed, which this process may be
  /// unable to read.
  package func hasCredential(of application: ApplicationID) -> Bool {
    credentialFile(named: application.description).exists
      || InstalledApp(application.bundleID).ownUser(of: application) != nil
  }

  /// Returns the credential file in the folder of an application identifier.
  package func credentialFile(named identifier: String) -> SecretFile {
    let name = "apps/\(identifier)/credential"
    return SecretFile(
      path: file(name), successor: newKeys.file(name), name: "the credential of \(identifier)",
      recoverySuggestion: "give the app a new one with: coffer app install \(identifier)")
  }

  /// Asks the process that syncs the vault by itself for a sync: another machine may have written what this one does
  /// not have. Does nothing if no process has ever synced the vault by itself, or if one was asked already.
  package func noteMiss() {
    guard unsafe access(watchLockPath, F_OK) == 0 else { return }
    let descriptor = unsafe open(file(missName), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  package func forgetMiss() { _ = unsafe unlink(file(missName)) }

  private func machineFile(_ name: String, name title: String) -> SecretFile {
    SecretFile(
      path: file(name), successor: newKeys.file(name), name: title,
      recoverySuggestion:
        "restore the file from a backup; or move the folder \(path) aside and run, as a new machine: coffer clone \(cloneWord)"
    )
  }

  /// The remote's URL as a word of a command: as the last sync has noted it beside the store, or a placeholder.
  private var cloneWord: String { SyncHealth.read(from: self).remote.map(\.shellWord) ?? "URL" }

  /// The files that replace those of this folder, see ``KeyReplacement``.
  var newKeys: VaultFolder { VaultFolder(url.appending(path: "new-keys")) }

  /// The same files before they count.
  package var newKeysDraft: VaultFolder { VaultFolder(url.appending(path: "new-keys.draft")) }

  var appsPath: String { file("apps") }

  private func file(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

  /// The recovery suggestion for a store whose file is damaged.
  package var damageSuggestion: String {
    SyncHealth.read(from: self).remote == nil
      ? "build it anew from what can be read, with: coffer check --repair"
      : "build it anew from what can be read with `coffer check --repair`, or \(rejoinSuggestion)"
  }

  /// The recovery suggestion for a store of which nothing can be read: without a remote, only a backup has it.
  var restoreSuggestion: String {
    SyncHealth.read(from: self).remote == nil
      ? "move the folder \(path.shellWord) aside, and restore a backup with: coffer backup restore FILE"
      : rejoinSuggestion
  }

  /// The recovery suggestion for a store that is missing beside this machine's keys.
  package var rejoinSuggestion: String { Self.rejoinSuggestion(from: SyncHealth.read(from: self).remote) }

  /// The recovery suggestion for a store that only a remote has; nil stands for an unknown URL.
  package static func rejoinSuggestion(from url: String?) -> String {
    "rebuild the store from the remote, as the same machine, with: coffer clone --rejoin \(url?.shellWord ?? "URL")"
  }

  /// Returns the URL of the remote that the store has lost: it names none, and the file of the sync health still does.
  /// That is a store which was built anew from a damaged file. To take the remote from a vault changes both.
  package func lostRemote(of reader: borrowing some StoreAccess & ~Copyable) throws -> String? {
    try reader.setting(.remoteURL) == nil ? SyncHealth.read(from: self).remote : nil
  }

  /// Whether the folder has a store. True also if that cannot be determined: opening it gives the reason.
  package var exists: Bool { !isAbsent(storePath) }

  package func openStore() throws(VaultError) -> Store {
    guard exists else {
      if deviceFile.exists {
        throw VaultError(
          .noVault, "the vault at \(path) has this machine's keys and no store",
          recoverySuggestion: rejoinSuggestion)
      }
      throw VaultError(
        .noVault, "there is no vault at \(path)",
        recoverySuggestion:
          "create one with `coffer set NAME`, which stores a first secret, or with `coffer init`; or bring one from another machine with `coffer clone URL`"
      )
    }
    return try translatingErrors { try Store.open(at: storePath) }
  }
}

extension VaultFolder {
  package func credentialFiles() throws(VaultError) -> [SecretFile] {
    try credentialNames().map(credentialFile(named:))
  }

  /// Returns the application identifiers of all apps that have a credential file, in ascending order.
  package func credentialNames() throws(VaultError) -> [String] {
    guard !isAbsent(appsPath) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: appsPath).sorted()
        .filter { !isAbsent("\(appsPath)/\($0)/credential") }
    } catch {
      throw VaultError(.io, "cannot read the folder \(appsPath)", recoverySuggestion: "try again")
    }
  }

  /// Moves the store of another folder into this one, durably. A store that is there is kept under another name, with
  /// its write-ahead log, so that SQLite does not replay that into the new one. Nobody may have the new store open.
  /// Returns the path of the old store, nil if there was none. After an error, the old store has its name again.
  package func replaceStore(by other: VaultFolder) throws(VaultError) -> String? {
    let kept = "\(storePath).damaged-\(hexadecimal(Random.bytes(count: 6)))"
    let hasStore = !isAbsent(storePath)
    // A second name first, so that the folder has a store at every moment.
    if hasStore, unsafe link(storePath, kept) != 0, unsafe rename(storePath, kept) != 0 {
      throw systemFailure("move \(storePath) aside")
    }
    FaultPoint.reached(.storeFileSetAside)
    let suffixes = ["-journal", "-shm", "-wal"]
    do throws(VaultError) {
      for suffix in suffixes where !isAbsent(storePath + suffix) {
        guard unsafe rename(storePath + suffix, kept + suffix) == 0 else {
          throw systemFailure("move \(storePath + suffix) aside")
        }
        FaultPoint.reached(.storeFileSetAside)
      }
      guard unsafe rename(other.storePath, storePath) == 0 else { throw systemFailure("move the new store into place") }
    } catch {
      // The old store stays in use: without its write-ahead log, it would lose commits.
      for suffix in [""] + suffixes { _ = unsafe rename(kept + suffix, storePath + suffix) }
      // With a second name for the file, the first of these has done nothing.
      if exists { _ = unsafe unlink(kept) }
      throw error
    }
    FaultPoint.reached(.storeReplaced)
    try SecretFile.syncFolder(path)
    return hasStore ? kept : nil
  }
}

/// The store of a folder whose genesis is the one that this machine's keys pin. Its log has not been read, so that one
/// that cannot be folded does not prevent a check.
package struct PinnedStore: Sendable {
  package let store: Store
  package let device: DeviceFile
  package let genesis: Genesis

  /// Throws `noVault`; `integrity` if the file is no store, or its genesis is not the vault's; errors of the device
  /// file.
  package static func open(in folder: VaultFolder) throws(VaultError) -> PinnedStore {
    let store = try folder.openStore()
    let device = try folder.deviceFile.read(DeviceFile.self)
    let bytes = try translatingErrors { try store.read { try $0.genesis() } }
    guard let genesis = try? Genesis(bytes: bytes), genesis.hash == device.genesis else {
      throw VaultError(
        .integrity, "the genesis in the store at \(folder.storePath) is not the one of this machine's vault",
        recoverySuggestion: folder.rejoinSuggestion)
    }
    return PinnedStore(store: store, device: device, genesis: genesis)
  }
}
