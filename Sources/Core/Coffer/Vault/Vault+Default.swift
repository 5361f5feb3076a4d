internal import CofferCrypto
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem
internal import CofferVault
internal import Synchronization

private let defaultVault = Mutex<Vault?>(nil)
private let memoryVault = Mutex<Vault?>(nil)

extension Vault {
  /// The vault of ``asDefault(_:)``, if the current task runs within one.
  @TaskLocal static var taskDefault: Vault?

  /// The vault that property wrappers and Keychain calls use if they are given none.
  ///
  /// It is the vault that ``makeDefault()`` has set. If none is set, the first access opens one with the program's own
  /// entitlements (``EntitlementsSource/automatic``) at the user's location (``VaultLocation/standard()``).
  ///
  /// If `COFFER_VAULT` is `:memory:`, it is a vault in memory, as
  /// ``open(_:at:creatingIfNeeded:askingForRegistration:)`` describes it.
  ///
  /// - Throws: ``VaultError`` as ``open(_:at:creatingIfNeeded:askingForRegistration:)``. The next access tries again.
  public static var `default`: Vault {
    get throws(VaultError) {
      if let vault = taskDefault { return vault }
      if let known = defaultVault.withLock({ $0 }) { return known }
      let opened = try open()
      return defaultVault.withLock { known in
        if let known { return known }
        known = opened
        return opened
      }
    }
  }

  /// Makes this vault the process's ``default``: at the start of a program that opens its vault itself, or of a test.
  public func makeDefault() { defaultVault.withLock { $0 = self } }

  /// Runs `body` with this vault as the ``default`` of the current task and its child tasks, for tests that run in
  /// parallel with a vault each. Other threads and detached tasks are not affected.
  ///
  /// - Parameter body: The code to run.
  /// - Returns: What `body` returns.
  public func asDefault<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$taskDefault.withValue(self) { try body() }
  }

  /// Runs `body` with this vault as the ``default`` of the current task and its child tasks, for tests that run in
  /// parallel with a vault each. Other threads and detached tasks are not affected.
  ///
  /// - Parameter body: The code to run.
  /// - Returns: What `body` returns.
  public func asDefault<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await Self.$taskDefault.withValue(self) { try await body() }
  }

  /// Opens the vault in memory that `COFFER_VAULT` asks for, as an app: one for the process, as a vault in a folder
  /// would be.
  static func openInMemory(as entitlements: EntitlementsSource) throws(VaultError) -> Vault {
    let vault = try memoryVault.withLock { known throws(VaultError) in
      if let known { return known }
      // A random passphrase: items that require user presence can be added, and reading them fails unless
      // COFFER_MEMORY_PROMPT has a prepared answer or a prompter is set.
      let created = try inMemory(entitlements: entitlements, passphrase: Random.bytes(count: 32))
      known = created
      return created
    }
    return try vault.reopened(as: entitlements)
  }
}

extension EntitlementsSource {
  /// Entitlements with one group, for a program that has none.
  static var ownGroup: [UInt8] {
    let name = ProcessInfo.processInfo.processName.unicodeScalars
      .map { $0.isASCII && $0.properties.isAlphabetic ? String($0) : "-" }.joined()
    return Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>application-identifier</key><string>$(AppIdentifierPrefix)coffer.memory.x\(name.prefix(64))x</string>
      </dict></plist>
      """.utf8)
  }
}

extension Vault {
  /// Runs `body` as one transaction: its calls of this vault take effect together, in one durable commit, or not at
  /// all.
  ///
  ///     try vault.transaction {
  ///       try vault.set(token, for: access)
  ///       try vault.delete(oldToken)
  ///     }
  ///
  /// All calls on the thread of `body` take part, including those in nested transactions. If one call throws, only that
  /// call is undone; `body` can catch the error and continue. An error after which nothing can be stored, such as
  /// `diskFull`, ends the transaction: later calls throw it too, and so does the transaction if `body` returns. Other
  /// threads and processes wait with their writes, so keep it short.
  ///
  /// - Parameter body: The calls. Use the synchronous forms.
  /// - Returns: What `body` returns. Everything is on disk then.
  /// - Throws: What `body` throws, and ``VaultError`` if the transaction cannot begin or cannot be made durable:
  ///   `notEntitled` for an app in a Flatpak. Nothing has changed then.
  @discardableResult
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    var thrown: (any Error)?
    do {
      return try writing { _, _ in
        do {
          return try body()
        } catch {
          thrown = error
          throw error
        }
      }
    } catch {
      throw thrown ?? error
    }
  }

  /// Whether the current thread is within ``transaction(_:)``, so that other writers wait.
  package var isInsideTransaction: Bool { local.store.isHeldByThisThread }
}
