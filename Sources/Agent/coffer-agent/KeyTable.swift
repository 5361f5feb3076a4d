internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Dispatch
internal import Synchronization

/// The keys that the agent has, the sessions of its clients that use them, and the leases of process trees.
final class KeyTable: Sendable {
  private struct Session {
    let folder: String
    let keys: HeldKeys
  }

  private struct State {
    var vaults: [String: UnlockedVault] = [:]
    var sessions: [UInt64: Session] = [:]
    var leases: [Lease] = []
    /// How a vault was kept before it was locked.
    var settings: [String: AgentSettings] = [:]
    /// The vaults whose owner's keys the agent has had. Only deposits of an owner weaken how they are kept.
    var owned: Set<String> = []
    /// How often the agent was locked. What began before the last time is void.
    var lockCount = 0
    /// How many calls use keys now.
    var useCount = 0
  }

  private let state = Mutex(State())
  private let changed = DispatchSemaphore(value: 0)

  /// The largest numbers of vaults, of keys in one, and of leases.
  private static let vaultLimit = 32
  private static let keyLimit = 128
  private static let leaseLimit = 256

  /// Whether the agent has no keys.
  var isEmpty: Bool { state.withLock { $0.vaults.isEmpty } }
  var lockCount: Int { state.withLock { $0.lockCount } }

  // MARK: Keys

  /// Takes keys, if they are those of an author in the log of the vault that the deposit names. Returns the leases that
  /// the process tree has got: the passphrase that has opened the keys was the answer of a person.
  func keep(_ deposit: AgentDeposit, for lineage: ProcessLineage?) throws(VaultError) -> [Lease] {
    let folder = VaultFolder(URL(fileURLWithPath: deposit.folder, isDirectory: true))
    let (lockCount, former, known) = state.withLock {
      ($0.lockCount, $0.settings[deposit.folder], $0.vaults[deposit.folder])
    }
    let initial = former ?? AgentSettings.read(of: folder)
    let vault = if let known { known } else { try UnlockedVault.open(folder, initial) }
    let membership = try vault.log().published
    guard let keys = try? PartyKeys(secret: deposit.secret),
      AuthorID(vault: membership.vault, keys: keys.publicKeys) == deposit.author,
      let author = membership.authors[deposit.author], author.cut == nil
    else {
      throw VaultError(
        .notEntitled, "the keys are not in the log of the vault",
        recoverySuggestion: "sync, then run: coffer unlock")
    }
    let secret = HeldSecret(deposit.secret)
    let leases =
      lineage.map { lineage in
        deposit.leased.compactMap { membership.groups[$0] }.map {
          Lease(
            of: $0, as: deposit.author, folder: deposit.folder, for: deposit.purpose, lineage,
            seconds: deposit.leaseSeconds)
        }
      } ?? []
    let settings = try state.withLock { state throws(VaultError) -> AgentSettings in
      guard state.lockCount == lockCount else { throw Self.lockedMeanwhile }
      let isOwner = author.isAdmin
      // Keys whose time has passed must not come back with the new ones.
      var entry = Self.vault(deposit.folder, in: &state) ?? vault.withoutKeys
      // Any program of the user has the keys of an app that no passphrase protects: with them, it must not weaken how
      // the keys of others are kept, nor keep them for longer. On a member's machine, those are keys of apps, too.
      let mayRenew = isOwner || entry.keys.keys.allSatisfy { $0 == deposit.author }
      let settings = (state.settings[deposit.folder] ?? initial)
        .changed(by: deposit, mayWeaken: isOwner || mayRenew && !state.owned.contains(deposit.folder))
      if mayRenew { entry.renew() }
      entry.keys[deposit.author] = secret
      entry.settings = settings
      guard state.vaults.count < Self.vaultLimit || state.vaults[deposit.folder] != nil,
        entry.keys.count <= Self.keyLimit
      else {
        throw VaultError(
          .io, "the agent has too many keys", recoverySuggestion: "drop them with: coffer lock")
      }
      state.vaults[deposit.folder] = entry
      // Many spellings of one folder must not fill the memory: the settings of vaults without keys are also in their
      // files.
      if state.settings[deposit.folder] == nil, state.settings.count >= Self.vaultLimit {
        let vaults = state.vaults
        state.settings = state.settings.filter { vaults[$0.key] != nil }
        state.owned = state.owned.filter { vaults[$0] != nil }
      }
      state.settings[deposit.folder] = settings
      if isOwner { state.owned.insert(deposit.folder) }
      Self.add(leases, to: &state)
      return settings
    }
    // Another agent, later, keeps the vault in the same way.
    if deposit.idleSeconds != nil || deposit.confirms != nil { settings.write(to: folder) }
    changed.signal()
    return leases
  }

  private static var lockedMeanwhile: VaultError {
    VaultError(
      .locked, "the agent was locked meanwhile", recoverySuggestion: "unlock it with: coffer unlock")
  }

  /// Begins a session of a connection, and returns its vault. Nil if the agent does not have the keys.
  func begin(_ connection: UInt64, folder: String, author: AuthorID) -> UnlockedVault? {
    let found = state.withLock { Self.vault(folder, in: &$0) }
    guard let found, let secret = found.keys[author], let keys = try? PartyKeys(secret: secret.bytes) else {
      return nil
    }
    let held = HeldKeys(keys, of: author)
    return state.withLock { state in
      guard state.vaults[folder]?.keys[author] != nil else { return nil }
      state.sessions[connection] = Session(folder: folder, keys: held)
      return found
    }
  }

  /// Ends the session of a connection.
  func end(_ connection: UInt64) { state.withLock { _ = $0.sessions.removeValue(forKey: connection) } }

