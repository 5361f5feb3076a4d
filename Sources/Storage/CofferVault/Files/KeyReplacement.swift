internal import CofferPlatform
internal import CofferSystem

/// Replaces several secret files of a vault's folder in one step.
///
/// The new files are drafted in a folder of their own. Its renaming is the step in which all of them count: from then on
/// every program reads them instead of the old ones, until they are in their places. A replacement that was interrupted
/// after this step is completed by the next program that opens the vault. One that was interrupted before has no effect.
package enum KeyReplacement {
  /// Replaces files. The caller holds the vault's lock for changes of membership, so that there is one replacement at a
  /// time. `draft` and `draftCredentials` write the new files into a folder, under their names in the vault's folder,
  /// the latter while the old credentials of `applications` are locked. If it throws, the old files still count.
  package static func run(
    in folder: VaultFolder, applications: [String], draft: (VaultFolder) throws(VaultError) -> Void,
    draftCredentials: (VaultFolder) throws(VaultError) -> Void
  ) throws(VaultError) {
    try complete(in: folder)
    let new = folder.newKeysDraft
    try remove(new)
    do throws(VaultError) {
      try draft(new)
      try locking(applications.map(folder.credentialFile(named:))[...]) { () throws(VaultError) in
        try draftCredentials(new)
        try syncFolders(of: new)
        FaultPoint.reached(.replacementDrafted)
        guard unsafe rename(new.path, folder.newKeys.path) == 0 else {
          throw systemFailure("replace the keys in \(folder.path)")
        }
        FaultPoint.reached(.replacementCommitted)
        // They count now, whatever fails: the next program that opens the vault completes the rest.
        try? SecretFile.syncFolder(folder.path)
        try? complete(in: folder)
      }
    } catch {
      try? remove(new)
      throw error
    }
  }

  /// Completes or removes a replacement that was interrupted, unless a program changes the membership or the keys at the
  /// moment. An error is ignored: the files are read where they are. A program with more rights than its user's leaves
  /// that to the others: it could move or delete for them what they cannot reach.
  static func settle(in folder: VaultFolder) {
    guard !CurrentProcess.hasElevatedPrivileges else { return }
    guard !isAbsent(folder.newKeys.path) || !isAbsent(folder.newKeysDraft.path) else { return }
    do throws(VaultError) {
      guard let lock = try FileLock.acquireUnlessHeld(path: folder.membershipLockPath) else { return }
      defer { extendLifetime(lock) }
      try complete(in: folder)
      try remove(folder.newKeysDraft)
    } catch {
      // The folder is not writable, or the disk is full.
    }
  }

  /// Moves the files of a replacement that counts into their places.
  private static func complete(in folder: VaultFolder) throws(VaultError) {
    let committed = folder.newKeys
    guard !isAbsent(committed.path) else { return }
    for file in [folder.deviceFile, folder.adminFile, folder.deliveryFile] { try file.moveSuccessorIntoPlace() }
    for name in try committed.credentialNames() { try folder.credentialFile(named: name).moveSuccessorIntoPlace() }
    try remove(committed)
  }

  /// Runs `body` while files are locked.
  private static func locking(
    _ files: ArraySlice<SecretFile>, _ body: () throws(VaultError) -> Void
  ) throws(VaultError) {
    guard let first = files.first else { return try body() }
    let lock = try first.lock(timeout: .seconds(10))
    defer { extendLifetime(lock) }
    try locking(files.dropFirst(), body)
  }

  /// Makes the names of the folders above the drafted files durable.
  private static func syncFolders(of draft: VaultFolder) throws(VaultError) {
    if !isAbsent(draft.appsPath) { try SecretFile.syncFolder(draft.appsPath) }
    try SecretFile.syncFolder(draft.path)
  }

  private static func remove(_ folder: VaultFolder) throws(VaultError) {
    do throws(SystemError) {
      try removeTree(folder.path)
    } catch {
      throw VaultError(.io, "\(error)", recoverySuggestion: "delete it, and try again")
    }
  }
}
