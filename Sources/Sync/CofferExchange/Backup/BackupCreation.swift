internal import CofferCrypto
internal import CofferFormat
package import CofferGit
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
package import CofferVault
package import Logging

/// Writes a backup of a vault: the branch that a remote would have, in one file. It needs no remote and no group key.
/// The file is read back and verified as a new machine does it, before it takes the place of an earlier backup.
package struct BackupCreation {
  private let folder: VaultFolder
  private let cancellation: Cancellation
  private let logger: Logger
  private let progress: (_ phase: String, _ done: Int, _ total: Int) -> Void

  /// `progress` is called with each phase, in words for people, and while objects are read back.
  package init(
    _ folder: VaultFolder, cancellation: Cancellation, logger: Logger,
    progress: @escaping (_ phase: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
  ) {
    self.folder = folder
    self.cancellation = cancellation
    self.logger = logger
    self.progress = progress
  }

  /// Adds a backup to a folder, and deletes all but the `count` newest ones of this machine there. If it `isScheduled`,
  /// how it went is noted in the vault's health. Throws as ``run(to:key:despiteDamage:)``, and `invalidArgument` if
  /// there is no such folder.
  package func run(into path: String, keeping count: Int, isScheduled: Bool) throws(VaultError) -> BackupReport {
    let target = BackupFolder(path: try Self.absolute(path))
    let report: BackupReport
    do throws(VaultError) {
      try target.check()
      let vault = try LocalVault.open(folder).membership().vault
      report = try run(toNew: target.newFile(of: vault, at: .now), replaces: false, nil, despiteDamage: false)
    } catch {
      if isScheduled, folder.exists, !cancellation.isCancelled {
        SyncHealth.update(in: folder) { $0.lastBackupError = VaultError.Report(error) }
      }
      throw error
    }
    if isScheduled {
      SyncHealth.update(in: folder) { health in
        health.lastBackup = report.time
        health.lastBackupError = nil
      }
    }
    return report.adding(prune(target, keeping: count, after: report))
  }

  /// Deletes the older backups. Returns what is to be known of it: the new backup is there, whatever becomes of the
  /// others.
  private func prune(_ target: BackupFolder, keeping count: Int, after report: BackupReport) -> [String] {
    guard !report.awaitsSegments else { return ["the earlier backups stay until this machine has everything"] }
    do throws(VaultError) {
      let local = try LocalVault.open(folder)
      let device = try local.deviceFile()
      let id = DeviceID(vault: try local.membership().vault, keys: device.keys.publicKeys)
      return try translatingAll {
        try target.prune(
          keeping: count, newest: report.path, of: report.time, of: id, signedBy: device.keys.signing.publicKey,
          in: folder.url, cancellation: cancellation)
      }
    } catch {
      return ["older backups were not deleted: \(error.message)"]
    }
  }

  /// Writes the file, which may replace an earlier backup of this vault, or with `replacesOther` of any. `key` is the
  /// sealed vault key that it carries, if any. With `despiteDamage`, what cannot be read of the store is left out and
  /// named in the report, and no earlier backup is replaced; otherwise throws `integrity`, and writes nothing.
  /// `foundOther` is called with the vault of a backup that is not replaced because it is another one's.
  package func run(
    to target: String, key: [UInt8]? = nil, despiteDamage: Bool = false, replacesOther: Bool = false,
    foundOther: (String) -> Void = { _ in }
  ) throws(VaultError) -> BackupReport {
    try run(
      toNew: Self.absolute(target), replaces: true, key, despiteDamage: despiteDamage, replacesOther: replacesOther,
      foundOther: foundOther)
  }

  private func run(
    toNew target: String, replaces: Bool, _ key: [UInt8]?, despiteDamage: Bool, replacesOther: Bool = false,
    foundOther: (String) -> Void = { _ in }
  ) throws(VaultError) -> BackupReport {
    // The lock of a vault that does not exist cannot be taken, and this error says what to do.
    if !folder.exists { _ = try folder.openStore() }
    let file = try NewBackupFile.create(for: target, besideOthers: !replaces)
    let lock = try FileLock.acquire(path: folder.syncLockPath, timeout: .seconds(120), purpose: "sync")
    defer { extendLifetime(lock) }
    let found = try VaultCheck.open(folder).run()
    if !found.isEmpty {
      guard despiteDamage else {
        throw Self.refusal(
          "the store is damaged", found.lines, "repair it with: coffer check --repair && coffer sync",
          mayOmit: Self.mayOmit(found))
      }
      try checkIsNew(file)
    }
    let local = try LocalVault.open(folder)
    if let error = try local.revocationError() { throw error }
    try checkOutbox(of: local)
    return try translatingAll {
      let scratch = folder.backupScratch
      // Of a run that was killed: the lock is held here.
      try? removeTree(scratch.path(percentEncoded: false))
      defer { try? removeTree(scratch.path(percentEncoded: false)) }
      if file.replacesBackup, !replacesOther { try checkIsOwn(file, local, in: scratch, foundOther) }
      // A new remote, with which this machine was never synced, may discard nothing: it has nothing.
      let log = try local.hasSynced() ? local.publishedMembership() : local.membership()
      let device = try adoptTransportKeys(of: local, log)
      var missing = found.lines
      if missing.isEmpty {
        try OutgoingObjects.sealSegments(local: local, device: device, by: log)
      } else if let unsent = try Self.unsent(in: local) {
        missing.append(unsent)
      }
      let repository = try Repository.open(at: Self.path("new.git", in: scratch), creatingIfNeeded: true)
      let contents = try BackupContents.write(local, device: device, to: repository)
      missing += contents.missing
      if !missing.isEmpty {
        // What the check does not miss, the store has never had: the next sync brings it, or names who withholds it.
        guard despiteDamage else {
          throw Self.refusal("the backup would not be complete", missing, "exchange the rest with: coffer sync")
        }
        try checkIsNew(file)
      }
      let statement = try self.statement(contents, key, isComplete: missing.isEmpty, local, device)
      let byteCount = try write(contents, statement, key, from: repository, to: file)
      FaultPoint.reached(.backupWritten)
      let reading = try verify(file, in: scratch, statement, device, local)
      let lost = try lacks(reading, local)
      // What was sound in the store has to be sound in the file.
      if missing.isEmpty, let first = lost.first {
        throw VaultError(
          .io, "the new backup does not read back as it was written: \(first)",
          recoverySuggestion: "check the disk and try again; \(target) was not changed")
      }
      try checkSize(of: reading)
      let itemCount = try count(reading)
      FaultPoint.reached(.backupVerified)
      try file.moveIntoPlace()
      return BackupReport(
        path: target, byteCount: byteCount, time: statement.contents.time.date, fileCount: contents.files.count,
        membershipEntries: Int(clamping: contents.log.sequence), itemCount: itemCount,
        localItemCount: contents.localItemCount, hasVaultKey: key != nil, missing: missing + lost,
        awaitsSegments: contents.awaitsSegments, notes: contents.notes)
    }
  }

  /// A backup that lacks something must not replace one that may have it.
  private func checkIsNew(_ file: NewBackupFile) throws(VaultError) {
    guard file.replacesBackup else { return }
    throw VaultError(
      .invalidArgument, "\(file.target) exists, and a backup that lacks something replaces no other",
      recoverySuggestion: "name another file; nothing was written")
  }

  /// A backup of another vault may be the only one of that. One that is damaged does not say what it was, and is
  /// replaced.
  private func checkIsOwn(
    _ file: NewBackupFile, _ local: LocalVault, in scratch: URL, _ foundOther: (String) -> Void
  ) throws {
    let earlier: BackupStatement.Contents
    do throws(VaultError) {
      let unpacking = BackupUnpacking(cancellation: cancellation)
      earlier = try unpacking.unpack(file.target, into: Self.path("earlier.git", in: scratch)).statement.contents
    } catch {
      guard [.integrity, .invalidArgument].contains(error.code) else { throw error }
      return
    }
    guard try earlier.vault != local.membership().vault else { return }
    foundOther("\(earlier.vault)")
    throw VaultError(
      .invalidArgument, "\(file.target) is a backup of another vault, \(earlier.vault); nothing was changed",
      recoverySuggestion: "name another file, or replace that backup with --replace-other")
  }

  /// Takes the transport keys out of the entries of the log that cannot be discarded any more, as a sync does: whoever
  /// has an earlier one may have been removed since. Without a remote, nothing else takes them.
  private func adoptTransportKeys(of local: LocalVault, _ log: Membership) throws -> DeviceFile {
    var device = try local.deviceFile()
    let length = log.head.sequence
    for key in try local.store.read({ try local.newTransportKeys(for: device, through: length, in: $0) }) {
      device = device.adding(key)
      try local.keep(device)
    }
    return device
  }

  /// Whether what differs can be left out: without the log or the slot of its root, nobody opens the rest.
  private static func mayOmit(_ found: CheckReport) -> Bool {
    !found.rows.contains { ["log", "vault"].contains($0.table) }
  }

  private static func absolute(_ path: String) throws(VaultError) -> String {
    guard path.hasPrefix("/") || CurrentProcess.workingDirectory != nil else {
      throw VaultError(
        .invalidArgument,
        "\(path.sanitizedForTerminal()) is relative, and the path of the working directory is not UTF-8",
        recoverySuggestion: "give the file's whole path")
    }
    // Parts such as ".." are left to the system, which follows links before them.
    let absolute = path.hasPrefix("/") ? path : "\(CurrentProcess.workingDirectory ?? "")/\(path)"
    return absolute.count > 1 && absolute.hasSuffix("/") ? String(absolute.dropLast()) : absolute
  }

  private static func path(_ name: String, in folder: URL) -> String {
    folder.appending(path: name).path(percentEncoded: false)
  }

  /// Only a sync finds out which segments of a store that was built anew are this machine's. To seal others before
  /// would give two segments one number.
  private func checkOutbox(of local: LocalVault) throws(VaultError) {
    let awaited = try translatingErrors { try local.store.read { try $0.setting(.awaitedRepair) } }
    guard let awaited, awaited != Setting.outboxUnknown else { return }
    throw VaultError(
      .integrity, "the store awaits objects that only the remote has", recoverySuggestion: "run `coffer sync` first")
  }

  /// Returns what is not sealed. In a damaged store, the number of the next segment may be one that this machine has
  /// used.
  private static func unsent(in local: LocalVault) throws -> String? {
    let count = try local.store.read { try $0.outboxCount() }
    guard count > 0 else { return nil }
    return "\(counted(count, "change")) of this machine that \(count == 1 ? "was" : "were") not sent"
  }

  private static func refusal(
    _ reason: String, _ lines: [String], _ advice: String, mayOmit: Bool = true
  ) -> VaultError {
    let more = lines.count > 1 ? ", and \(lines.count - 1) more" : ""
    return VaultError(
      .integrity, "\(reason), and nothing was written: \(lines[0])\(more)",
      recoverySuggestion: advice
        + (mayOmit ? "; or back up what can be read to another file, with --despite-damage" : ""))
  }

  private func statement(
    _ contents: BackupContents, _ key: [UInt8]?, isComplete: Bool, _ local: LocalVault, _ device: DeviceFile
  ) throws -> BackupStatement {
    let vault = try local.membership().vault
    return BackupStatement(
      BackupStatement.Contents(
        vault: vault, time: .now, branch: contents.branch, log: contents.log, files: contents.files.hash,
        key: key.map(BackupFileList.hash), localItemCount: UInt32(clamping: contents.localItemCount),
        isComplete: isComplete),
      device: DeviceID(vault: vault, keys: device.keys.publicKeys), key: device.keys.signing)
  }

  /// Writes the bundle. Returns its size.
  private func write(
    _ contents: BackupContents, _ statement: BackupStatement, _ key: [UInt8]?, from repository: Repository,
    to file: NewBackupFile
  ) throws -> Int {
    progress("writing the backup", 0, 0)
    var files = [(path: BackupLayout.statement, bytes: statement.bytes)]
    if let key { files.append((BackupLayout.key, key)) }
    let marker = try repository.commit(adding: files, onto: nil)
    let failure = WriteFailure()
    let cancellation = cancellation
    do {
      try repository.writeBundle([
        (BackupLayout.reference, marker), (RemoteLayout.reference(of: contents.branch), contents.commit),
      ]) { (bytes) throws(GitError) in
        if cancellation.isCancelled { throw GitError(.cancelled, "interrupted", context: file.target) }
        do throws(VaultError) {
          try file.write(bytes)
        } catch {
          failure.error = error
          throw GitError(.io, error.message, context: file.target)
        }
      }
    } catch {
      if let error = failure.error { throw error }
      throw error
    }
    return try file.complete()
  }

  private final class WriteFailure {
    var error: VaultError?
  }

  /// Reads the file back, as a machine that has nothing else: with the limits of a clone, and with keys that open
  /// nothing but the envelopes. Throws if a restore would refuse it.
  private func verify(
    _ file: NewBackupFile, in scratch: URL, _ statement: BackupStatement, _ device: DeviceFile, _ local: LocalVault
  ) throws -> RepositoryImport.Reading {
    let path = Self.path("read.git", in: scratch)
    do {
      var reading = try read(file, into: path, scratch, statement, device, local)
      try check(statement, in: reading)
      reading.problems = reading.problems.map {
        SyncProblem($0.kind, $0.message.replacing(path, with: "the backup"))
      }
      return reading
    } catch {
      let failure = (error as? GitError).map { VaultError($0) } ?? VaultError(translating: error)
      guard failure.code == .integrity else { throw failure }
      throw VaultError(
        .integrity,
        "nobody could restore the new backup, so nothing was written: \(failure.message.replacing(path, with: "it"))",
        recoverySuggestion: "repair the store with: coffer check --repair && coffer sync")
    }
  }

  private func read(
    _ file: NewBackupFile, into path: String, _ scratch: URL, _ statement: BackupStatement, _ device: DeviceFile,
    _ local: LocalVault
  ) throws -> RepositoryImport.Reading {
    let unpacking = BackupUnpacking(cancellation: cancellation) { [progress] in
      progress("reading the backup", $0.receivedObjects, $0.totalObjects)
    }
    let unpacked: BackupUnpacking.Outcome
    do throws(VaultError) {
      unpacked = try unpacking.unpack(file.path, into: path)
    } catch {
      guard error.code == .integrity else { throw error }
      // It was written from objects that were sound.
      throw VaultError(
        .io, "the new backup does not read back as it was written: \(error.message.replacing(file.path, with: "it"))",
        recoverySuggestion: "check the disk and try again; \(file.target) was not changed")
    }
    guard unpacked.statement.bytes == statement.bytes else {
      throw BackupUnpacking.damage(file.target, "it reads back otherwise than it was written")
    }
    progress("verifying the backup", 0, 0)
    try unpacking.download(
      unpacked, into: VaultFolder(scratch.appending(path: "read", directoryHint: .isDirectory)))
    let later = try local.store.read { reader in
      try local.newTransportKeys(for: device, through: statement.contents.log.sequence, in: reader)
    }
    let reader = DeviceFile(
      genesis: device.genesis, keys: .random(), localSecret: .random(count: 32),
      transportKeys: device.transportKeys + later)
    return try RepositoryImport(cancellation: cancellation, logger: logger).read(
      unpacked.repository, [unpacked.branch: unpacked.tip], at: RemoteURL(unpacked.repository.path), with: reader)
  }

  /// Checks what a restore demands of the machine that has signed the statement, and that the vault key has a slot to
  /// open.
  private func check(_ statement: BackupStatement, in reading: RepositoryImport.Reading) throws {
    try reading.local.store.read { reader in
      let chain = try reading.local.branches(in: reader).chain
      guard chain.counts(.backup, by: statement.device, isSigned: statement.isSigned(by:)) else {
        throw VaultError(
          .notEntitled, "this machine is not in the vault by the membership log that the backup would have",
          recoverySuggestion: "make the backup on another machine, or run `coffer sync` first; nothing was written")
      }
      guard chain.head == statement.contents.log, try RootSlots.read(from: reader, in: chain).current != nil else {
        throw VaultError(
          .integrity, "the end of its membership log, or the slot that the vault key opens, is missing",
          recoverySuggestion: "repair the store with: coffer check --repair && coffer sync")
      }
    }
  }

  /// Returns what the backup lacks of this machine's vault, a line each.
  private func lacks(_ reading: RepositoryImport.Reading, _ local: LocalVault) throws -> [String] {
    // What others have seen and this machine has not is no fault of the backup.
    var lines = reading.problems.filter { $0.kind == .unusable }.map(\.message)
    let count = try local.store.read { own in
      try reading.local.store.write { copy in
        try own.sharedHeads().count { hash in
          guard let stored = try own.record(hash) else { return false }
          if let held = try copy.record(hash) { return held.validity != .valid }
          return try !copy.isHeld(RecordSkeleton(bytes: stored.signedBytes))
        }
      }
    }
    if count > 0 { lines.append("\(counted(count, "current version")) of items") }
    return lines
  }

  /// A restore reads all of it into memory, and refuses more.
  private func checkSize(of reading: RepositoryImport.Reading) throws {
    guard try reading.local.store.read({ try $0.byteCount() }) < RepositoryReading.maximumByteCount else {
      throw VaultError(
        .io, "the vault is too large for a backup: restoring one reads at most 1 GiB",
        recoverySuggestion: "drop its history on an admin's machine with: coffer compact")
    }
  }

  private func count(_ reading: RepositoryImport.Reading) throws -> Int {
    try reading.local.store.read { reader in
      try reading.local.membership(in: reader).groups.keys.reduce(0) { try $0 + reader.itemCount(in: $1) }
    }
  }
}