  /// Returns the vault of a session. Nil if the agent has been locked.
  func vault(of connection: UInt64) -> UnlockedVault? {
    state.withLock { state -> UnlockedVault? in
      guard let session = state.sessions[connection] else { return nil }
      return Self.vault(session.folder, in: &state)
    }
  }

  /// Calls `body` with the keys of a session. Nil if the agent has been locked, also meanwhile: what `body` has
  /// returned must not be sent then.
  func use<Result>(
    _ connection: UInt64, _ body: (HeldKeys) throws(VaultError) -> Result
  ) throws(VaultError) -> Result? {
    let found = state.withLock { state -> HeldKeys? in
      guard let session = state.sessions[connection], Self.vault(session.folder, in: &state) != nil else { return nil }
      state.useCount += 1
      return session.keys
    }
    guard let keys = found else { return nil }
    defer { state.withLock { $0.useCount -= 1 } }
    let result = try body(keys)
    let isOpen = state.withLock { state in
      guard let session = state.sessions[connection] else { return false }
      state.vaults[session.folder]?.noteUse()
      return true
    }
    return isOpen ? result : nil
  }

  /// Returns a vault whose time has not passed. A request alone does not prolong it.
  private static func vault(_ folder: String, in state: inout State) -> UnlockedVault? {
    guard let vault = state.vaults[folder], ContinuousClock.now < vault.deadline else { return nil }
    return vault
  }

  // MARK: Leases

  /// Whether a process tree has a lease of a group.
  func hasLease(
    of group: GroupID, author: AuthorID, folder: String, for purpose: KeyPurpose, _ lineage: ProcessLineage
  ) -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      return state.leases.contains {
        $0.group == group && $0.author == author && $0.folder == folder && $0.covers(lineage, for: purpose, at: now)
      }
    }
  }

  /// Adds leases that a person has given while the agent was not locked.
  func add(_ leases: [Lease], since lockCount: Int) {
    state.withLock { state in
      if state.lockCount == lockCount { Self.add(leases.filter { state.vaults[$0.folder] != nil }, to: &state) }
    }
  }

  private static func add(_ leases: [Lease], to state: inout State) {
    let now = ContinuousClock.now
    state.leases.removeAll { $0.end <= now }
    state.leases += leases
    if state.leases.count > leaseLimit { state.leases.removeFirst(state.leases.count - leaseLimit) }
  }

  // MARK: Locking

  /// Drops all keys and leases, without waiting for anything. Returns the folders of their vaults, and how many keys
  /// there were.
  func drop() -> (folders: [VaultFolder], keyCount: Int) {
    state.withLock { state in
      let dropped = (
        folders: state.vaults.values.map(\.local.folder), keyCount: state.vaults.values.reduce(0) { $0 + $1.keys.count }
      )
      state.vaults = [:]
      state.sessions = [:]
      state.leases = []
      state.lockCount += 1
      return dropped
    }
  }

  /// Drops all keys and leases, and waits until no call uses any. Returns how many keys there were.
  @discardableResult
  func lock(_ cause: String) -> Int {
    let (folders, keyCount) = drop()
    Self.log(cause, for: folders)
    let end = ContinuousClock.now + .seconds(2)
    while state.withLock({ $0.useCount }) > 0, ContinuousClock.now < end { usleep(2_000) }
    return keyCount
  }

  /// Records in the logs of vaults why their keys were dropped.
  static func log(_ cause: String, for folders: [VaultFolder]) {
    for folder in folders { AgentLog(of: folder).append(.init(.locked, cause: cause)) }
  }

  /// Drops the keys of vaults that were not used for their idle time, as soon as it has passed. Returns after `longest`
  /// if nothing happens.
  func awaitExpiry(atMost longest: Duration) {
    let next = state.withLock { $0.vaults.values.map(\.deadline).min() }
    // A timer stands still while the machine sleeps, so none is longer than 15 seconds.
    let rest = next.map { ContinuousClock.now.duration(to: $0) } ?? longest
    let wait = min(max(rest, .zero), .seconds(15), longest)
    let seconds = Double(wait.components.seconds) + Double(wait.components.attoseconds) * 1e-18
    _ = changed.wait(timeout: .now() + seconds + 0.002)
    let expired = state.withLock { state in
      let now = ContinuousClock.now
      let expired = state.vaults.filter { $0.value.deadline <= now }
      guard !expired.isEmpty else { return expired }
      for folder in expired.keys {
        state.vaults[folder] = nil
        state.sessions = state.sessions.filter { $0.value.folder != folder }
        state.leases.removeAll { $0.folder == folder }
      }
      return expired
    }
    for vault in expired.values { AgentLog(of: vault.local.folder).append(.init(.locked, cause: "idle")) }
  }

  // MARK: State

  func status(locksWithScreen: Bool) -> AgentStatus {
    state.withLock { state in
      let now = ContinuousClock.now
      return AgentStatus(
        process: getpid(), version: CofferVersion.text, locksWithScreen: locksWithScreen,
        vaults: state.vaults.sorted { $0.key < $1.key }.map { folder, vault in
          .init(
            vault: folder, keyCount: vault.keys.count, unlocked: vault.unlocked, locks: vault.locks,
            confirms: vault.settings.confirms)
        },
        leases: state.leases.filter { $0.end > now }.map { lease in
          .init(
            vault: lease.folder, group: lease.name, process: lease.root.identifier, program: lease.root.name,
            ends: Date(timeIntervalSinceNow: Double(now.duration(to: lease.end).components.seconds)))
        })
    }
  }
}
