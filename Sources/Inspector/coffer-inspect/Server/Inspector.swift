internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferInspection
internal import CofferVault
internal import Dispatch
internal import Synchronization

/// The vault that the pages show: whether its keys are in memory, and when they leave it.
final class Inspector: Sendable {
  private struct State {
    var vault: InspectedVault?
    /// When the vault was last used or locked.
    var lastUse = ContinuousClock.now
    /// How many vaults have keys in memory, or get them: one that is being unlocked counts beside the one that it
    /// replaces.
    var keyedCount = 0
    /// How often the vault was locked. An unlock that began before the last time is void.
    var lockCount = 0
    var end: InspectorEnd?
  }

  /// The vault's folder, which a sync is given.
  let folder: VaultFolder
  /// Whether a passphrase unlocks the vault again. If not, a lock after the idle time ends the program: a lock that a
  /// click opens is none.
  let requiresPassphrase: Bool
  /// How long the vault stays unlocked without use.
  let idleTime: Duration
  /// Whether the pages have the owner's rights, and not those of an app.
  var isOwner: Bool { opening.app == nil }
  /// The sync that pages start and watch.
  let syncRun: SyncRun

  private let opening: VaultOpening
  /// Says to `coffer lock` whether the vault is unlocked; nil if that is not possible.
  private let mark: InspectLock?
  private let state: Mutex<State>
  private let ended: AsyncStream<InspectorEnd>
  private let ending: AsyncStream<InspectorEnd>.Continuation
  private let threads = DispatchQueue(label: "Coffer inspector", qos: .userInitiated, attributes: .concurrent)
  private let limit = PassphraseLimit()

  /// Creates an inspector, which begins locked if the vault is nil. Without use for `idleTime`, the vault is locked; a
  /// passphrase unlocks it again if `requiresPassphrase`. `mark` tells `coffer lock` whether the vault is unlocked.
  init(
    _ opening: VaultOpening, vault: InspectedVault?, requiresPassphrase: Bool, idleTime: Duration,
    mark: InspectLock? = nil
  ) {
    self.opening = opening
    self.mark = mark
    folder = opening.folder
    self.requiresPassphrase = requiresPassphrase
    self.idleTime = idleTime
    syncRun = SyncRun(opening.folder)
    state = Mutex(State(vault: vault))
    (ended, ending) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    if vault != nil { countKeys(1) }
    // Before a person asks for the first list, which needs the names of all items.
    vault?.prepareLists()
  }

  /// Notes that a vault gets keys, or that vaults have dropped theirs.
  private func countKeys(_ change: Int) {
    state.withLock { state in
      state.keyedCount += change
      mark?.set(isUnlocked: state.keyedCount > 0)
    }
  }

  /// Whether the vault has no keys in memory.
  var isLocked: Bool { state.withLock { $0.vault?.vault.isLocked ?? true } }

  /// Calls `body` with the unlocked vault on a thread that may block, and counts as use. Throws `locked` if it is not
  /// unlocked.
  func withVault<Result: Sendable>(
    _ body: @Sendable @escaping (InspectedVault) throws -> Result
  ) async throws -> Result {
    let vault = state.withLock { $0.vault }
    guard let vault else {
      throw VaultError(.locked, "the vault is locked", recoverySuggestion: "unlock it with this machine's passphrase")
    }
    let result = try await Self.run(on: threads) { try body(vault) }
    // What was read before a lock must not be sent after it.
    guard state.withLock({ $0.vault === vault }) else {
      throw VaultError(.locked, "the vault was locked", recoverySuggestion: "unlock it with this machine's passphrase")
    }
    return result
  }

  /// Drops the keys, and everything that was derived from them. Calls that are running complete.
  func lock() {
    let vault = state.withLock { state -> InspectedVault? in
      state.lockCount += 1
      // A second lock does not extend the time until the program ends.
      guard let vault = state.vault else { return nil }
      (state.vault, state.lastUse) = (nil, .now)
      return vault
    }
    guard let vault else { return }
    vault.lock()
    countKeys(-1)
  }

  /// The name of this machine, safe to show: the log is not sealed under the passphrase.
  var machineName: String { (try? LocalVault.open(opening.folder))?.machineName ?? "this machine" }

  /// Unlocks the vault. After too many wrong passphrases in a row, the inspector ends.
  func unlock(passphrase: SecretText) async throws {
    let lockCount = state.withLock { $0.lockCount }
    try await Self.run(on: threads) { [self] in
      try attempt { () throws(VaultError) in
        guard state.withLock({ $0.end }) == nil else {
          throw VaultError(
            .locked, "coffer inspect has ended", recoverySuggestion: "start it again with: coffer inspect")
        }
        countKeys(1)
        var withoutKeys = 1
        defer { countKeys(-withoutKeys) }
        let vault = try opening.open(PassphraseSource { (_) throws(VaultError) in passphrase })
        let isVoid = state.withLock { state in
          guard state.end == nil, state.lockCount == lockCount else { return true }
          // Two pages can unlock the vault at the same time.
          withoutKeys = state.vault == nil ? 0 : 1
          (state.vault, state.lastUse) = (vault, .now)
          return false
        }
        guard isVoid else { return vault.prepareLists() }
        vault.lock()
        throw VaultError(.locked, "the vault was locked meanwhile", recoverySuggestion: "unlock it again")
      }
    }
  }

  /// Tries a passphrase that a page was given: to unlock the vault, or to show a value. `body` throws
  /// `authenticationFailed` if the passphrase is wrong, and may block. After too many wrong ones in a row, the
  /// inspector ends.
  func attempt(_ body: () throws(VaultError) -> Void) throws(VaultError) {
    do throws(VaultError) {
      try limit.attempt(body)
    } catch {
      if limit.isReached { end(.wrongPassphrases) }
      throw error
    }
  }

