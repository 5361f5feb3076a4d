internal import CofferCrypto
package import CofferFormat
package import CofferStore
internal import CofferSystem
package import CofferTrust

/// Which entries of the membership log the remote has, and which a credential has seen.
extension LocalVault {
  /// Returns the fork of the log, or nil if it has not forked.
  package func fork() throws(VaultError) -> LogFork? {
    try translatingErrors { try store.read { try branches(in: $0).fork } }
  }

  /// Returns the error of the fork if the log has forked, otherwise `error`: what is missing in the log may be on one
  /// of its branches.
  package func explaining(_ error: VaultError) throws(VaultError) -> VaultError { try fork()?.error ?? error }

  /// Whether the remote is known to hold the log entry at `position`. A change of membership takes effect only then.
  package func isPublished(_ position: LogPosition) throws(VaultError) -> Bool {
    try translatingErrors {
      try store.read { reader in
        guard let stored = try reader.logEntry(position.sequence), stored.isPublished else {
          return false
        }
        return try LogEntry(bytes: stored.entry).position == position
      }
    }
  }

  /// Discards the entries of the log that were never published. Waits for a sync that is running: it may be pushing
  /// these very entries, and signing another one in the place of an entry that arrives would fork the log. Throws
  /// `busy` if that sync does not end within `timeout`; nothing has changed then.
  package func discardUnpublishedLog(timeout: Duration = .seconds(120)) throws(VaultError) {
    let lock = try FileLock.acquire(path: folder.syncLockPath, timeout: timeout, purpose: "sync")
    defer { extendLifetime(lock) }
    try translatingErrors {
      try store.write { writer in
        try writer.withdrawUnpublishedLog()
        try writer.setSetting(.allowingLogFork, nil)
      }
    }
  }

  /// Whether the log contains the entry that a credential has seen last.
  package func contains(_ seen: LogPosition) throws(VaultError) -> Bool {
    guard seen.sequence > 0 else { return true }
    let hash = try translatingErrors {
      try store.read { reader in
        try reader.logEntry(seen.sequence).map { try LogEntry(bytes: $0.entry).hash }
      }
    }
    return hash == seen.hash
  }

  /// Whether the log contains an entry with a head phrase.
  package func contains(_ phrase: Phrase) throws(VaultError) -> Bool {
    try translatingErrors {
      try store.read { reader in
        try reader.logEntries(after: 0).contains { Phrase(try LogEntry(bytes: $0.entry).hash.raw) == phrase }
      }
    }
  }

  /// Throws `integrity` unless the log contains the entry that a credential has seen last.
  package func checkNotRolledBack(to seen: LogPosition) throws(VaultError) {
    guard try contains(seen) else {
      throw VaultError(
        .integrity, "entry \(seen.sequence) of the membership log at \(folder.path) is not the one this app has seen",
        recoverySuggestion: "another copy was put in its place; sync, or restore the right folder")
    }
  }
}

extension LocalVault {
  /// Returns this machine as the log names it; nil if it is not in the log, or its keys cannot be read.
  package func machine(in membership: Membership) -> Device? {
    guard let keys = try? deviceFile().keys.publicKeys else { return nil }
    return membership.devices[DeviceID(vault: membership.vault, keys: keys)]
  }

  /// The error for what this machine cannot do because it was revoked; nil if it was not. A machine that was revoked
  /// with a new transport key cannot read the entries after its revocation.
  package func revocationError() throws(VaultError) -> VaultError? {
    let chain = try translatingErrors { try store.read { try branches(in: $0).chain } }
    let remote = try remote()
    return machine(in: chain).flatMap { chain.revocationError(of: $0.id, remote: remote) }
  }

  /// Throws `notEntitled` if the log revokes a machine, also if entries are missing that belong to the revocation: the
  /// machine itself cannot read them. Then it must not write, because nothing of it counts on others.
  package func checkNotRevoked(_ device: DeviceID, in reader: borrowing some StoreAccess & ~Copyable) throws {
    let remote = try reader.setting(.remoteURL).flatMap { String(validating: $0, as: UTF8.self) }
    if let error = try branches(in: reader).chain.revocationError(of: device, remote: remote) { throw error }
  }

