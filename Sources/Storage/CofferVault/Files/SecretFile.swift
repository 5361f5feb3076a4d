internal import CofferCrypto
package import CofferFormat
internal import CofferPlatform
internal import CofferSystem

/// A small file of secrets, at most 1 MiB, that only its owner may read. It is written completely or not at all.
///
/// A file of a vault may have a successor: a file that replaces it as one of several, see ``KeyReplacement``. Reads
/// then return the successor, and a write first moves it into place.
package struct SecretFile: Sendable {
  package let path: String
  /// The path of the successor; nil for a file that is never replaced together with others.
  private let successor: String?
  /// Whether somebody else provides the file: a system that hands secrets to services and containers.
  private let isProvided: Bool
  /// The name of its content in errors.
  private let name: String
  /// The recovery suggestion if the file is damaged.
  private let recoverySuggestion: String

  private static let maximumByteCount = 1 << 20

  /// The path of the successor is nil for a file that is never replaced together with others. With `isProvided`, a
  /// system that hands secrets to services and containers may provide the file: it may be a symbolic link, and other
  /// users may read it if it belongs to root. `name` is the name of its content in errors, and the recovery suggestion
  /// is for a damaged file.
  package init(
    path: String, successor: String? = nil, isProvided: Bool = false, name: String, recoverySuggestion: String
  ) {
    self.path = path
    self.successor = successor
    self.isProvided = isProvided
    self.name = name
    self.recoverySuggestion = recoverySuggestion
  }

  /// Whether the file exists. True also if that cannot be determined: reading the file gives the reason.
  package var exists: Bool { !isAbsent(path) || successor.map { !isAbsent($0) } ?? false }

  /// Reads the file and passes its bytes to `body`. The bytes are wiped afterwards. Throws `integrity` if the path
  /// leads to a named pipe, a device or anything else that is not a regular file, or if `body` finds damage. Throws
  /// `readOnly` if the file belongs to another user than this process's and root, or if other users can read it.
  package func read<Result>(_ body: ([UInt8]) throws -> Result) throws(VaultError) -> Result {
    var bytes = try content()
    defer { bytes.wipe() }
    do {
      return try body(bytes)
    } catch let error as FormatError where error.code == .otherKind && isProvided {
      // The wrong file, rather than a damaged one.
      throw VaultError(
        .integrity, "the file \(path) does not contain \(name)", recoverySuggestion: recoverySuggestion)
    } catch let error as FormatError where error.code != .unsupportedVersion {
      throw VaultError(.integrity, "\(name) at \(path) is damaged: \(error)", recoverySuggestion: recoverySuggestion)
    } catch {
      throw VaultError(translating: error)
    }
  }

  private func content() throws(VaultError) -> [UInt8] {
    do throws(RegularFile.Refusal) {
      let file = try openNewest()
      guard file.byteCount <= Self.maximumByteCount else { throw .notRegular }
      try file.checkAccess(allowsSharedFilesOfRoot: isProvided)
      return try file.read(upTo: file.byteCount)
    } catch {
      switch error {
      case .system(let number):
        let failure = systemFailure("read \(name) at \(path)", number: number)
        // What is damaged and what is missing are recovered in the same way.
        guard number == ENOENT else { throw failure }
        throw VaultError(failure.code, failure.message, recoverySuggestion: recoverySuggestion)
      case .notRegular:
        throw VaultError(
          .integrity, "\(name) at \(path) is not a regular file of at most 1 MiB",
          recoverySuggestion: recoverySuggestion)
      case .foreign(let owner):
        throw VaultError(
          .readOnly, "\(name) at \(path) belongs to another user (uid \(owner))",
          recoverySuggestion: "run the program as that user, or take ownership with: chown \(geteuid()) '\(path)'")
      case .exposed(let mode):
        throw VaultError(
          .readOnly, "\(name) at \(path) can be read by other users (mode \(String(mode, radix: 8)))",
          recoverySuggestion: "restrict the permissions with: chmod 600 '\(path)'")
      }
    }
  }

  /// Opens the successor or, if there is none, the file. Another program may move the successor into place in between.
  private func openNewest() throws(RegularFile.Refusal) -> RegularFile {
    if let successor {
      do throws(RegularFile.Refusal) {
        return try RegularFile.open(successor, followsLinks: false)
      } catch {
        guard case .system(ENOENT) = error else { throw error }
      }
    }
    return try RegularFile.open(path, followsLinks: isProvided)
  }

  /// Moves the successor, if there is one, into the file's place.
  func moveSuccessorIntoPlace() throws(VaultError) {
    guard let successor, !isAbsent(successor) else { return }
    try makeFolder()
    // Another program may have moved it.
    guard unsafe rename(successor, path) == 0 || errno == ENOENT else { throw failure("write") }
    FaultPoint.reached(.successorMoved)
    try Self.syncFolder(folder)
  }

  /// Prevents other programs from replacing the file for as long as the lock lives. Throws `io` if another program
  /// holds the lock for longer than `timeout`.
  package func lock(timeout: Duration) throws(VaultError) -> FileLock {
    try makeFolder()
    return try FileLock.acquire(path: "\(path).lock", timeout: timeout, purpose: "change of \(name)")
  }

  private var folder: String { path.parentFolder }

  private func makeFolder() throws(VaultError) {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw failure("write")
    }
  }

  /// Removes the temporary files of programs that were killed between writing and renaming: they hold the same secrets
  /// as the file.
  private func removeAbandoned() {
    let prefix = (path.split(separator: "/").last ?? "") + "."
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
    for name in names where name.hasPrefix(prefix) && name.hasSuffix(".new") {
      let file = "\(folder)/\(name)"
      // A recent one may belong to another program that is about to rename it.
      guard let date = try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date,
        date.timeIntervalSinceNow < -60
      else { continue }
      unsafe unlink(file)
    }
  }

  /// Replaces the file durably: writes a temporary file, syncs it, renames it into place, and syncs the folder. Wipes
  /// `bytes`.
  package func write(wiping bytes: inout [UInt8]) throws(VaultError) {
    defer { bytes.wipe() }
    try makeFolder()
    removeAbandoned()
    try moveSuccessorIntoPlace()
    let temporary = "\(path).\(hexadecimal(Random.bytes(count: 6))).new"
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("write") }
    var isOpen = true
    defer { if isOpen { close(descriptor) } }
    do throws(VaultError) {
      if let number = unsafe bytes.withUnsafeBytes({ unsafe StandardOutput.writeAll($0, to: descriptor) }) {
        throw systemFailure("write \(name) at \(path)", number: number)
      }
      guard fsync(descriptor) == 0 else { throw failure("write") }
      isOpen = false
      FaultPoint.reached(.secretFileWritten)
      guard close(descriptor) == 0, unsafe rename(temporary, path) == 0 else { throw failure("write") }
    } catch {
      unsafe unlink(temporary)
      throw error
    }
    FaultPoint.reached(.secretFileRenamed)
    try Self.syncFolder(folder)
  }

  /// Deletes the file and its successor durably. Does nothing if they do not exist.
  package func remove() throws(VaultError) {
    guard exists else { return }
    for path in [successor, path].compactMap(\.self) {
      guard unsafe unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw failure("delete") }
    }
    try Self.syncFolder(folder)
  }

  /// Makes the names in a folder durable (fsync).
  package static func syncFolder(_ folder: String) throws(VaultError) {
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw systemFailure("open \(folder)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw systemFailure("sync \(folder)") }
  }

  private func failure(_ verb: String) -> VaultError { systemFailure("\(verb) \(name) at \(path)") }
}

