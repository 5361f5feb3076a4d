package import CofferAgent
internal import CofferCrypto
internal import CofferKeys
internal import CofferTrust
package import CofferVault
internal import Dispatch
internal import Synchronization

extension Vault {
  /// Whether the vault is locked: its keys are not in memory, and reading and writing items throws `locked`.
  ///
  /// The vault of an app that was registered with `coffer app add --locked` is locked at first, unless the agent has
  /// its keys. The library never asks for a passphrase by itself: the program does, and calls
  /// ``unlock(passphrase:lockAfter:)``. Reading this property does not extend the timeout.
  ///
  /// With keys in the agent, it becomes true when a call does not reach them, for example the first write after
  /// `coffer lock`. Groups that the vault has used before can still be read until then: their keys are in this process.
  public var isLocked: Bool { lockState.isLocked }

  /// Unlocks the vault with a passphrase.
  ///
  /// The library keeps its copy of the passphrase in guarded memory and wipes it. The value that is passed, above all a
  /// `String`, is the caller's.
  ///
  /// - Parameters:
  ///   - passphrase: The machine's passphrase, 1 to 1024 bytes. It is ignored for an app that was not registered with
  ///     `--locked`. Deriving a key from it takes about half a second and 256 MiB.
  ///   - lockAfter: The time without use after which the vault locks again; nil to keep it unlocked until ``lock()``.
  /// - Throws: ``VaultError``: `authenticationFailed` for a wrong passphrase.
  public func unlock(
    passphrase: some SecretValue, lockAfter: Duration? = nil
  ) throws(VaultError) {
    var bytes = passphrase.secretBytes
    try unlock(with: SecretText(moving: &bytes), lockAfter: lockAfter)
  }

  /// Unlocks the vault of an app that needs no passphrase, or whose keys the agent has, again after ``lock()``.
  ///
  /// - Parameter lockAfter: The time without use after which the vault locks again; nil to keep it unlocked until
  ///   ``lock()``.
  /// - Throws: ``VaultError``: `locked` for an app that was registered with `--locked`, unless the user has unlocked
  ///   the agent with `coffer unlock`; `authenticationCancelled` if a person has refused the lease.
  public func unlock(lockAfter: Duration? = nil) throws(VaultError) {
    if try unlockFromAgent(lockAfter: lockAfter) { return }
    try unlock(with: nil, lockAfter: lockAfter)
  }

  /// Whether the keys of the app are sealed under a passphrase, by its credential file as it is now.
  package var isSealed: Bool {
    guard memory == nil, case .principal(let application, _, _) = author.role else { return false }
    return (try? local.folder.credentialFile(of: application).read(Credential.self))?.needsPassphrase == true
  }

  /// Unlocks the vault of an app whose keys the agent of this user has. Returns false if it stays as it was: no agent
  /// has them, or it does not give them to this process. Throws `authenticationCancelled` if a person has refused.
  /// Without `awaitsPerson`, neither this nor a later call waits for a person whom the agent asks: it throws `locked`.
  @discardableResult
  package func unlockFromAgent(
    lockAfter: Duration? = nil, awaitsPerson: Bool = true
  ) throws(VaultError) -> Bool {
    guard isLocked, isSealed, let membership = try? local.settledMembership()
    else { return false }
    let groups = LockedAccess(author, membership, TeamNaming(nil)).groups.map(\.registered)
    do throws(VaultError) {
      guard
        let keys = try AgentKeeper(for: .use, awaitsPerson: awaitsPerson).keys(
          of: author.id, for: groups, in: local)
      else { return false }
      unlock(with: keys, lockAfter: lockAfter)
      return true
    } catch {
      if error.code == .authenticationCancelled { throw error }
      return false
    }
  }

