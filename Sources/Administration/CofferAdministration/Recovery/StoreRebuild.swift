package import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferPlatform
internal import CofferStore
package import CofferTrust
internal import CofferVault

/// Builds the store of an enrolled machine anew from a download. The machine keeps its keys, its admin keys and the
/// credentials of its apps.
package struct StoreRebuild {
  /// The vault's folder, with this machine's keys.
  private let folder: VaultFolder
  /// The folder in which the new store is built.
  private let staging: VaultFolder
  private let device: DeviceFile
  /// The old store, if it can be opened.
  private let old: Store?

  /// The result of a rebuild.
  package struct Outcome: Sendable {
    /// The file to which the old store was moved; nil if there was none.
    package let movedStore: String?
    /// The number of records that were taken over from the old store.
    package let recordCount: Int
    /// Whether the old store could be read.
    package let hasReadOldStore: Bool
  }

  /// Begins a rebuild in an empty staging folder on the same disk. Throws `noVault` if the folder has no keys of this
  /// machine; `io`, `diskFull` or `readOnly` if the old store is not damaged and cannot be opened at the moment.
  package static func begin(in folder: VaultFolder, staging: VaultFolder) throws(VaultError) -> StoreRebuild {
    try checkKeys(in: folder)
    let device = try folder.deviceFile.read(DeviceFile.self)
    var old: Store?
    do throws(StoreError) {
      if folder.exists { old = try Store.open(at: folder.storePath) }
    } catch {
      // A damaged store is built anew.
      guard error.isDamage else { throw VaultError(error) }
    }
    return StoreRebuild(folder: folder, staging: staging, device: device, old: old)
  }

  /// Throws `noVault` unless the folder has keys of this machine.
  package static func checkKeys(in folder: VaultFolder) throws(VaultError) {
    guard folder.deviceFile.exists else {
      throw VaultError(
        .noVault, "there are no keys of this machine at \(folder.path)",
        recoverySuggestion:
          "restore the folder from a backup, or move it aside and clone the vault with the vault key: coffer clone URL")
    }
  }

  /// The remote's URL in the old store, or the one that the last sync has noted beside it; nil if there is none.
  package var formerRemote: String? {
    guard let bytes = try? old?.read({ try $0.setting(.remoteURL) }) else {
      return SyncHealth.read(from: folder).remote
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// How the old store reaches the remote over HTTP; the defaults if it cannot be read.
  package var formerRemoteOptions: RemoteOptions {
    let settings = try? old?.read { reader in
      (try reader.setting(.remoteCertificateAuthorities), try reader.setting(.remoteAllowsInsecureHTTP) != nil)
    }
    return RemoteOptions(
      certificateAuthorityFile: settings?.0.flatMap { String(validating: $0, as: UTF8.self) },
      allowsInsecureHTTP: settings?.1 ?? false)
  }

  /// Builds the store from the download in the staging folder, takes over what only the old store has, and moves it
  /// into place. The old file is kept under another name.
  ///
  /// With `acceptsFork`, adopts the remote's log also if the apps of this machine have seen another branch. The log
  /// must have the entry of `headPhrase`. Throws `integrity` for another vault, for objects that are not valid, and for
  /// a log that lacks an entry that this machine has seen; `io`, `diskFull` or `readOnly` if the old store is not
  /// damaged and cannot be written at the moment, for example because another program holds it. Nothing has changed
  /// then.
  package func finish(acceptsFork: Bool, headPhrase: Phrase? = nil) throws(VaultError) -> Outcome {
    let download = try VerifiedDownload.read(from: staging.incoming, device: device)
    try download.check(headPhrase)
    let genesis = download.genesis
    guard download.membership.devices[DeviceID(vault: genesis.vault, keys: device.keys.publicKeys)] != nil else {
      throw VaultError(
        .integrity, "the membership log of the repository does not contain this machine",
        recoverySuggestion:
          "check the URL; if it is right, the repository was set back to an older state, or its log is another branch than the one that enrolled this machine. Then keep what only this machine has with `coffer backup FILE`, and come back as a new machine, with the vault key: COFFER_HOME=~/new coffer clone URL"
      )
    }
    let (forked, abandoned) = try checkPositions(download, acceptsFork: acceptsFork)
    let sync = try FileLock.acquire(path: folder.syncLockPath, timeout: .seconds(120), purpose: "sync")
    defer { extendLifetime(sync) }
    try download.writeStore(at: staging.storePath, isRebuilt: true)
    if let abandoned { try acknowledge(abandoned) }
    let outcome = try replaceStore(download)
    for (file, credential) in forked {
      try file.write(credential.advanced(to: download.head))
    }
    return outcome
  }

  // MARK: A change that never became complete

  /// Builds the store as if this machine had followed a branch of the log that ends before a revocation of which a
  /// part is missing. The log then ends with a statement of root that rejects the revocation, and gives way to no
  /// entry of the remote; the next sync sends it. No transport key that the revocation introduced is kept, and what
  /// was sealed under one is sent again. The records and the old file are treated as by
  /// ``finish(acceptsFork:headPhrase:)``.
  ///
  /// The owner has seen `accepted`. Throws `authenticationFailed` for another vault key, `notEntitled` if this machine
  /// is revoked, and `integrity` if the log has changed since, if an entry that would be given up has enrolled this
  /// machine, or if the revocation was in effect here once: then it was complete. Nothing has changed then.
  package func finish(givingUp accepted: ForkPreview, with vaultKey: VaultKey) throws(VaultError) -> Outcome {
    let sync = try FileLock.acquire(path: folder.syncLockPath, timeout: .seconds(120), purpose: "sync")
    defer { extendLifetime(sync) }
    let local = try LocalVault.open(folder)
    if let error = try local.revocationError() { throw error }
    let root = try VaultKeyCheck.begin(in: local).root(openedBy: vaultKey)
    guard let found = try ForkPreview.read(from: local), let first = found.abandonedFrom, found.isSame(as: accepted)
    else { throw ForkResolution.changedBranches }
    if let fork = found.fork, !fork.isResolvable { throw fork.error }
    for file in try folder.credentialFiles() {
      let credential = try file.read(Credential.self)
      guard credential.genesis != device.genesis || credential.seen.sequence < first else {
        throw VaultError(
          .integrity,
          "entry \(first) of the membership log was complete: \(credential.applicationID) has seen it in effect",
          recoverySuggestion: "it is not given up; sync your other machines, which restore what is missing")
      }
    }
    let download = try VerifiedDownload.read(from: local, before: first, options: formerRemoteOptions)
    guard local.machine(in: download.membership) != nil else {
      throw VaultError(
        .integrity, "this machine was enrolled after entry \(first) of the membership log, which would be given up",
        recoverySuggestion: "sync where it was signed, or give it up on a machine that was enrolled before it")
    }
    try download.writeStore(at: staging.storePath, isRebuilt: true)
    try reject(found, in: local, after: download, as: root)
    return try replaceStore(download)
  }

  /// Ends the log in the staging folder with the statement that rejects what is given up. Takes over what the sync of a
  /// new machine would have to find on the remote.
  private func reject(
    _ preview: ForkPreview, in local: LocalVault, after download: VerifiedDownload, as root: PartyKeys
  ) throws(VaultError) {
    let entries = preview.rejectedEntries + preview.abandonedEntries
    let rejected = Set(entries.map(\.hash))
    let names = download.membership.revocations.flatMap(\.statement.recordLists)
    let (staged, before) = (try LocalVault.open(staging), download.membership.head.sequence)
    try translatingErrors {
      let settings: [Setting] = [.remoteURL, .sharesRemote]
      let values = try local.store.read { reader in try settings.map { try reader.setting($0) } }
      let others = try local.store.read { try $0.competingEntries() + $0.logEntries(after: before) }
      let lists = try local.store.read { reader in try names.compactMap { try reader.object(.recordList($0)) } }
      try staged.store.write { writer in
        for (setting, value) in zip(settings, values) { try writer.setSetting(setting, value) }
        for list in lists.compactMap({ try? RecordList(bytes: $0) }) { try writer.insert(list, published: nil) }
        for stored in others {
          guard let entry = try? LogEntry(bytes: stored.entry), rejected.contains(entry.hash) else { continue }
          try writer.insertCompetingEntry(
            entry.hash, sequence: entry.sequence, entry: entry.bytes, envelope: stored.envelope)
        }
        var draft = try LogDraft(membership: download.membership, transportKeys: download.transportKeys)
        try draft.reject(
          ForkResolution.entriesToName(of: preview), with: entries, as: root, endsFork: true)
        if let fork = try draft.fork(writer) { throw fork.error }
        try draft.commit(to: writer)
        try writer.set(.keptLogLength, to: draft.membership.head.sequence)
        try writer.allowLogFork()
      }
    }
  }

  // MARK: Positions

  /// Checks that the downloaded log contains the entries that this machine's apps and its old store have seen. Returns
  /// the credentials that have seen another branch, and the end of this branch in the old store.
  private func checkPositions(
    _ download: VerifiedDownload, acceptsFork: Bool
  ) throws(VaultError) -> (credentials: [(SecretFile, Credential)], abandoned: LogPosition?) {
    var forked: [(SecretFile, Credential)] = []
    for file in try folder.credentialFiles() {
      let credential = try file.read(Credential.self)
      guard credential.genesis == device.genesis else { continue }
      if try isOtherBranch(credential.seen, in: download, seenBy: credential.applicationID, acceptsFork) {
        forked.append((file, credential))
      }
    }
    try checkSuccessions(download)
    if !acceptsFork { try checkTransportKeys(download) }
    let settled = try? old?.read { reader in
      try reader.logEntry(Self.countedLength(reader)).map { try LogEntry(bytes: $0.entry).position }
    }
    guard let settled = settled.flatMap({ $0 }),
      try isOtherBranch(settled, in: download, seenBy: "this machine's store", acceptsFork)
    else { return (forked, nil) }
    return (forked, settled)
  }

  /// The number of the last entry that counted in a store: without a remote, all do.
  private static func countedLength(_ reader: borrowing StoreReader) throws -> UInt64 {
    try reader.setting(.remoteURL) == nil ? reader.logLength() : reader.settledLogLength()
  }

  /// Throws `integrity` if the old store has seen more changes of the vault key than the download. Its owner cannot
  /// accept that: whoever has the old vault key could have signed such a log.
  private func checkSuccessions(_ download: VerifiedDownload) throws(VaultError) {
    let seen = try? old?.read { reader -> Membership in
      var membership = Membership(genesis: download.genesis)
      for bytes in try reader.logEntries(after: 0, through: Self.countedLength(reader)) {
        // What comes before a damaged entry was seen.
        guard let entry = try? LogEntry(bytes: bytes), (try? membership.apply(entry)) != nil else { break }
      }
      return membership.complete
    }
    guard let seen, let last = seen.successions.last,
      seen.rootGeneration > download.membership.complete.rootGeneration
    else { return }
    throw VaultError(
      .integrity,
      "this machine has seen that the vault key was replaced (entry \(last.position.sequence) of the log), and the repository's log does not contain that",
      recoverySuggestion:
        "the repository was set back, or somebody with the old vault key writes to it; let another machine sync first, or restore the repository"
    )
  }

  /// Throws `integrity` if this machine has transport keys that the downloaded log does not introduce: it has seen a
  /// longer log, also if its store is lost.
  private func checkTransportKeys(_ download: VerifiedDownload) throws(VaultError) {
    let introduced = Set(download.transportKeys.map(\.commitment))
    guard let unknown = device.transportKeys.first(where: { !introduced.contains($0.commitment) }) else { return }
    throw VaultError(
      .integrity,
      "the repository's membership log does not introduce the transport key \(unknown.generation), which this machine has",
      recoverySuggestion:
        "the repository was set back, or its log is another branch: restore it, or let another machine sync first; to give up this machine's branch, run: coffer clone --rejoin --accept-fork URL"
    )
  }

  /// Acknowledges what this machine's own segments state of the branch that its owner has given up.
  private func acknowledge(_ position: LogPosition) throws(VaultError) {
    let local = try LocalVault.open(staging)
    try translatingErrors {
      try local.store.write { writer in
        let branches = try local.branches(in: writer)
        var claims = try LogClaims.load(from: writer)
        let device = DeviceID(vault: branches.chain.vault, keys: device.keys.publicKeys)
        try claims.add(position, by: device, in: writer, branches: branches)
        claims.acknowledge()
        try claims.save(to: writer)
      }
    }
  }

  private func isOtherBranch(
    _ seen: LogPosition, in download: VerifiedDownload, seenBy reader: String, _ acceptsFork: Bool
  ) throws(VaultError) -> Bool {
    guard seen.sequence > 0 else { return false }
    let entry = download.log.first { $0.entry.sequence == seen.sequence }?.entry
    if let entry, entry.hash == seen.hash { return false }
    if entry == nil, !hasLeft(download) {
      throw VaultError(
        .integrity,
        "the membership log of the repository ends at entry \(download.log.count); \(reader) has seen entry \(seen.sequence)",
        recoverySuggestion: "the repository was set back; restore it, or let another machine sync first")
    }
    guard acceptsFork else {
      throw VaultError(
        .integrity,
        "the repository's membership log is another branch than the one whose entry \(seen.sequence) \(reader) has seen",
        recoverySuggestion:
          "the log has forked; to give up this machine's branch, run: coffer clone --rejoin --accept-fork URL")
    }
    return true
  }

  /// Whether the log in the old store is another branch than the downloaded one, and not a longer log of the same
  /// branch that a remote has had.
  private func hasLeft(_ download: VerifiedDownload) -> Bool {
    let end = download.head
    let hasLeft = try? old?.read { reader in
      let own = try reader.logEntry(end.sequence).map { try LogEntry(bytes: $0.entry).hash }
      return try own != nil && own != end.hash || reader.logEntry(end.sequence + 1)?.isPublished == false
    }
    return hasLeft ?? false
  }

  // MARK: Building

  /// Takes over the records of the old store and moves the new store into its place. Programs that have the old store
  /// open cannot write to it any more.
  private func replaceStore(_ download: VerifiedDownload) throws(VaultError) -> Outcome {
    try translatingErrors {
      var outcome: Outcome?
      let local = try LocalVault.open(staging)
      if let old {
        do {
          try old.moveLogIntoFile()
          // In one transaction, so that no other program writes to the old store between the two.
          try old.write { writer in
            // Entries that counted without a remote are given up like others.
            try writer.setSetting(.keptLogLength, nil)
            try writer.withdrawUnpublishedLog()
            let count = try takeOver(writer, into: local) + takeOverUnsent(writer, into: local)
            // What a copy of an entry names is not taken over.
            let withdrawn = try WithdrawnLog.load(from: writer).withoutCopies
            try local.store.write { try withdrawn.save(to: $0) }
            try local.store.moveLogIntoFile()
            let moved = try moveIntoPlace(download)
            outcome = Outcome(movedStore: moved, recordCount: count, hasReadOldStore: true)
            try writer.retire()
          }
        } catch let error as StoreError where error.path == old.path && (outcome != nil || error.isDamage) {
          // What cannot be read stays in the old file.
        }
      }
      if let outcome { return outcome }
      try local.store.moveLogIntoFile()
      let moved = try moveIntoPlace(download)
      return Outcome(movedStore: moved, recordCount: 0, hasReadOldStore: false)
    }
  }

  /// Gives this machine the transport keys of the downloaded log, and moves the new store into place. Returns the path
  /// of the old store; nil if there was none.
  private func moveIntoPlace(_ download: VerifiedDownload) throws(VaultError) -> String? {
    if download.transportKeys.map(\.commitment) != device.transportKeys.map(\.commitment) {
      try folder.deviceFile.write(
        DeviceFile(
          genesis: device.genesis, keys: device.keys, localSecret: device.localSecret,
          transportKeys: download.transportKeys))
    }
    return try folder.replaceStore(by: staging)
  }

  /// Inserts the records of segments that were not pushed and are in no row: those that the log did not permit.
  private func takeOverUnsent(_ old: borrowing StoreWriter, into local: LocalVault) throws -> Int {
    let membership = try local.membership()
    var count = 0
    for stored in try old.unpublishedSegments() {
      guard let segment = stored.segment(openedBy: device) else { continue }
      count += try local.store.write { writer in
        var count = 0
        for bytes in segment.records {
          guard let record = try? Record(bytes: bytes) else { continue }
          if try insert(record, membership, writer) { count += 1 }
        }
        return count
      }
    }
    return count
  }

  /// Inserts a record into the new store. Returns false if the store has it already, or if it is not valid.
  private func insert(
    _ record: Record, _ membership: Membership, _ writer: borrowing StoreWriter
  ) throws -> Bool {
    switch membership.validity(of: record) {
    case .valid: return try writer.insert(record, validity: .valid, intoOutbox: false)
    case .unknownAuthor, .notEntitled: return try writer.insertContents(of: record, nil)
    case .invalid: return false
    }
  }

  /// Inserts the valid records of the old store into the new one, page by page.
  private func takeOver(_ old: borrowing StoreWriter, into local: LocalVault) throws -> Int {
    let membership = try local.membership()
    var count = 0
    var last: Int64?
    while true {
      let page = try old.heldRecords(after: last, byteLimit: Limits.segmentPayloadByteCount)
      guard let end = page.last?.row else { return count }
      count += try local.store.write { writer in
        var count = 0
        for row in page {
          guard let record = try? row.record() else { continue }
          if try insert(record, membership, writer) { count += 1 }
        }
        return count
      }
      last = end
    }
  }
}

extension StoreError {
  /// Whether the store must be built anew. Otherwise the store is sound, and another attempt can read it.
  fileprivate var isDamage: Bool { ![.busy, .diskFull, .readOnly, .permissionDenied].contains(code) }
}

extension VerifiedDownload {
  /// The position of the last entry.
  fileprivate var head: LogPosition {
    log.last?.entry.position ?? LogPosition(sequence: 0, hash: genesis.hash)
  }
}
