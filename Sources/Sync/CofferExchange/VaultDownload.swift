internal import CofferCrypto
internal import CofferFormat
package import CofferGit
internal import CofferPlatform
internal import CofferSystem
package import CofferVault

/// The first half of a clone: downloads the objects that only the vault key can verify.
package struct VaultDownload {
  private let access: RemoteAccess
  private let roundByteCount: Int
  private let cancellation: Cancellation
  private let progress: ((TransferProgress) -> Void)?

  /// Creates a download. The options of `access` are stored for later syncs. `roundByteCount` is the size of the
  /// entries of the log that are written at once: only the vault key, which this program does not have, can verify
  /// them, and an attacker with push access could have added any number. `progress` is called while objects arrive.
  package init(
    access: RemoteAccess = RemoteAccess(), roundByteCount: Int = IncomingFiles.roundByteCount,
    cancellation: Cancellation = Cancellation(), progress: ((TransferProgress) -> Void)? = nil
  ) {
    self.access = access
    self.roundByteCount = roundByteCount
    self.cancellation = cancellation
    self.progress = progress
  }

  /// Fetches the branches of all epochs into a folder's cache, and writes what a clone verifies to `incoming`: of each
  /// branch the genesis, the root slots, the membership log and the file with which it begins, as they are and as they
  /// were before. An attacker with push access could have altered any of them. Throws `integrity` if the repository has
  /// no vault. Returns a line for each branch that could not be fetched.
  package func run(from text: String, into folder: VaultFolder) throws(VaultError) -> [String] {
    try translatingAll {
      let url = try RemoteURL(text)
      let connection = try access.connect(to: url, cachedIn: folder, cancellation: cancellation)
      let repository = connection.repository
      let fetch = try BranchFetch.all(from: connection, progress: progress)
      let tip = try write(fetch.tips, of: repository, url, into: folder, otherwise: fetch.faults.first?.error)
      // The first sync follows one of them, and need not fetch it again.
      if let tip { try repository.setReference(RemoteLayout.cached, to: tip) }
      BranchFetch.forget(in: repository)
      FaultPoint.reached(.vaultDownloaded)
      return fetch.faultLines
    }
  }

  /// Writes what a clone verifies of the branches that were fetched, as ``run(from:into:)`` does.
  func write(
    _ tips: [EpochBranch: ObjectID], of repository: Repository, _ url: RemoteURL, into folder: VaultFolder,
    otherwise fault: GitError? = nil
  ) throws -> ObjectID? {
    try FileManager.default.createDirectory(
      at: folder.incoming, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data(url.description.utf8).write(to: folder.incoming.appending(path: "url"))
    try access.options.write(to: folder.incoming)
    let branches = tips.sorted { RemoteState.isLater($0.key, than: $1.key) }
    var download = HistoryDownload(
      repository: repository, incoming: IncomingFiles(folder.incoming), remainingByteCount: roundByteCount)
    try download.write(branches.map(\.key.name), at: branches.map(\.value))
    if !download.hasGenesis, let fault { throw fault }
    guard download.hasGenesis else { throw VaultError.damagedVault(url, "it lacks the file genesis") }
    return try branches.first { branch, tip in
      try branch == .first || repository.soundBlob(at: RemoteLayout.opened, in: tip) != nil
    }?.value
  }

  /// Writes the contents that were asked for after a download, as far as they can be read, and nothing that is larger
  /// than an entry of the log. It uses no network.
  package static func writeWanted(in folder: VaultFolder) throws(VaultError) {
    try translatingAll {
      let incoming = IncomingFiles(folder.incoming)
      guard let path = incoming.repository else { return }
      let repository = try Repository.open(at: path, creatingIfNeeded: false)
      for name in incoming.wanted() {
        guard let content = bytes(hexadecimal: name[...]).flatMap({ ObjectID(bytes: $0) }) else { continue }
        try UnsoundObject.ignoring {
          try incoming.write(repository.blob(content, maximumByteCount: Limits.logEnvelopeByteCount), named: name)
        }
      }
    }
  }
}

/// Writes what a clone verifies of a history.
private struct HistoryDownload {
  let repository: Repository
  let incoming: IncomingFiles
  /// The size of the entries of the log that are still written. The others are only listed.
  private var remainingByteCount: Int
  private var geneses: [EntryHash: Genesis] = [:]
  private var files: [IncomingFiles.File] = []
  /// Whether a content can be valid, and its size.
  private var known: [ObjectID: Int?] = [:]

  var hasGenesis: Bool { !geneses.isEmpty }

  init(repository: Repository, incoming: IncomingFiles, remainingByteCount: Int) {
    self.repository = repository
    self.incoming = incoming
    self.remainingByteCount = remainingByteCount
  }

  private static let names: Set = [
    RemoteLayout.Place.genesis.path, RemoteLayout.Place.rootSlot.path, RemoteLayout.opened, "log",
    RemoteLayout.laterRootSlots,
  ]

  /// Writes the files of branches, and of their histories.
  mutating func write(_ branches: [String], at tips: [ObjectID]) throws {
    let found = try repository.everyFile(
      of: tips, in: Self.names, descends: RemoteLayout.isFolder, isWanted: { RemoteLayout.Place($0) != nil })
    // The slots of roots name the genesis of their vault.
    for isGenesis in [true, false] {
      for file in found {
        guard let place = RemoteLayout.Place(file.path), (place == .genesis) == isGenesis,
          let byteCount = try write(place, file.content)
        else { continue }
        files.append(
          IncomingFiles.File(
            path: file.path, name: file.content.description, byteCount: byteCount, isFormer: file.isFormer))
      }
    }
    try incoming.write(repository: repository.path, branches: branches, files: files)
  }

  /// Writes the content of a file that a clone verifies. Returns its size; nil for one that cannot be valid. What
  /// commits to its own content is compared with that.
  private mutating func write(_ place: RemoteLayout.Place, _ content: ObjectID) throws -> Int? {
    switch place {
    case .genesis:
      var genesis: Genesis?
      let byteCount = try write(content, limit: 4_096) { bytes in
        genesis = try? Genesis(bytes: bytes)
        return genesis != nil
      }
      if let genesis { geneses[genesis.hash] = genesis }
      return byteCount
    case .rootSlot:
      return try write(content, limit: RootSlot.byteLimit) { slot(in: $0)?.generation == 1 }
    case .laterRootSlot(let hash):
      return try write(content, limit: RootSlot.byteLimit) { slot(in: $0)?.hash == hash }
    case .opened: return try write(content, limit: 4_096) { (try? Envelope(bytes: $0))?.content == .closing }
    case .logEntry:
      if let byteCount = known[content] { return byteCount }
      let byteCount = try writeLogEntry(content)
      known[content] = byteCount
      return byteCount
    case .recordList, .segment, .checkpoint, .chunk, .closed: return nil
    }
  }

  private func slot(in bytes: [UInt8]) -> RootSlot? {
    RootSlot.genesis(in: bytes).flatMap { geneses[$0] }.flatMap { try? RootSlot(bytes: bytes, of: $0) }
  }

  private func write(_ content: ObjectID, limit: Int, where isPossible: ([UInt8]) -> Bool) throws -> Int? {
    guard let bytes = try UnsoundObject.ignoring({ try repository.blob(content, maximumByteCount: limit) }),
      isPossible(bytes)
    else { return nil }
    try incoming.write(bytes, named: content.description)
    return bytes.count
  }

  /// Writes an entry of the log, or lists one for which there is no space.
  private mutating func writeLogEntry(_ content: ObjectID) throws -> Int? {
    // No envelope is smaller than the smallest padded size.
    guard let byteCount = try UnsoundObject.ignoring({ try repository.blobByteCount(content) }),
      (Padding.paddedByteCount(0)...Limits.logEnvelopeByteCount).contains(byteCount)
    else { return nil }
    guard byteCount <= remainingByteCount else { return byteCount }
    guard let bytes = try UnsoundObject.ignoring({ try repository.blob(content, maximumByteCount: byteCount) }),
      (try? Envelope(bytes: bytes))?.content == .logEntry
    else { return nil }
    remainingByteCount -= byteCount
    try incoming.write(bytes, named: content.description)
    return byteCount
  }
}
