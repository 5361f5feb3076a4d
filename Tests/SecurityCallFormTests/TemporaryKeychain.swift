import Coffer
import CofferTestSupport
import Dispatch
import Foundation
import Testing

/// Runs each test as a program with a new encrypted vault, so that the tests contain only code of an app.
struct TemporaryKeychain: TestTrait, SuiteTrait, TestScoping {
  let groups: [String]
  /// The owner's passphrase, which corresponds to a device's passcode.
  let passphrase: String?
  /// The value of `COFFER_MEMORY_PROMPT`.
  let prompts: String

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let plist = EntitlementsSource.bytes(KeychainApp.plist("com.example.app", groups: groups, readOnly: []))
    let vault =
      if let passphrase {
        try Vault.inMemory(plist, passphrase: passphrase, environment: ["COFFER_MEMORY_PROMPT": prompts])
      } else {
        try Vault.inMemory(entitlements: plist)
      }
    try await KeychainApp(vault).run(function)
  }
}

extension Trait where Self == TemporaryKeychain {
  /// Runs tests as the program `com.example.app`; `~` in a group's name stands for the team's prefix.
  static func keychain(groups: String..., passphrase: String? = nil, prompts: String = "") -> TemporaryKeychain {
    TemporaryKeychain(groups: groups, passphrase: passphrase, prompts: prompts)
  }

  static var keychain: TemporaryKeychain { keychain() }
}

/// A program with its entitlements.
final class KeychainApp: Sendable {
  @TaskLocal static var current: KeychainApp?

  private let vault: Vault

  fileprivate init(_ vault: Vault) { self.vault = vault }

  /// Returns another program that uses the vault of the running test.
  static func other(_ application: String, groups: [String] = [], readOnly: [String] = []) throws -> KeychainApp {
    let vault = try #require(current).vault
    return KeychainApp(
      try vault.reopened(as: .bytes(plist(application, groups: groups, readOnly: readOnly))))
  }

  /// The team's prefix with its full stop, which apps on Apple's systems have in their Info.plist.
  static var identifierPrefix: String {
    get throws {
      let identifier = try #require(current?.vault.applicationIdentifier)
      return String(identifier.prefix { $0 != "." }) + "."
    }
  }

  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(self) { try vault.asDefault(body) }
  }

  func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await Self.$current.withValue(self) { try await vault.asDefault(body) }
  }

  fileprivate static func plist(_ application: String, groups: [String], readOnly: [String]) -> [UInt8] {
    Array(entitlementsPlist(application, groups: groups, readOnly: readOnly).utf8)
  }
}

/// A dispatch queue whose blocks run as the program that added them: Dispatch's threads have no task-local values.
struct KeychainQueue {
  let queue: DispatchQueue

  static func global() -> KeychainQueue { KeychainQueue(queue: .global()) }

  init(queue: DispatchQueue) { self.queue = queue }

  init(label: String) { queue = DispatchQueue(label: label) }

  func async(flags: DispatchWorkItemFlags = [], execute work: @escaping () -> Void) {
    let program = KeychainApp.current
    queue.async(flags: flags) { program?.run(work) }
  }

  func sync<Result>(execute work: () throws -> Result) rethrows -> Result {
    let program = KeychainApp.current
    return try queue.sync { try program?.run(work) ?? work() }
  }
}
