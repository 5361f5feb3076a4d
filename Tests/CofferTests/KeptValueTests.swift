import CofferFormat
import Foundation
import Synchronization
import Testing

@testable import Coffer

/// A vault in a process tree that may not see values.
@Suite struct KeptValueTests {
  @Test func `No call returns a value, except to those that show it to nobody`() throws {
    let vault = try Vault.inMemory(entitlements: .bytes(TemporaryVault.plist("com.example.one")))
    let item = GenericPassword(service: "service", account: "account")
    try vault.set("value", for: item)
    let found = try #require(try vault.find(ItemSearch(.genericPassword), withValues: false).first)
    let version = try #require(try vault.history(of: item).versions.first)
    vault.keepsValues.store(true, ordering: .relaxed)
    let search = ItemSearch(.genericPassword)
    #expect(code { _ = try vault.string(for: item) } == .notEntitled)
    #expect(code { _ = try vault.find(search, withValues: true) } == .notEntitled)
    #expect(code { _ = try vault.value(of: version) } == .notEntitled)
    #expect(code { _ = try vault.storedVersion(found.version, of: found.address) } == .notEntitled)
    let kept = try vault.storedVersion(found.version, of: found.address, keepingValue: true)
    #expect(kept?.value == Array("value".utf8))
    #expect(try vault.find(search, withValues: true, comparing: true).first?.value == Array("value".utf8))
    #expect(try vault.list(GenericPassword.self).items.count == 1)
  }
}
