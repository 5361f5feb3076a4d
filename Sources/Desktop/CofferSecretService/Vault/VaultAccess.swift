internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Synchronization

/// The vault as the app of an identity sees it: opened when it is needed, and locked when it must be.
final class VaultAccess {
  /// What a call can do.
  enum State {
    case open(Vault)
    /// A passphrase is needed. Nothing is known of what is stored, except that it is nothing if the app is not in the
    /// vault.
    case locked(mayHaveItems: Bool)
    /// Nothing is stored, because there is no vault or the app is not in it yet. A write changes that.
    case empty
  }

  private let app: DesktopApp
  private var vault: Vault?
  /// The file that ``vault`` has open.
  private(set) var file: FileIdentity?
  /// The credential file with which ``vault`` was opened.
  private var credential: FileIdentity?
  /// The log entry by which the app was registered when ``vault`` was opened.
  private var registration: EntryHash?
  /// Whether the app's keys are sealed under a passphrase, so that the agent keeps them while they are unlocked.
  private var isSealed = false
  /// Whether keys that a passphrase has opened are in this process, because no agent runs.
  private var holdsKeys = false
  private var lastUse = ContinuousClock.now
  /// Whether this process has seen a vault, for any program: then the user does not just have none.
  private static let hasSeenVault = Atomic(false)
  /// How many questions are being asked, whose answers unlock the vault on other threads.
  private var questionCount = 0
  /// Whether a caller has locked the collections.
  private(set) var isLockedByCaller = false

  init(_ app: DesktopApp) { self.app = app }

  /// After how long without use keys that no agent keeps are dropped: as the agent does.
  private static let idleTime = Duration.seconds(600)

  /// The folder of the user's vault.
  func folder() throws(VaultError) -> VaultFolder { try VaultFolder(.standard()) }

  /// The vault, if it was opened; it may be locked.
  var openedVault: Vault? { vault }

  /// Returns what a call can do now. Asks nobody.
  func state() throws(VaultError) -> State {
    do throws(VaultError) {
      return try currentState()
    } catch {
      // The vault may be another one now, for example after it was cloned again.
      if error.code != .locked { vault = nil }
      throw error
    }
  }

  /// Returns what a look can do that no program has asked for: as ``state()``, but it neither unlocks the vault nor
  /// counts as a use of keys that expire without one.
  func stateWithoutUse() throws(VaultError) -> State {
    guard isSealed, let vault else { return try state() }
    dropKeysOfLockedAgent()
    try closeIfReplaced()
    return vault.isLocked || isLockedByCaller || self.vault == nil ? .locked(mayHaveItems: true) : .open(vault)
  }

  private func currentState() throws(VaultError) -> State {
    if isLockedByCaller { return .locked(mayHaveItems: true) }
    try closeIfReplaced()
    if vault == nil {
      guard let opened = try open() else { return try statusWithoutVault() }
      take(opened)
    }
    guard let vault else { return .empty }
    guard isSealed else { return .open(vault) }
    dropExpiredKeys()
    if holdsKeys {
      lastUse = .now
      return .open(vault)
    }
    // The agent may have been locked since: the keys of groups that this process has used would still open items. While
    // a question is asked, another thread is about to unlock the vault.
    if questionCount == 0 { vault.lock() }
    if vault.isLocked {
      do throws(VaultError) {
        try vault.unlockFromAgent(awaitsPerson: false)
      } catch {
        guard [.locked, .authenticationCancelled, .authenticationFailed].contains(error.code) else { throw error }
      }
    }
    return vault.isLocked ? .locked(mayHaveItems: true) : .open(vault)
  }

  /// Whether the vault is open with keys that are sealed under a passphrase, and can expire.
  var hasSealedKeys: Bool { isSealed && vault?.isLocked == false }

  /// Drops the keys that a passphrase has opened in this process, after a time without use. It does not count as a use.
  private func dropExpiredKeys() {
    guard let vault, isSealed, holdsKeys, ContinuousClock.now > lastUse + Self.idleTime || vault.isLocked else {
      return
    }
    holdsKeys = false
    vault.lock()
  }

  /// Drops keys that have expired, and those of an agent that was locked. It does not count as a use of the agent.
  func dropKeysOfLockedAgent() {
    dropExpiredKeys()
    guard let vault, isSealed, !holdsKeys, questionCount == 0, !vault.isLocked,
      let status = try? AgentClient.status(),
      !status.vaults.contains(where: { $0.vault == vault.local.folder.path })
    else { return }
    vault.lock()
  }

  private func take(_ opened: Vault) {
    vault = opened
    Self.hasSeenVault.store(true, ordering: .relaxed)
    isSealed = opened.isLocked
    credential = Self.credential(of: opened)
    holdsKeys = false
  }

  private static func credential(of vault: Vault) -> FileIdentity? {
    vault.applicationIdentifier.flatMap { ApplicationID($0) }
      .flatMap { FileIdentity(of: vault.local.folder.credentialFile(of: $0).path) }
  }

