internal import CofferCrypto
package import CofferFormat
package import CofferStore
package import CofferTrust
internal import Synchronization

/// The membership log, folded: one object for as long as the log stays the same.
package final class FoldedLog: Sendable {
  package let membership: Membership

  init(_ membership: Membership) { self.membership = membership }
}

/// A vault's folder, opened: its store, and its membership log folded and kept up to date. It holds no key of an app.
package final class LocalVault: Sendable {
  private struct Folded {
    var log: FoldedLog
    /// The log without entries that may still lose their place to another machine's.
    var settled: FoldedLog
    var stamp: LogStamp?
  }

  package let folder: VaultFolder
  package let store: Store
  private let folded: Mutex<Folded>
  private let localKey: Mutex<SecretBytes?>

  /// Opens the folder and folds the log.
  ///
  /// - Parameter pin: Tells up to where whoever opens it has verified the log before: entries up to there are believed where
  ///   the chain arrives at that very entry.
  package convenience init(
    _ folder: VaultFolder, pin: ((Genesis) -> LogPosition?)? = nil
  ) throws(VaultError) {
    try self.init(folder, store: folder.openStore(), localSecret: nil, pin: pin)
  }

  init(
    _ folder: VaultFolder, store: Store, localSecret: SecretBytes?, pin: ((Genesis) -> LogPosition?)? = nil
  ) throws(VaultError) {
    self.folder = folder
    self.store = store
    localKey = Mutex(localSecret)
    let genesis = try translatingErrors { try store.read { try Genesis(bytes: $0.genesis()) } }
    var membership = Membership(genesis: genesis)
    if let pin = pin?(genesis) {
      membership = try translatingErrors { try store.read { try Self.fold($0, pinnedAt: pin, membership) } }
    }
    let log = FoldedLog(membership)
    folded = Mutex(Folded(log: log, settled: log, stamp: nil))
    _ = try self.membership()
  }

  /// Folds a log that the caller has verified up to `pin` before: the hashes alone prove that it is the same one. Gives
  /// `empty` back where it is not.
  private static func fold(
    _ reader: borrowing StoreReader, pinnedAt pin: LogPosition, _ empty: Membership
  ) throws -> Membership {
    var membership = empty
    var entries: [LogEntry] = []
    for stored in try reader.logEntries(after: 0) {
      let entry = try LogEntry(bytes: stored.entry)
      guard entry.sequence <= pin.sequence else { break }
      entries.append(entry)
    }
    guard entries.last?.position == pin else { return empty }
    for entry in entries { try membership.apply(entry, isVerified: true) }
    return membership
  }

  /// The membership as it stands in the store now.
  package func membership() throws(VaultError) -> Membership {
    try translatingErrors { try store.read { try membership(in: $0) } }
  }

  /// The membership as it stands in the transaction of `reader`.
  package func membership(in reader: borrowing some StoreAccess & ~Copyable) throws -> Membership {
    try log(in: reader).membership
  }

  /// The membership without entries that may still lose their place in the log: what apps act on.
  func settledMembership() throws(VaultError) -> Membership {
    try translatingErrors { try store.read { try settledLog(in: $0).membership } }
  }

  /// The log as it stands in the transaction of `reader`.
  func log(in reader: borrowing some StoreAccess & ~Copyable) throws -> FoldedLog { try folded(in: reader).log }

  /// The log up to where the remote holds it. What lies behind that is being pushed, and is given up where another machine was
  /// faster or the remote refuses: a group of such an entry would be gone, with what was written into it.
  ///
  /// Without a remote, and before anything was pushed to one, the whole log.
  func settledLog(in reader: borrowing some StoreAccess & ~Copyable) throws -> FoldedLog {
    try folded(in: reader).settled
  }

  private func folded(in reader: borrowing some StoreAccess & ~Copyable) throws -> Folded {
    let known = folded.withLock { $0 }
    let stamp = store.logStamp
    if known.stamp == stamp { return known }
    var membership = known.log.membership
    let head = membership.head
    var entries = try reader.logEntries(after: max(head.sequence, 1) - 1).map { try LogEntry(bytes: $0.entry) }
    if head.sequence > 0 {
      if entries.first?.hash == head.hash {
        entries.removeFirst()
      } else {
        // Unpublished entries were replaced by those of a machine that was faster: fold from the start.
        membership = Membership(genesis: membership.genesis)
        entries = try reader.logEntries(after: 0).map { try LogEntry(bytes: $0.entry) }
      }
    }
    for entry in entries { try membership.apply(entry) }
    let log = membership.head == head ? known.log : FoldedLog(membership)
    let current = Folded(log: log, settled: try settled(log, known.settled, reader), stamp: stamp)
    folded.withLock { $0 = current }
    return current
  }

  private func settled(
    _ log: FoldedLog, _ known: FoldedLog, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> FoldedLog {
    let published = try reader.publishedLogLength()
    guard published > 0, published < log.membership.head.sequence, try reader.setting(.remoteURL) != nil else {
      return log
    }
    var membership = Membership(genesis: log.membership.genesis)
    for stored in try reader.logEntries(after: 0) where stored.sequence <= published {
      try membership.apply(LogEntry(bytes: stored.entry))
    }
    return membership.head == known.membership.head ? known : FoldedLog(membership)
  }

  /// What is mixed into the keys of items that stay on this machine.
  func localSecret() throws(VaultError) -> SecretBytes {
    if let known = localKey.withLock({ $0 }) { return known }
    let secret = try deviceFile().localSecret
    localKey.withLock { $0 = secret }
    return secret
  }

  /// Takes back entries of the membership log that never reached the remote. Waits for a sync that is running: it may be pushing
  /// these very entries, and another one signed in the place of one that arrives would fork the log.
  ///
  /// - Throws: `io` where that sync does not end within `patience`; nothing has changed then.
  package func discardUnpublishedMembership(patience: Duration = .seconds(120)) throws(VaultError) {
    let lock = try FileLock(path: folder.syncLockPath, patience: patience, purpose: "sync")
    defer { extendLifetime(lock) }
    _ = try translatingErrors { try store.write { try $0.discardUnpublishedLog() } }
  }

  /// The registered application that a full identifier or a unique bundle identifier names.
  package func application(named name: String) throws(VaultError) -> ApplicationID {
    let known = try membership().apps.keys
    let found = known.filter { $0.description == name || $0.bundleID.description == name }
    guard let application = found.first, found.count == 1 else {
      let list = known.map(\.description).sorted().joined(separator: ", ")
      throw VaultError(
        .notEntitled, "no app of this identifier is registered in the vault at \(folder.path)",
        mend: list.isEmpty ? "register one with: coffer app add FILE.entitlements" : "registered are: \(list)")
    }
    return application
  }

  /// The remote's URL; nil where none is set.
  package func remote() throws(VaultError) -> String? { try textSetting(.remoteURL) }

  /// A setting as text; nil where it is absent.
  package func textSetting(_ setting: Setting) throws(VaultError) -> String? {
    let bytes = try translatingErrors { try store.read { try $0.setting(setting) } }
    return bytes.flatMap { String(validating: $0, as: UTF8.self) }
  }
}
