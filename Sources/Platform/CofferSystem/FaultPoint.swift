internal import CofferPlatform

/// A step of a write, a sync or the creation of a vault, at which tests kill the program.
///
/// Only debug builds react to the environment variables below; in a release build a step does nothing. Programs that
/// gained privileges when they were started ignore the variables.
///
/// - `COFFER_FAULT_LOG`: a file to which every process appends a line with the name of each step that it reaches.
/// - `COFFER_FAULT_POINT`: `NAME:N`. The process that appends the N-th line with this name kills itself with SIGKILL.
/// - `COFFER_FAULT_ROOT`: the identifier of a process that is killed first, if it is another one: the program that
///   started this one.
///
/// A simulation, which has many machines in one process, observes the steps with ``withObserver(_:_:)``.
package enum FaultPoint: String, CaseIterable, Sendable {
  // MARK: The store

  /// All changes of a transaction are made, and it is not committed.
  case transactionComplete
  /// A transaction is on the disk.
  case transactionCommitted
  /// A new store is complete under its temporary name.
  case storeDrafted
  /// A new store has its name, and the temporary name exists too.
  case storeLinked
  /// A file of a store that is replaced has another name.
  case storeFileSetAside
  /// A rebuilt store has the name of the old one.
  case storeReplaced

  // MARK: Files

  /// The temporary file of a secret file is on the disk.
  case secretFileWritten
  /// A secret file has its name, and the folder is not synced.
  case secretFileRenamed
  /// The draft of a replacement of several secret files is on the disk, and does not count.
  case replacementDrafted
  /// A replacement of several secret files counts, and they are not in their places.
  case replacementCommitted
  /// One of the files of a replacement is in its place.
  case successorMoved
  /// The transport key of a new log entry is in the device file, and the entry is not in the log.
  case transportKeyWritten
  /// The file with a new vault's key is on the disk.
  case vaultKeyWritten
  /// The lock beside a staging folder exists, and the folder does not.
  case stagingLocked
  /// The staging folder exists.
  case stagingCreated
  /// The vault in the staging folder is complete.
  case stagingComplete
  /// The vault has its name, and the lock beside the staging folder still exists.
  case vaultMoved

  /// An app has registered itself and has its credential.
  case appRegistered

  // MARK: A vault that joins another one

  /// The apps of the vault are registered in the other one, and have their credentials there.
  case appsJoined
  /// The items of the vault are in the other one, too.
  case itemsTaken
  /// The other vault has its place, and programs cannot write to the former one any more.
  case formerVaultRetired
  /// The folder of the former vault has the name of a leftover.
  case formerVaultDiscarded

  // MARK: A clone

  /// The files of a clone are downloaded, and not verified.
  case vaultDownloaded
  /// The store of a clone has the log, and the downloaded files still exist.
  case downloadImported

  // MARK: A sync

  /// The remote's branch is in the cache.
  case remoteFetched
  /// A log entry of the remote is in the store.
  case logEntryImported
  /// Segments are withdrawn, because the remote has others under their numbers, and the transaction may not be
  /// committed.
  case segmentsWithdrawn
  /// A segment of the remote is imported, and the transaction with it may not be committed.
  case segmentImported
  /// A segment, or a page, of pending and refused records is validated again.
  case recordsRevalidated
  /// A segment of this machine is in the store.
  case segmentSealed
  /// The commit to be pushed is in the cache.
  case commitWritten
  /// The remote has all objects of a push, and has not answered.
  case pushSent
  /// The remote has accepted a push, and the cache does not show it.
  case pushAccepted
  /// The cache shows an accepted push, and the store does not.
  case pushRecorded

  // MARK: An epoch

  /// A part of the branch of the next epoch is at the remote.
  case candidatePushed
  /// The epoch is closed at the remote, and the branch of the next one does not say so.
  case epochClosed
  /// The branch of the next epoch is complete at the remote.
  case epochOpened
  /// A chunk of a snapshot is imported.
  case chunkImported
  /// This machine follows another epoch.
  case epochAdopted
  /// The branch of the epoch before is deleted at the remote.
  case branchDeleted

  // MARK: A backup

  /// A backup is complete beside its place, and was not read back.
  case backupWritten
  /// A backup was read back, and is not in its place.
  case backupVerified
  /// A backup is in its place, and the folder is not synced.
  case backupMoved
  /// A backup that is restored is unpacked.
  case backupUnpacked

  /// Kills this process if a test has chosen this step.
  package static func reached(_ point: FaultPoint) {
    #if DEBUG
      if let observer { return observer(point) }
      Fault.configured?.reach(point)
    #endif
  }

  #if DEBUG
    @TaskLocal private static var observer: (@Sendable (FaultPoint) -> Void)?

    /// Calls `observer` for each step that `body` reaches on this thread, in place of what the environment describes.
    package static func withObserver<Result>(
      _ observer: @escaping @Sendable (FaultPoint) -> Void, _ body: () throws -> Result
    ) rethrows -> Result {
      try $observer.withValue(observer, operation: body)
    }
  #endif
}

#if DEBUG
  /// The fault that the environment describes.
  private struct Fault: Sendable {
    private let log: String
    private let victim: (name: String, count: Int)?
    private let root: pid_t?

    /// Nil if the environment describes none.
    static let configured: Fault? = {
      let environment = CurrentProcess.environment
      guard let log = environment["COFFER_FAULT_LOG"] else { return nil }
      let parts = environment["COFFER_FAULT_POINT"].map { $0.split(separator: ":") } ?? []
      let count = parts.count == 2 ? Int(parts[1]) : nil
      return Fault(
        log: log, victim: count.map { (String(parts[0]), $0) },
        root: environment["COFFER_FAULT_ROOT"].flatMap { pid_t($0) })
    }()

    func reach(_ point: FaultPoint) {
      let file = unsafe open(log, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
      guard file >= 0 else { return }
      defer { close(file) }
      let line = Array("\(point.rawValue)\n".utf8)
      _ = unsafe write(file, line, line.count)
      guard let victim, victim.name == point.rawValue, count(of: point, in: file) == victim.count else { return }
      if let root, root != getpid() { kill(root, SIGKILL) }
      kill(getpid(), SIGKILL)
    }

    private func count(of point: FaultPoint, in file: Int32) -> Int {
      var text: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = unsafe pread(file, &block, block.count, off_t(text.count))
        guard count > 0 else { break }
        text += block[..<count]
      }
      return text.split(separator: UInt8(ascii: "\n")).count { $0.elementsEqual(point.rawValue.utf8) }
    }
  }
#endif