  private static func run<Result: Sendable>(
    on queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}

// MARK: Idle time and end

extension Inspector {
  /// How long the program stays running while the vault is locked: the idle time, but long enough to type a passphrase.
  private var lockedTime: Duration { max(idleTime, .seconds(60)) }

  /// Notes that somebody uses the vault now.
  func noteUse() { state.withLock { $0.lastUse = .now } }

  /// Locks the vault if nobody has used it for the idle time, and ends the program if it was locked for as long.
  /// Returns how long to wait until it may be time; nil if the inspector has ended.
  @discardableResult
  func expire() -> Duration? {
    enum Step { case wait(Duration), lock, end, ended }
    let step: Step = state.withLock { state in
      guard state.end == nil else { return .ended }
      let limit = state.vault == nil ? lockedTime : idleTime
      let rest = ContinuousClock.now.duration(to: state.lastUse + limit)
      guard rest <= .zero else { return .wait(rest) }
      return state.vault == nil || !requiresPassphrase ? .end : .lock
    }
    switch step {
    case .wait(let rest): return rest
    case .lock:
      lock()
      return lockedTime
    case .end:
      end(.idle)
      return nil
    case .ended: return nil
    }
  }

  /// Locks the vault at once, as the end of the idle time does: for a screen that is locked.
  func lockOnRequest() {
    if requiresPassphrase { lock() } else { end(.lockRequested) }
  }

  /// Locks the vault for good and ends the program.
  func end(_ reason: InspectorEnd) {
    let isFirst = state.withLock { state in
      guard state.end == nil else { return false }
      state.end = reason
      return true
    }
    lock()
    guard isFirst else { return }
    ending.yield(reason)
    ending.finish()
  }

  /// Waits for the end, and locks the vault when it is idle. Returns why the inspector ends.
  func waitForEnd() async -> InspectorEnd {
    let watch = Task { [self] in
      // A timer stands still while the machine sleeps, so none is longer than this.
      while let rest = expire() { try await Task.sleep(for: min(rest, .seconds(15)) + .milliseconds(1)) }
    }
    defer { watch.cancel() }
    for await reason in ended { return reason }
    return .interrupted
  }
}

/// Why the inspector ends.
enum InspectorEnd: Sendable {
  /// Somebody pressed Ctrl-C, or another program asked it to.
  case interrupted
  /// The page said "lock".
  case locked
  /// Another program asked for a lock, which no passphrase would undo.
  case lockRequested
  /// Nobody used it for its idle time.
  case idle
  /// Too many wrong passphrases.
  case wrongPassphrases

  /// A sentence for the terminal; nil if the user has just asked for the end there.
  var message: String? {
    switch self {
    case .interrupted: nil
    case .locked: "Locked from the page; coffer inspect has ended."
    case .lockRequested: "Locked by another program; coffer inspect has ended."
    case .idle: "Not used any more; coffer inspect has ended."
    case .wrongPassphrases: "Too many wrong passphrases; coffer inspect has ended."
    }
  }
}

/// Counts wrong passphrases in a row, wherever a page asks for one, and lets one at a time be tried: each needs 256
/// MiB.
final class PassphraseLimit: Sendable {
  /// The number of wrong passphrases in a row after which no other one is tried.
  static let maximum = 5

  private let trying = Mutex(())
  private let wrong = Mutex(0)

  /// Whether no other passphrase is tried.
  var isReached: Bool { wrong.withLock { $0 >= Self.maximum } }

  /// Tries a passphrase. Waits until no other one is being tried. `body` throws `authenticationFailed` if it is wrong;
  /// if it returns, it is right. Throws `locked` if too many were wrong.
  func attempt(_ body: () throws(VaultError) -> Void) throws(VaultError) {
    try trying.withLock { (_) throws(VaultError) in
      guard !isReached else {
        throw VaultError(
          .locked, "too many passphrases were wrong", recoverySuggestion: "start coffer inspect again")
      }
      do throws(VaultError) {
        try body()
        wrong.withLock { $0 = 0 }
      } catch {
        if error.code == .authenticationFailed { wrong.withLock { $0 += 1 } }
        throw error
      }
    }
  }
}

/// How the inspector opens the vault: with whose rights, and again after a lock.
struct VaultOpening: Sendable {
  let folder: VaultFolder
  /// The app whose rights the pages have; nil for the owner.
  let app: String?

  /// Opens the vault and unlocks it. The source is not asked if no passphrase is needed, or if the keeper has the keys.
  func open(
    _ passphrase: PassphraseSource, keeper: (any KeyKeeper)? = nil
  ) throws(VaultError) -> InspectedVault {
    guard let app else {
      let local = try LocalVault.open(folder)
      if let error = try local.memberError(or: "see what an app sees with --app APP") { throw error }
      let vault = try Vault.open(asOwnerOf: local, passphrase: passphrase, keeper: keeper)
      return InspectedVault(vault: vault, local: local)
    }
    let (vault, _, local) = try Vault.open(applicationNamed: app, in: folder)
    if vault.isLocked { try vault.unlock(from: passphrase, keeper: keeper) }
    return InspectedVault(vault: vault, local: local)
  }

  /// Opens the vault if that needs no passphrase. Returns nil if one is needed.
  func openWithoutPassphrase() throws(VaultError) -> InspectedVault? {
    do throws(VaultError) {
      return try open(.unavailable)
    } catch {
      guard error.code == .locked else { throw error }
      return nil
    }
  }
}
