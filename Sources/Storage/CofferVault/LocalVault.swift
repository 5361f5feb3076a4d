package import CofferCrypto
package import CofferFormat
package import CofferStore
internal import CofferSystem
package import CofferTrust
internal import Synchronization

/// An open vault folder: its store, and its membership log, folded and kept current. It holds no key that opens an
/// item.
package final class LocalVault: Sendable {
  /// The state of one log. An object, because every read takes it: a copy of the state retains each of its parts.
  private final class Folded: Sendable {
    let branches: LogBranches
    let log: FoldedLog
    /// The log without entries that may still be discarded in favour of another machine's.
    let published: FoldedLog
    let stamp: LogStamp?

    init(branches: LogBranches, log: FoldedLog, published: FoldedLog, stamp: LogStamp?) {
      self.branches = branches
      self.log = log
      self.published = published
      self.stamp = stamp
    }
  }

  package let folder: VaultFolder
  package let store: Store
  private let folded: Mutex<Folded>
  /// What the app that opened the vault has verified before; nil if it has verified nothing, or if the log is another
  /// one.
  let pinned: PinnedFold?
  /// The machine's keys in a vault that has no device file.
  private let deviceInMemory: Mutex<DeviceFile?>

  private init(
    _ folder: VaultFolder, store: Store, log: FoldedLog, pinned: PinnedFold?, device: DeviceFile?
  ) {
    self.folder = folder
    self.store = store
    self.pinned = pinned
    folded = Mutex(Folded(branches: LogBranches(chain: log.membership), log: log, published: log, stamp: nil))
    deviceInMemory = Mutex(device)
  }

  /// Opens a folder's store and folds the log. `pin` returns what the caller has verified of the log before: if the
  /// chain of hashes leads to exactly this entry, the signatures up to it, from that of the genesis on, are not checked
  /// again, and the entries that a stored fold has (``keepFold(with:)``) are not even read. Throws `noVault`,
  /// `integrity` for a log that is not valid, and errors of the store.
  package static func open(
    _ folder: VaultFolder, pin: ((Genesis) -> LogPin?)? = nil
  ) throws(VaultError) -> LocalVault {
    let store = try folder.openStore()
    KeyReplacement.settle(in: folder)
    return try open(folder, store: store, device: nil, pin: pin)
  }

  /// Folds the log of an open store, as ``open(_:pin:)`` does. The folder is a placeholder for a vault in memory.
  /// `device` has the machine's keys in a vault that has no files; with nil, the device file is read when they are
  /// needed.
  package static func open(
    _ folder: VaultFolder, store: Store, device: DeviceFile?, pin: ((Genesis) -> LogPin?)? = nil
  ) throws(VaultError) -> LocalVault {
    var seen: LogPin?
    let genesis = try translatingErrors {
      try Genesis(bytes: store.read { try $0.genesis() }) { genesis in
        seen = pin?(genesis)
        return seen != nil
      }
    }
    if device == nil { store.setSummaryKey(summaryKeySource(folder, genesis: genesis.hash)) }
    let empty = Membership(genesis: genesis)
    var pinned: PinnedFold?
    if let pin = seen {
      pinned = try translatingErrors { try store.read { try PinnedFold.read(pin, empty, $0) } }
    }
    let log = FoldedLog(pinned?.membership ?? empty)
    let vault = LocalVault(folder, store: store, log: log, pinned: pinned, device: device)
    _ = try vault.membership()
    return vault
  }

  /// Returns the membership by the log that is in the store now. If the log has forked, the grants of no branch count.
  package func membership() throws(VaultError) -> Membership {
    try translatingErrors { try store.read { try membership(in: $0) } }
  }

  /// Returns the membership by the log that the transaction of `reader` sees.
  package func membership(in reader: borrowing some StoreAccess & ~Copyable) throws -> Membership {
    try log(in: reader).membership
  }

  /// Returns the membership without entries that may still be discarded: the state that apps use. See
  /// ``publishedLog(in:)``.
  package func publishedMembership() throws(VaultError) -> Membership {
    try translatingErrors { try store.read { try publishedLog(in: $0).membership } }
  }

  /// Returns both, of one state of the log.
  package func memberships() throws(VaultError) -> (published: Membership, latest: Membership) {
    try translatingErrors {
      try store.read { reader in
        let folded = try folded(in: reader)
        return (folded.published.membership, folded.log.membership)
      }
    }
  }

  /// Returns the branches of the log that the transaction of `reader` sees.
  package func branches(in reader: borrowing some StoreAccess & ~Copyable) throws -> LogBranches {
    try folded(in: reader).branches
  }

  /// Returns the log that the transaction of `reader` sees.
  func log(in reader: borrowing some StoreAccess & ~Copyable) throws -> FoldedLog { try folded(in: reader).log }

  /// Returns the log up to its last settled entry. Later entries are unpublished and may be discarded, if another
  /// machine pushes first or the remote refuses them: a group that such an entry creates would be lost, and its items
  /// with it.
  ///
  /// The whole log, if no remote is set or no entry is settled.
  package func publishedLog(in reader: borrowing some StoreAccess & ~Copyable) throws -> FoldedLog {
    try folded(in: reader).published
  }

  private func folded(in reader: borrowing some StoreAccess & ~Copyable) throws -> Folded {
    let known = folded.withLock { $0 }
    let stamp = store.logStamp
    if known.stamp == stamp { return known }
    var membership = known.branches.chain
    let head = membership.head
    var entries = try reader.logEntries(after: max(head.sequence, 1) - 1).map { try LogEntry(bytes: $0.entry) }
    if head.sequence > 0 {
      if entries.first?.hash == head.hash {
        entries.removeFirst()
      } else {
        // Unpublished entries were replaced by those of another machine, which was faster: fold from the start.
        membership = Membership(genesis: membership.genesis)
        entries = try reader.logEntries(after: 0).map { try LogEntry(bytes: $0.entry) }
      }
    }
    for entry in entries { try membership.apply(entry) }
    try membership.addRecordLists(from: reader)
    let branches = try branches(of: membership, verified: Set(known.branches.competingEntries.keys), reader)
    var effective = branches.effective
    try effective.addRecordLists(from: reader)
    // In a forked log, revocations of other branches count too, and the head stays the same.
    let isSame =
      effective.head == known.log.membership.head && known.log.membership.missingRecordLists.isEmpty
      && effective.revocations.count == known.log.membership.revocations.count
      && effective.firstUnknownCritical == known.log.membership.firstUnknownCritical
    let log = isSame ? known.log : FoldedLog(effective)
    let published = branches.fork == nil ? try published(log, known.published, of: branches.chain, reader) : log
    let current = Folded(branches: branches, log: log, published: published, stamp: stamp)
    folded.withLock { $0 = current }
    return current
  }

  private func branches(
    of chain: Membership, verified: Set<EntryHash>, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> LogBranches {
    let competingEntries = try reader.competingEntries()
    guard !competingEntries.isEmpty else { return LogBranches(chain: chain, applied: try applied(chain, reader)) }
    // A competing entry that another program has altered proves nothing, and must not make the log unreadable.
    return LogBranches(
      chain: chain, applied: try applied(chain, reader),
      entries: try reader.chain(from: LogPosition(sequence: 0, hash: chain.genesis.hash), to: chain.head),
      competingEntries: competingEntries.compactMap { try? LogEntry(bytes: $0.entry) }, verified: verified,
      discarded: try WithdrawnLog.load(from: reader).hashes)
  }

  /// Returns the membership without revocations of which something is missing, and what follows them.
  private func applied(
    _ chain: Membership, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> Membership {
    guard let missing = chain.missingRecordLists.map(\.entry).min() else { return chain.complete }
    var membership = try fold(of: chain, through: missing - 1, reader)
    membership.addUnknownCritical(of: chain)
    return membership
  }

  private func published(
    _ log: FoldedLog, _ known: FoldedLog, of chain: Membership, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> FoldedLog {
    guard try reader.setting(.remoteURL) != nil else { return log }
    let settled = try reader.settledLogLength()
    guard settled > 0, settled < log.membership.head.sequence else { return log }
    let membership = try fold(of: chain, through: settled, reader).complete
    let isSame =
      membership.head == known.membership.head
      && membership.firstUnknownCritical == known.membership.firstUnknownCritical
    return isSame ? known : FoldedLog(membership)
  }

  /// Returns the secret that is mixed into the keys of items that never leave this machine.
  ///
  /// It is read each time and not kept, so that locking a vault wipes it with the keys that are derived from it.
  package func localSecret() throws(VaultError) -> SecretBytes { try deviceFile().localSecret }

  /// The machine's keys in a vault that has no device file; nil for a vault in a folder.
  package var keysInMemory: DeviceFile? { deviceInMemory.withLock { $0 } }

  /// Keeps this machine's keys with further transport keys: in the device file or, if the vault has none, in memory.
  package func keep(_ device: DeviceFile) throws(VaultError) {
    let isInMemory = deviceInMemory.withLock { known in
      guard known != nil else { return false }
      known = device
      return true
    }
    guard !isInMemory else { return }
    try folder.deviceFile.write(device)
  }

  /// Returns the registered application that a full identifier, or a bundle identifier that is unique in the vault,
  /// names. Throws `notEntitled` if no registered application, or more than one, has this name.
  package func application(named name: String) throws(VaultError) -> ApplicationID {
    let membership = try membership()
    // An app whose removal is not published yet keeps its rights until then.
    let known = try Set(membership.apps.keys).union(publishedMembership().apps.keys)
    let found = known.filter { $0.description == name || $0.bundleID.description == name }
    guard let application = found.first, found.count == 1 else {
      if let error = membership.removalError(ofAppNamed: name) { throw error }
      let list = known.map(\.description).sorted().joined(separator: ", ")
      throw try explaining(
        VaultError(
          .notEntitled, "no app \(name.sanitizedForTerminal()) is registered in this vault",
          recoverySuggestion: list.isEmpty
            ? "register one with: coffer app add FILE.entitlements" : "registered are: \(list)"))
    }
    return application
  }

  /// How long superseded versions are kept: 30 days, in seconds.
  package static let historySeconds: Int64 = 30 * 24 * 60 * 60

  /// The time before which superseded versions are not kept, by this machine's clock.
  package static var historyStart: Timestamp {
    Timestamp(microseconds: Timestamp.now.microseconds - historySeconds * 1_000_000)
  }

  /// Returns the remote's URL, or nil if none is set.
  package func remote() throws(VaultError) -> String? { try textSetting(.remoteURL) }

  /// Returns the remote's URL. Throws `integrity` if the store has lost it, and an error with `code` if none is set.
  /// `purpose` is a relative clause for the error, which begins with a comma.
  package func requiredRemote(
    or code: VaultError.Code = .invalidArgument, for purpose: String = ""
  ) throws(VaultError) -> String {
    if let url = try remote() { return url }
    if let url = try lostRemote() {
      throw VaultError(
        .integrity, "the store at \(folder.storePath) has lost its remote, \(url.sanitizedForTerminal())",
        recoverySuggestion: VaultFolder.rejoinSuggestion(from: url))
    }
    throw VaultError(
      code, "this vault has no remote\(purpose)", recoverySuggestion: "set one with: coffer remote set URL")
  }

  /// Returns the URL of the remote that the store has lost; nil if it has one, or had none.
  package func lostRemote() throws(VaultError) -> String? {
    guard keysInMemory == nil else { return nil }
    return try translatingErrors { try store.read { try folder.lostRemote(of: $0) } }
  }

  /// Returns whether this machine has synced with its remote before.
  package func hasSynced() throws(VaultError) -> Bool {
    try translatingErrors { try store.read { try $0.setting(.remoteTip) != nil } }
  }

  /// Returns a setting as text, or nil if it is not set.
  package func textSetting(_ setting: Setting) throws(VaultError) -> String? {
    let bytes = try translatingErrors { try store.read { try $0.setting(setting) } }
    return bytes.flatMap { String(validating: $0, as: UTF8.self) }
  }
}

/// The membership that results from folding the log up to one entry. The object stays the same as long as the log does,
/// so that what is derived from it can be cached by identity.
package final class FoldedLog: Sendable {
  /// The membership that counts.
  package let membership: Membership

  init(_ membership: Membership) { self.membership = membership }
}
