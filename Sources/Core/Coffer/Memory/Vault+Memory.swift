internal import CofferCrypto
internal import CofferSystem
internal import CofferTrust
public import CofferVault
internal import Synchronization

extension Vault {
  /// Creates a vault in memory, for tests of apps and for programs that store nothing: the same rules and errors,
  /// without files.
  ///
  /// The app is registered by its plist, so entitlements, default group and read-only groups are those of the real app.
  /// A team prefix that the plist contains as a literal, or else the environment variable `COFFER_MEMORY_TEAM`, is the
  /// vault's. The content is lost with the last reference to the vault. ``reopened(as:)`` opens it as another app.
  ///
  /// The vault has no owner's passphrase: Keychain calls cannot add or read items that require user presence, as on a
  /// device without a passcode. See ``inMemory(entitlements:passphrase:)``.
  ///
  /// - Parameter entitlements: The app's entitlements.
  /// - Returns: The vault, unlocked.
  /// - Throws: ``VaultError``: `notEntitled` for a plist that `coffer app add` would reject; `invalidArgument` for an
  ///   environment variable `COFFER_MEMORY_…` with an unknown value.
  public static func inMemory(entitlements: EntitlementsSource = .automatic) throws(VaultError) -> Vault {
    let settings = try MemorySettings(CurrentProcess.environment)
    return try MemoryVault.create(passphrase: nil, for: entitlements, settings).open(entitlements)
  }

  /// Creates a vault in memory whose owner has a passphrase. As ``inMemory(entitlements:)``.
  ///
  /// If the environment variable `COFFER_MEMORY_PROMPT` is set and the program has no prompter, prompts for the vault's
  /// secrets have the outcomes that it lists between commas, the last of which repeats: `approve`, `cancel` or `fail`.
  ///
  /// - Parameters:
  ///   - entitlements: The app's entitlements.
  ///   - passphrase: The owner's passphrase, 1 to 1024 bytes, which items that require user presence ask for.
  /// - Returns: The vault, unlocked.
  /// - Throws: ``VaultError``: `notEntitled` for a plist that `coffer app add` would reject; `invalidArgument` for an
  ///   empty or overlong passphrase, and for an environment variable `COFFER_MEMORY_…` with an unknown value.
  public static func inMemory(
    entitlements: EntitlementsSource = .automatic, passphrase: some SecretValue
  ) throws(VaultError) -> Vault {
    try inMemory(entitlements, passphrase: passphrase, environment: CurrentProcess.environment)
  }

  /// Creates a vault in memory whose owner has a passphrase, with variables `COFFER_MEMORY_…` of `environment`.
  package static func inMemory(
    _ entitlements: EntitlementsSource, passphrase: some SecretValue, environment: [String: String]
  ) throws(VaultError) -> Vault {
    let settings = try MemorySettings(environment)
    var bytes = passphrase.secretBytes
    let passphrase = SecretText(moving: &bytes)
    return try MemoryVault.create(passphrase: passphrase, for: entitlements, settings).open(entitlements)
  }

  /// Opens the same vault in memory as another app, or again as the same one, as another process would.
  ///
  /// - Parameter entitlements: The app's entitlements.
  /// - Returns: The vault, opened by the other app.
  /// - Throws: ``VaultError``: `invalidArgument` for a vault in a folder; `notEntitled` as ``inMemory(entitlements:)``.
  public func reopened(as entitlements: EntitlementsSource) throws(VaultError) -> Vault {
    guard let memory, broker == nil else {
      throw VaultError(
        .invalidArgument, "this vault is in a folder", recoverySuggestion: "open it there with Vault.open(_:at:)")
    }
    return try memory.open(entitlements)
  }
}

/// The current fault of a vault in memory.
package final class FaultInjection: Sendable {
  private let current = Mutex<InjectedFault?>(nil)

  package var fault: InjectedFault? {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  func checkAccess() throws(VaultError) {
    switch fault {
    case .locked:
      throw VaultError(.locked, "the vault is locked", recoverySuggestion: "this fault was injected by a test")
    case .missingEntitlement:
      throw VaultError(
        .notEntitled, "the app is not entitled to the access group",
        recoverySuggestion: "this fault was injected by a test")
    case .corrupt:
      throw VaultError(
        .integrity, "the vault's store is damaged", recoverySuggestion: "this fault was injected by a test")
    case .authenticationCancelled: try checkAuthentication()
    case .diskFull, nil: break
    }
  }

  func checkWriting() throws(VaultError) {
    guard fault == .diskFull else { return }
    throw VaultError(.diskFull, "no space is left on the disk", recoverySuggestion: "this fault was injected by a test")
  }

  func checkAuthentication() throws(VaultError) {
    guard fault == .authenticationCancelled else { return }
    throw VaultError(
      .authenticationCancelled, "the request for a passphrase was declined",
      recoverySuggestion: "this fault was injected by a test")
  }
}

/// An error that a test causes in a vault in memory.
package enum InjectedFault: Hashable, Sendable {
  case locked
  case missingEntitlement
  case diskFull
  case corrupt
  case authenticationCancelled
}