  /// Forgets a vault whose file is not there any more, so that nothing is written to a deleted file, and one whose app
  /// was registered anew, perhaps with a passphrase, or whose keys were sealed under one since.
  private func closeIfReplaced() throws(VaultError) {
    guard let vault else { return }
    let isSame = FileIdentity(of: vault.local.folder.storePath) == file
    let current = Self.credential(of: vault)
    let wasSealed = !isSealed && current != credential && vault.isSealed
    credential = current
    guard isSame, !wasSealed, registration == (try Self.registration(in: vault)) else { return self.vault = nil }
  }

  private static func registration(in vault: Vault) throws(VaultError) -> EntryHash? {
    guard let name = vault.applicationIdentifier, let application = ApplicationID(name) else { return nil }
    return try vault.local.publishedMembership().apps[application]?.registration
  }

  private func open() throws(VaultError) -> Vault? {
    let folder = try folder()
    file = FileIdentity(of: folder.storePath)
    guard case .installed(let application) = try app.status(in: folder).status else { return nil }
    let opened = try Vault.open(applicationNamed: application.description, in: folder).vault
    registration = try Self.registration(in: opened)
    return opened
  }

  private func statusWithoutVault() throws(VaultError) -> State {
    let folder = try folder()
    // What was there a moment ago must not look empty: programs would store new secrets, and a new vault would be
    // created.
    if folder.exists { Self.hasSeenVault.store(true, ordering: .relaxed) }
    guard folder.exists || !Self.hasSeenVault.load(ordering: .relaxed) else {
      throw VaultError(
        .noVault, "the vault at \(folder.path) is not there any more",
        recoverySuggestion:
          "bring it back; or, if it is to be a new one, end the service with: systemctl --user restart coffer-secret-service"
      )
    }
    let (status, needsQuestion) = try app.status(in: folder)
    switch status {
    case .absent: return needsQuestion || app.needsPermission ? .locked(mayHaveItems: false) : .empty
    case .withoutCredential:
      guard !needsQuestion else { return .locked(mayHaveItems: true) }
      // Items of other machines may be there.
      try app.install(in: folder, passphrase: .unavailable)
      return try reopened()
    case .installed: return try reopened()
    }
  }

  private func reopened() throws(VaultError) -> State {
    guard let opened = try open() else { return .locked(mayHaveItems: true) }
    take(opened)
    return isSealed ? .locked(mayHaveItems: true) : .open(opened)
  }

  /// Returns the vault for a write, and creates and registers what is missing. Throws `locked` if a passphrase is
  /// needed.
  func vaultForWriting() throws(VaultError) -> Vault {
    switch try state() {
    case .open(let vault): return vault
    case .locked: throw Self.locked
    case .empty:
      try app.install(in: try folder(), passphrase: .unavailable)
      guard case .open(let vault) = try state() else { throw Self.locked }
      return vault
    }
  }

  static let locked = VaultError(
    .locked, "the collection is locked", recoverySuggestion: "unlock it with: coffer unlock")

  // MARK: Locking

  /// Drops the keys that a passphrase has opened, also those of an agent: it gives them again if it is unlocked.
  /// Returns whether they were kept here, because no agent runs.
  func dropSealedKeys() -> Bool {
    guard isSealed else { return false }
    let wereHere = holdsKeys
    holdsKeys = false
    vault?.lock()
    return wereHere
  }

  /// Locks the collections for all callers with this identity, and wipes the keys of this process.
  func lock() {
    isLockedByCaller = true
    holdsKeys = false
    vault?.lock()
  }

  /// How the collections are unlocked.
  enum Unlocking: Sendable {
    /// Nobody is asked.
    case immediate
    case asking(UnlockQuestion)
  }

  /// Returns how the collections are unlocked; nil if they are.
  func unlocking() throws(VaultError) -> Unlocking? {
    if isLockedByCaller, let vault, !isSealed {
      // As Keychain's calls do: what was locked on purpose, its owner unlocks.
      return vault.canBeUnlockedByOwner ? .asking(UnlockQuestion(.owner(vault))) : .immediate
    }
    let wasLocked = isLockedByCaller
    isLockedByCaller = false
    defer { isLockedByCaller = wasLocked }
    switch try state() {
    case .open, .empty: return wasLocked ? .immediate : nil
    case .locked:
      if let vault { return .asking(UnlockQuestion(.sealed(vault))) }
      return .asking(UnlockQuestion(.registration(app, try folder())))
    }
  }

  /// Notes that a question is asked from now on. ``endQuestion()`` follows.
  func beginQuestion() { questionCount += 1 }

  func endQuestion() { questionCount -= 1 }

  /// Completes an unlock: nobody had to be asked, or a person has answered.
  func completeUnlock(_ result: UnlockQuestion.Result?) throws(VaultError) {
    isLockedByCaller = false
    lastUse = .now
    guard result?.isUnlockedByAnother != true else { return }
    if let opened = result?.opened {
      file = FileIdentity(of: opened.local.folder.storePath)
      registration = try Self.registration(in: opened)
      take(opened)
      isSealed = result?.isSealed ?? false
    }
    holdsKeys = result?.holdsKeys ?? false
    if let vault, !isSealed, vault.isLocked { try vault.unlock() }
  }

  /// Forgets the vault, so that the next call opens it again.
  func close() { vault = nil }
}