  /// Unlocks the vault with the passphrase that a source returns, or with the keys of a keeper, for a use of groups
  /// that was checked before; nil for all groups.
  package func unlock(
    from source: PassphraseSource, keeper: (any KeyKeeper)? = nil, for use: GroupUse? = nil
  ) throws(VaultError) {
    if let keeper {
      let access = LockedAccess(author, try local.settledMembership(), TeamNaming(memory))
      let groups = try use.map { use throws(VaultError) in try access.groups(for: use) } ?? access.groups
      if let keys = try keeper.keys(of: author.id, for: groups.map(\.registered), in: local) {
        return unlock(with: keys)
      }
    }
    try faults?.checkAuthentication()
    let opened = try source.open { (passphrase) throws(VaultError) in try keys(passphrase) }
    keeper?.keep(opened, of: author.id, in: local)
    unlock(with: HeldKeys(opened, of: author.id))
  }

  /// Unlocks with the timeout of the last unlock.
  func unlock(again passphrase: SecretText) throws(VaultError) {
    try unlock(with: passphrase, lockAfter: lockState.lastTimeout)
  }

  /// Unlocks the vault with keys that were just read, or that are kept elsewhere.
  func unlock(with keys: any AuthorKeys, lockAfter: Duration? = nil) {
    lockState.unlock(UnlockedSession(author: author, keys: keys, local: local, TeamNaming(memory)), timeout: lockAfter)
  }

  private func unlock(with passphrase: SecretText?, lockAfter: Duration?) throws(VaultError) {
    try faults?.checkAuthentication()
    unlock(with: HeldKeys(try keys(passphrase), of: author.id), lockAfter: lockAfter)
  }

  /// Locks the vault: wipes the keys from memory. Calls that are running complete.
  public func lock() { lockState.lock() }

  static func lockedError(_ application: String) -> VaultError {
    VaultError(
      .locked, "the vault is locked for \(application)", recoverySuggestion: "unlock it with this machine's passphrase")
  }
}

/// The lock state of a vault: its keys while it is unlocked, and when they expire.
final class VaultLock: Sendable {
  private struct Unlocked {
    let session: UnlockedSession
    /// How long the keys stay in memory unused; nil for no limit.
    let timeout: Duration?
    var deadline: ContinuousClock.Instant?
  }

  // A clock that continues while the machine sleeps, so that a vault locks over night.
  private let state = Mutex<Unlocked?>(nil)
  private let timeout = Mutex<Duration?>(nil)

  var lastTimeout: Duration? { timeout.withLock { $0 } }

  /// Returns the session, or nil while the vault is locked. Extends the timeout.
  func session() -> UnlockedSession? {
    state.withLock { state in
      guard let unlocked = state else { return nil }
      guard let timeout = unlocked.timeout, let deadline = unlocked.deadline else { return unlocked.session }
      let now = ContinuousClock.now
      guard now < deadline else {
        state = nil
        return nil
      }
      state?.deadline = now + timeout
      return unlocked.session
    }
  }

  /// Whether the vault has no keys in memory, or a call has not reached those in the agent. Reading this does not
  /// extend the timeout.
  var isLocked: Bool {
    state.withLock { state in
      guard let state, !state.session.keys.areOutOfReach else { return true }
      return state.deadline.map { ContinuousClock.now >= $0 } ?? false
    }
  }

  /// Stores the keys of a session, which expire after `timeout` without use.
  func unlock(_ session: UnlockedSession, timeout: Duration?) {
    self.timeout.withLock { $0 = timeout }
    let deadline = timeout.map { ContinuousClock.now + $0 }
    state.withLock { $0 = Unlocked(session: session, timeout: timeout, deadline: deadline) }
    if let timeout { schedule(after: timeout) }
  }

  /// Drops the keys. They are wiped when the running calls have ended.
  func lock() { state.withLock { $0 = nil } }

  /// Checks the deadline after a delay, so that the keys are also wiped if nobody uses the vault any more.
  private func schedule(after delay: Duration) {
    let seconds = Double(delay.components.seconds) + Double(delay.components.attoseconds) * 1e-18
    DispatchQueue.global(qos: .utility).asyncAfter(wallDeadline: .now() + max(seconds, 0.001)) { [weak self] in
      self?.expire()
    }
  }

  private func expire() {
    let rest: Duration? = state.withLock { state in
      guard let deadline = state?.deadline else { return nil }
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest <= .zero else { return rest }
      state = nil
      return nil
    }
    if let rest { schedule(after: rest) }
  }
}
