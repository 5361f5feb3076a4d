import Coffer
import CofferTesting
import Foundation
import Testing

/// The code under test. It gets its vault from its caller.
struct TokenStore {
  let vault: Vault
  private let item = GenericPassword(service: "com.example.notes", account: "token")

  func save(_ token: String) throws { try vault.set(token, for: item) }

  func load() throws -> String? { try vault.string(for: item) }
}

@Suite struct TokenStoreTests {
  private let store: TokenStore

  init() throws {
    // The app's plist: embedded in the app's target, read with `.file(url)`, or written in the test.
    let plist = Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0">
      <dict>
        <key>application-identifier</key>
        <string>$(AppIdentifierPrefix)com.example.notes</string>
      </dict>
      </plist>
      """.utf8)
    store = TokenStore(vault: try .inMemory(entitlements: .bytes(plist)))
  }

  @Test func `A saved token is loaded`() throws {
    #expect(try store.load() == nil)
    try store.save("s3cret")
    #expect(try store.load() == "s3cret")
  }

  @Test func `A full disk is reported, and the old token is kept`() throws {
    try store.save("old")
    try store.vault.inject(.diskFull)
    let error = #expect(throws: VaultError.self) { try store.save("new") }
    #expect(error?.code == .diskFull)
    try store.vault.inject(nil)
    #expect(try store.load() == "old")
  }
}
