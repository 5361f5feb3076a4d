internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferPlatform
internal import CofferPrompt
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Synchronization

/// What a person is asked before collections are unlocked. It is asked on a thread of its own.
struct UnlockQuestion: Sendable {
  /// What the passphrase is for.
  enum Purpose: Sendable {
    /// The keys of the app.
    case sealed(Vault)
    /// A vault that a program has locked on purpose.
    case owner(Vault)
    /// The registration of the app, or its credential on this machine.
    case registration(DesktopApp, VaultFolder)
  }

  struct Result: Sendable {
    /// Whether this process has the keys now, because no agent keeps them.
    var holdsKeys = false
    /// Whether the keys are sealed under a passphrase.
    var isSealed = false
    /// Whether the answer to another question has unlocked them.
    var isUnlockedByAnother = false
    /// The vault that the answer has opened for the first time.
    var opened: Vault?
  }

  private let purpose: Purpose

  init(_ purpose: Purpose) { self.purpose = purpose }

  /// How long a person may take to answer.
  private static let timeout = Duration.seconds(300)
  private static let attemptCount = 3
  /// One dialog at a time.
  private static let turn = Mutex(())
  /// One vault is unlocked at a time, with its dialog: each question unlocks and locks it to find out who has its keys.
  /// Taken before ``turn``.
  private static let unlocking = Mutex(())

  /// Asks, and unlocks what the answer unlocks.
  ///
  /// - Parameters:
  ///   - caller: The program that asks, for the person; nil if it is not known.
  ///   - isCancelled: Whether nobody waits for the answer any more.
  /// - Returns: What else follows from the answer.
  /// - Throws: ``VaultError``: `authenticationCancelled` if a person has declined or has not answered; `locked` if
  ///   nobody can be asked; `authenticationFailed` for wrong passphrases.
  func ask(for caller: String?, isCancelled: @escaping @Sendable () -> Bool) throws(VaultError) -> Result {
    let end = ContinuousClock.now + Self.timeout
    let isOver: @Sendable () -> Bool = { isCancelled() || ContinuousClock.now > end }
    let source = PassphraseSource(attempts: Self.attemptCount) { (previous) throws(VaultError) in
      try Self.passphrase(self.lines(for: caller), after: previous, isOver: isOver)
    }
    switch purpose {
    case .sealed(let vault):
      return try Self.unlock(vault, source.rememberingFirst(), isOver: isOver)
    case .owner(let vault):
      var previous: VaultError?
      for _ in 0..<Self.attemptCount {
        let passphrase = try Self.passphrase(lines(for: caller), after: previous, isOver: isOver)
        if try vault.unlock(byOwner: passphrase) { return Result() }
        previous = Self.wrong
      }
      throw Self.wrong
    case .registration(let app, let folder):
      let isPermitted = try Self.isPermitted(app, in: folder, isCancelled: isCancelled)
      let once = source.rememberingFirst()
      try app.install(in: folder, passphrase: once, isPermitted: isPermitted)
      guard case .installed(let application) = try app.status(in: folder).status else { return Result() }
      let vault = try Vault.open(applicationNamed: application.description, in: folder).vault
      // An app that is registered with --locked gets a sealed credential.
      var result = vault.isLocked ? try Self.unlock(vault, once, isOver: isOver) : Result()
      result.opened = vault
      return result
    }
  }

  /// Unlocks a vault with keys that an agent has, perhaps after a person has allowed it, or with a passphrase.
  private static func unlock(
    _ vault: Vault, _ source: PassphraseSource, isOver: @escaping @Sendable () -> Bool
  ) throws(VaultError) -> Result {
    try unlocking.withLock { (_) throws(VaultError) -> Result in
      guard vault.isLocked else { return Result(isSealed: true, isUnlockedByAnother: true) }
      guard !isOver() else { throw unanswered }
      // Another thread may take the keys from the agent between these calls.
      if try vault.unlockFromAgent() || !vault.isLocked { return Result(isSealed: true) }
      try vault.unlock(from: source, keeper: AgentKeeper(for: .use))
      // Whether an agent has taken the keys, and gives them.
      vault.lock()
      if (try? vault.unlockFromAgent()) == true || !vault.isLocked { return Result(isSealed: true) }
      try vault.unlock(from: source)
      return Result(holdsKeys: true, isSealed: true)
    }
  }

  /// Returns whether a person gives a program a collection of its own, if that is to be asked.
  private static func isPermitted(
    _ app: DesktopApp, in folder: VaultFolder, isCancelled: @escaping @Sendable () -> Bool
  ) throws(VaultError) -> Bool {
    guard app.needsPermission, let program = app.program, case .absent = try app.status(in: folder).status else {
      return false
    }
    let advice = program.addCommand.map { "give it one with: \($0)" }
    switch CollectionQuestion.shared.ask(about: program, isCancelled: isCancelled) {
    case .agreed: return true
    case .refused, .unanswered:
      throw VaultError(
        .authenticationCancelled, "nobody has given \(program.words) a collection of its own",
        recoverySuggestion: advice)
    case .unavailable:
      throw VaultError(
        .locked, "no dialog can be shown to ask whether \(program.words) gets a collection of its own",
        recoverySuggestion: advice)
    }
  }

  private static let unanswered = VaultError(
    .authenticationCancelled, "nobody has given the passphrase", recoverySuggestion: "try again")
  static let wrong = VaultError(
    .authenticationFailed, "the passphrase is wrong", recoverySuggestion: "try again")

  private func lines(for caller: String?) -> [String] {
    let program = caller.map { $0.sanitizedForTerminal(limit: 40) } ?? "A program"
    return switch purpose {
    case .sealed(let vault), .owner(let vault):
      ["\(program) wants to use its passwords in Coffer.", "Enter the passphrase of \(vault.local.machineName)."]
    case .registration(_, let folder):
      [
        "\(program) wants to store passwords in Coffer, in a collection of its own.",
        "Enter the passphrase of \((try? LocalVault.open(folder))?.machineName ?? "this machine").",
      ]
    }
  }

  static func passphrase(
    _ lines: [String], after previous: VaultError?, isOver: @escaping @Sendable () -> Bool
  ) throws(VaultError) -> SecretText {
    var dialog = PinentryDialog(
      lines: lines, prompt: "Passphrase", error: previous == nil ? nil : "The passphrase is wrong. Try again.")
    DialogProgram.prepare(&dialog)
    let outcome = turn.withLock { _ -> PinentryDialog.Outcome<SecretText> in
      guard !isOver() else { return .cancelled }
      return dialog.secret(with: DialogProgram.paths, isCancelled: isOver)
    }
    switch outcome {
    case .answered(let passphrase): return passphrase
    case .cancelled: throw unanswered
    case .unavailable:
      throw VaultError(
        .locked, "no dialog can be shown for the passphrase",
        recoverySuggestion: "install pinentry, or unlock the keys with: coffer unlock")
    }
  }
}