extension SecretFile {
  /// Reads the object in the file. Throws as ``read(_:)``.
  package func read<Object: SecretObject>(_ type: Object.Type = Object.self) throws(VaultError) -> Object {
    try read { try Object(secretBytes: $0) }
  }

  /// Reads the object in the file. Throws as ``read(_:)``, and `integrity` if it belongs to another vault than that of
  /// a genesis.
  package func read<Object: SecretObject>(
    _ type: Object.Type = Object.self, of genesis: EntryHash
  ) throws(VaultError) -> Object {
    let object = try read(type)
    guard object.genesis == genesis else {
      throw VaultError(
        .integrity, "\(path) belongs to another vault",
        recoverySuggestion: "the folder was exchanged; restore the original folder")
    }
    return object
  }

  /// Replaces the file durably by an object. Throws as ``write(wiping:)``.
  package func write(_ object: some SecretObject) throws(VaultError) {
    var bytes = object.secretBytes()
    try write(wiping: &bytes)
  }
}

/// Replaces several secret files of a vault's folder in one step.
///
/// The new files are drafted in a folder of their own. Its renaming is the step in which all of them count: from then
/// on every program reads them instead of the old ones, until they are in their places. A replacement that was
/// interrupted after this step is completed by the next program that opens the vault. One that was interrupted before
/// has no effect.
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
    try deleteTree(new.path)
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
      try? deleteTree(new.path)
      throw error
    }
  }

  /// Completes or removes a replacement that was interrupted, unless a program changes the membership or the keys at
  /// the moment. An error is ignored: the files are read where they are. A program with more rights than its user's
  /// leaves that to the others: it could move or delete for them what they cannot reach. So does root in a folder that
  /// another user can exchange, such as one in that user's home: the store that was opened can be another one's.
  static func settle(in folder: VaultFolder) {
    guard !CurrentProcess.hasElevatedPrivileges else { return }
    guard !isAbsent(folder.newKeys.path) || !isAbsent(folder.newKeysDraft.path) else { return }
    guard geteuid() != 0 || ProtectedPath.weakness(of: folder.path) == nil else { return }
    do throws(VaultError) {
      guard let lock = try FileLock.acquireUnlessHeld(path: folder.membershipLockPath) else { return }
      defer { extendLifetime(lock) }
      try complete(in: folder)
      try deleteTree(folder.newKeysDraft.path)
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
    try deleteTree(committed.path)
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
}