  /// The name of this machine for prompts; "this machine" if the log does not name it.
  package var machineName: String {
    guard let membership = try? membership() else { return "this machine" }
    return machine(in: membership)?.name.sanitizedForTerminal() ?? "this machine"
  }

  /// Reads this machine's keys and checks that they belong to this vault.
  package func deviceFile() throws(VaultError) -> DeviceFile {
    if let keysInMemory { return keysInMemory }
    return try folder.deviceFile.read(of: membership().genesis.hash)
  }
}

extension LocalVault {
  /// Opens the transport keys that entries of the log up to `last` introduce and that a machine's key file lacks, in
  /// ascending order of generation. Throws `integrity` if the store is damaged.
  package func newTransportKeys(
    for device: DeviceFile, through last: UInt64, in reader: borrowing some StoreAccess & ~Copyable
  ) throws -> [TransportKey] {
    guard try branches(in: reader).chain.transportCommitments.count > device.transportKeys.count else { return [] }
    var keys: [TransportKey] = []
    for stored in try reader.logEntries(after: 0) where stored.sequence <= last {
      let envelope = try translatingErrors { try Envelope(bytes: stored.envelope) }
      guard !envelope.boxes.isEmpty, device.transportKey(envelope.generation) == nil,
        let key = device.transportKey(introducedBy: envelope)
      else { continue }
      keys.append(key)
    }
    return keys
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the log's entries between two places, after checking that a chain of hashes connects these. Whoever has
  /// verified the last one has thereby verified all of them, although another program may have changed the store since.
  /// `first` is the place before the first entry: an entry, or the genesis. Throws ``TrustError/Code/brokenChain`` if
  /// the entries are not connected.
  func chain(from first: LogPosition, to last: LogPosition) throws -> [LogEntry] {
    var entries: [LogEntry] = []
    var position = first
    for stored in try logEntries(after: first.sequence, through: last.sequence) {
      let entry: LogEntry
      do throws(FormatError) {
        entry = try LogEntry(bytes: stored)
      } catch {
        throw TrustError(.malformed, at: position.sequence + 1, error.description)
      }
      guard entry.sequence == position.sequence + 1, entry.previous == position.hash else {
        throw TrustError(.brokenChain, at: entry.sequence, "it does not follow entry \(position.sequence)")
      }
      position = entry.position
      entries.append(entry)
    }
    guard position == last else {
      throw TrustError(.brokenChain, at: last.sequence, "it is not the entry that was verified before")
    }
    return entries
  }
}

/// The slots of a vault's roots that a store has.
package struct RootSlots: Sendable {
  /// The slot of the present root; nil if the store does not have it, or has it damaged.
  package let current: RootSlot?
  /// The slots of earlier roots, each with the succession that took the vault from that root. Damaged ones are left
  /// out.
  package let former: [(slot: RootSlot, succession: Succession)]

  package static func read(
    from access: borrowing some StoreAccess & ~Copyable, in membership: Membership
  ) throws(StoreError) -> RootSlots {
    let genesis = membership.genesis
    var slots = [try? RootSlot.first(bytes: try access.rootSlot(), of: genesis)]
    for succession in membership.successions {
      let statement = succession.statement
      slots.append(
        try access.object(.rootSlot(statement.slot)).flatMap { RootSlot(bytes: $0, of: genesis, namedBy: statement) })
    }
    return RootSlots(
      current: slots.last ?? nil,
      former: zip(slots, membership.successions).compactMap { slot, succession in slot.map { ($0, succession) } })
  }
}

extension RootSlot {
  /// Reads the slot that a succession names; nil for any other.
  package init?(bytes: [UInt8], of genesis: Genesis, namedBy statement: SuccessionStatement) {
    guard let slot = try? RootSlot(bytes: bytes, of: genesis), slot.isNamed(by: statement) else { return nil }
    self = slot
  }

  package func isNamed(by statement: SuccessionStatement) -> Bool {
    hash == statement.slot && root == statement.root && generation == statement.generation
  }
}
