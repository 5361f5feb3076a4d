internal import CofferCrypto
internal import CofferSystem
internal import Foundation
internal import Synchronization

private let sharedVault = Mutex<Vault?>(nil)

extension Vault {
  /// What ``sharing(_:)`` has set for the task, or for the thread where there is none.
  @TaskLocal private static var sharedInTask: Vault?

  /// The vault that property wrappers and Keychain calls use where they are given none: opened with the program's own
  /// entitlements (``EntitlementsSource/automatic``) when it is first needed, or what ``share()`` has set.
  ///
  /// Where `COFFER_VAULT` is `:memory:` it is a fresh one in memory, for this process; a program without entitlements, like the
  /// tests of a library, then gets some that give it a group of its own.
  ///
  /// - Throws: ``VaultError`` as ``open(_:at:)``. Another attempt is made the next time.
  public static var shared: Vault {
    get throws(VaultError) {
      if let vault = sharedInTask { return vault }
      if let known = sharedVault.withLock({ $0 }) { return known }
      let opened = try openShared()
      return sharedVault.withLock { known in
        if let known { return known }
        known = opened
        return opened
      }
    }
  }

  /// Makes this the vault that ``shared`` gives: at the start of a program that opens its vault in another way, or of a test.
  public func share() { sharedVault.withLock { $0 = self } }

  /// Runs `body` with this vault as the one that ``shared`` gives, in this task only: for tests that run side by side, each with
  /// a vault of its own. Child tasks take part; other threads do not.
  public func sharing<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$sharedInTask.withValue(self) { try body() }
  }

  /// As the synchronous form.
  public func sharing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await Self.$sharedInTask.withValue(self) { try await body() }
  }

  private static func openShared() throws(VaultError) -> Vault {
    let environment = CurrentProcess.hasElevatedPrivileges ? [:] : ProcessInfo.processInfo.environment
    guard environment["COFFER_VAULT"] == VaultLocation.memoryName else { return try open() }
    // A passphrase that nobody knows: items under one can be made, and reading them needs somebody who is not there.
    let passphrase = Random.bytes(count: 32)
    guard EntitlementsSource.areFound else {
      return try inMemory(entitlements: .bytes(ownGroup), passphrase: passphrase)
    }
    return try inMemory(passphrase: passphrase)
  }

  /// The entitlements of a program that has none.
  private static var ownGroup: [UInt8] {
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
