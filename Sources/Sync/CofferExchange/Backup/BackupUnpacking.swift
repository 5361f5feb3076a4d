internal import CofferCrypto
internal import CofferFormat
package import CofferGit
internal import CofferPlatform
internal import CofferSystem
package import CofferVault

/// Reads a backup into a repository, from which a clone can be made. It needs no key, and trusts nothing of the file.
package struct BackupUnpacking {
  private let cancellation: Cancellation
  private let progress: ((TransferProgress) -> Void)?

  /// `progress` is called while objects are read.
  package init(cancellation: Cancellation = Cancellation(), progress: ((TransferProgress) -> Void)? = nil) {
    self.cancellation = cancellation
    self.progress = progress
  }

  /// Reads a file into a new repository in a staging folder, and writes what a clone verifies into its `incoming`, as
  /// ``VaultDownload`` does. Throws `integrity` if the file is damaged, and `invalidArgument` if it is no backup of a
  /// vault.
  package func run(_ file: String, into staging: VaultFolder) throws(VaultError) -> UnpackedBackup {
    let path = staging.url.appending(path: "backup.git").path(percentEncoded: false)
    let outcome = try unpack(file, into: path)
    try translatingAll { try download(outcome, into: staging) }
    return outcome.report
  }

  /// Writes what a clone verifies of a backup, within the limits of a clone.
  func download(_ backup: Outcome, into staging: VaultFolder) throws {
    _ = try VaultDownload().write(
      [backup.branch: backup.tip], of: backup.repository, RemoteURL(backup.repository.path), into: staging)
  }

  /// A backup in a repository.
  struct Outcome {
    let report: UnpackedBackup
    let repository: Repository
    let branch: EpochBranch
    let tip: ObjectID
    let statement: BackupStatement
  }

  func unpack(_ file: String, into path: String) throws(VaultError) -> Outcome {
    try translatingAll {
      let source = try open(file)
      let repository = try Repository.open(at: path, creatingIfNeeded: true)
      do {
        return try read(source, into: repository, named: file)
      } catch let error as GitError where ![.diskFull, .permissionDenied, .io, .cancelled].contains(error.code) {
        throw error.code == .rejected
          ? Self.foreign(file, error.message) : Self.damage(file, error.message)
      }
    }
  }

  private func open(_ file: String) throws(VaultError) -> RegularFile {
    do throws(RegularFile.Refusal) {
      return try RegularFile.open(file, followsLinks: true)
    } catch {
      guard case .system(let number) = error else {
        throw VaultError(
          .invalidArgument, "\(file) is no regular file", recoverySuggestion: "name the file of a backup")
      }
      throw systemFailure("read \(file)", number: number)
    }
  }

  private static let chunkByteCount = 1 << 16

  private func read(_ source: borrowing RegularFile, into repository: Repository, named file: String) throws -> Outcome
  {
    var offset = 0
    var failure: VaultError?
    let references: [String: ObjectID]
    do throws(GitError) {
      references = try repository.readBundle(progress: progress) { () throws(GitError) in
        if cancellation.isCancelled { throw GitError(.cancelled, "interrupted", context: file) }
        do throws(RegularFile.Refusal) {
          let bytes = try source.read(from: offset, upTo: Self.chunkByteCount)
          offset += bytes.count
          return bytes
        } catch {
          if case .system(let number) = error { failure = systemFailure("read \(file)", number: number) }
          throw GitError(.io, "cannot be read", context: file)
        }
      }
    } catch {
      if let failure { throw failure }
      throw error
    }
    guard let marker = references[BackupLayout.reference] else {
      throw Self.foreign(file, "it has no statement of the machine that has made it")
    }
    let others = references.filter { $0.key != BackupLayout.reference }
    guard others.count == 1, let (name, tip) = others.first, name.hasPrefix("refs/heads/"),
      let branch = EpochBranch(name: String(name.dropFirst("refs/heads/".count)))
    else { throw Self.foreign(file, "it does not have the branch of one vault") }
    guard try !repository.hasParents(marker), try !repository.hasParents(tip) else {
      throw Self.damage(file, "it has a history")
    }
    return try check(marker, branch, tip, in: repository, named: file, byteCount: offset)
  }

  /// Compares the files with those that the statement names.
  private func check(
    _ marker: ObjectID, _ branch: EpochBranch, _ tip: ObjectID, in repository: Repository, named file: String,
    byteCount: Int
  ) throws -> Outcome {
    func small(_ path: String, in commit: ObjectID) throws(GitError) -> [UInt8]? {
      try repository.blob(at: path, in: commit, maximumByteCount: BackupLayout.byteLimit)
    }
    guard let bytes = try small(BackupLayout.statement, in: marker), let statement = try? BackupStatement(bytes: bytes)
    else { throw Self.damage(file, "the statement of the machine that has made it cannot be read") }
    for change in try repository.changes(from: FileTree(), to: marker) {
      guard change.kind == .added, change.mode == .regular,
        [BackupLayout.statement, BackupLayout.key].contains(change.path)
      else { throw Self.damage(file, "it has something that no backup has: \(change.path.sanitizedForTerminal())") }
    }
    let key = try small(BackupLayout.key, in: marker)
    let files = try list(tip, of: repository, named: file)
    let contents = statement.contents
    guard contents.branch == branch, contents.files == files.hash, contents.key == key.map(BackupFileList.hash) else {
      throw Self.damage(file, "its files are not those that its machine has put into it")
    }
    guard let genesis = try small(RemoteLayout.Place.genesis.path, in: tip) else {
      throw Self.damage(file, "it lacks the file genesis")
    }
    try repository.setReference(RemoteLayout.reference(of: branch), to: tip)
    return Outcome(
      report: UnpackedBackup(
        repository: repository.path, byteCount: byteCount, fileCount: files.count, statement: Data(bytes),
        key: key.map { Data($0) }, genesis: Data(genesis)),
      repository: repository, branch: branch, tip: tip, statement: statement)
  }

  private func list(_ tip: ObjectID, of repository: Repository, named file: String) throws -> BackupFileList {
    var files = BackupFileList()
    for change in try repository.changes(from: FileTree(), to: tip) {
      guard change.kind == .added, change.mode == .regular, change.folderOfUnusableName == nil,
        let content = change.content, RemoteLayout.Place(change.path) != nil
      else { throw Self.damage(file, "it has something that no vault has: \(change.path.sanitizedForTerminal())") }
      files.add(change.path, try repository.blob(content, maximumByteCount: Limits.objectByteCount))
      if cancellation.isCancelled { throw GitError(.cancelled, "interrupted", context: file) }
    }
    return files
  }

  static func damage(_ file: String, _ what: String) -> VaultError {
    VaultError(
      .integrity, "the backup \(file.sanitizedForTerminal(limit: 500)) is damaged: \(what)",
      recoverySuggestion: "take another copy of it, or an earlier backup; nothing was changed")
  }

  private static func foreign(_ file: String, _ what: String) -> VaultError {
    VaultError(
      .invalidArgument, "\(file.sanitizedForTerminal(limit: 500)) is no backup of Coffer: \(what)",
      recoverySuggestion: "name a file that `coffer backup` has written; to use a git repository, run: coffer clone URL"
    )
  }
}
