import Coffer
import CofferVault
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import Foundation
import Testing

@Suite struct EntitlementTests {
  private let name = GenericPassword(service: "service", account: "account")

  @Test func `Only a test runner has a second plist beside it`() {
    #expect(
      EntitlementsSource.paths(beside: "/b/AppPackageTests.xctest")
        == ["/b/AppPackageTests.xctest.entitlements", "/b/AppPackageTests.entitlements"])
    for program in ["/b/app", "/b/app.xctest/app", "/b/app.XCTEST"] {
      #expect(EntitlementsSource.paths(beside: program) == ["\(program).entitlements"])
    }
  }

  @Test func `A plist with a group added after registration is refused, and the app gets no key of the group`() throws {
    let fixture = try TemporaryVault()
    try fixture.app("com.example.one", groups: ["~com.example.one"])
    let two = try fixture.app("com.example.two", groups: ["~com.example.two"])
    try two.set("secret of two", for: name)
    let edited = TemporaryVault.plist("com.example.one", groups: ["~com.example.one", "~com.example.two"])
    let error = try #require(failure { _ = try Vault.open(.bytes(edited), at: fixture.location) })
    #expect(error.code == .notEntitled && error.osStatus == -34018)
    #expect(error.description.contains("com.example.two") && error.description.contains("coffer app add"))
    // The app's own keys, used without the library, open nothing of the group.
    #expect(try fixture.group("com.example.two", openedBy: "com.example.one").keys.isEmpty)
    #expect(try fixture.group("com.example.two", openedBy: "com.example.two").keys.count == 1)
    let keys = try fixture.keys(of: "com.example.one")
    let group = try fixture.group("com.example.two", openedBy: "com.example.two").group
    #expect(group.generations.allSatisfy { !$0.boxes.isEmpty })
    for box in group.generations.flatMap({ $0.boxes.all.map(\.box) }) {
      #expect(throws: CryptoError.self) { try keys.agreement.open(box) }
    }
  }

  @Test func `A plist that claims less than was registered opens the vault with the registered groups`() throws {
    let fixture = try TemporaryVault()
    try fixture.app("com.example.one", groups: ["~com.example.b", "~com.example.a"])
    let vault = try Vault.open(
      .bytes(TemporaryVault.plist("com.example.one", groups: ["~com.example.a"])), at: fixture.location)
    #expect(try vault.defaultAccessGroup == "\(try fixture.team).com.example.b")
  }

  @Test func `A read-only group claimed as writable is refused`() throws {
    let fixture = try TemporaryVault()
    try fixture.app("com.example.one", groups: ["~com.example.one"], readOnly: ["~com.example.shared"])
    let edited = TemporaryVault.plist("com.example.one", groups: ["~com.example.one", "~com.example.shared"])
    #expect(code { _ = try Vault.open(.bytes(edited), at: fixture.location) } == .notEntitled)
  }

  @Test func `An unregistered app and a malformed plist are notEntitled with a recovery suggestion`() throws {
    let fixture = try TemporaryVault()
    let error = failure { _ = try Vault.open(.bytes(TemporaryVault.plist("com.example.none")), at: fixture.location) }
    #expect(error?.code == .notEntitled && error?.recoverySuggestion?.contains("coffer app add") == true)
    #expect(code { _ = try Vault.open(.bytes(Array("nonsense".utf8)), at: fixture.location) } == .notEntitled)
    let missing = URL(fileURLWithPath: fixture.directory.path("none.entitlements"))
    #expect(code { _ = try Vault.open(.file(missing), at: fixture.location) } == .notEntitled)
    let empty = VaultLocation(folder: fixture.directory.url.appending(path: "empty"))
    #expect(code { _ = try Vault.open(.bytes(TemporaryVault.plist("com.example.none")), at: empty) } == .noVault)
  }

  @Test func `The owner is told which groups there are, and apart from that that a name is empty`() throws {
    let fixture = try TemporaryVault()
    try fixture.app("com.example.one")
    let owner = try fixture.owner()
    let empty = failure { _ = try owner.list(GenericPassword.self, in: "") }
    let unknown = failure { _ = try owner.list(GenericPassword.self, in: "unknown") }
    #expect(empty?.code == .notEntitled && empty?.message.contains("is empty") == true)
    #expect(empty?.recoverySuggestion?.contains("com.example.one") == true)
    #expect(unknown?.code == .notEntitled && unknown?.message.contains("is empty") == false)
  }

  @Test func `A record forged by a reader without write access is invisible and does not block writers`() throws {
    let fixture = try TemporaryVault()
    let pro = try fixture.app("com.example.pro", groups: ["~com.example.purchases"])
    let free = try fixture.app("com.example.free", groups: ["~com.example.free"], readOnly: ["~com.example.purchases"])
    #expect(code { try free.set("forged", for: name, in: "com.example.purchases") } == .notEntitled)
    let forged = try fixture.forge(
      "forged", service: "service", account: "account", in: "com.example.purchases", by: "com.example.free")
    try fixture.plant(forged)
    for vault in [pro, free, try fixture.owner()] {
      #expect(try vault.value(for: name, in: "com.example.purchases") == nil)
      #expect(try vault.storedItem(for: name, in: "com.example.purchases") == nil)
      #expect(try vault.list(GenericPassword.self).items.isEmpty)
    }
    try pro.set("bought", for: name)
    #expect(try free.string(for: name) == "bought")
    #expect(try free.storedItem(for: name)?.hasConflict == false)
    // Nor is a record accepted that claims to be by the app that may write.
    let membership = try fixture.local.membership()
    let impostor = try fixture.forge(
      "forged", service: "service", account: "account", in: "com.example.purchases", by: "com.example.pro",
      signedBy: try fixture.keys(of: "com.example.free").signing)
    #expect(membership.validity(of: impostor) == .invalid("its author did not sign it"))
    try fixture.plant(impostor)
    #expect(try free.string(for: name) == "bought")
  }

  @Test func `A group added by a new registration is accessible at once, with its existing items`() throws {
    let fixture = try TemporaryVault()
    let two = try fixture.app("com.example.two", groups: ["~com.example.two"])
    try fixture.app("com.example.one", groups: ["~com.example.one"])
    try two.set("old", for: name)
    let one = try fixture.app("com.example.one", groups: ["~com.example.one", "~com.example.two"])
    #expect(try one.string(for: name) == "old")
    let error = failure { try fixture.app("com.example.one", groups: ["~com.example.one"]) }
    #expect(error?.code == .invalidArgument && error?.message.contains("com.example.two") == true)
  }

  @Test func `A credential of an earlier vault of the same app is refused as foreign`() throws {
    let fixture = try TemporaryVault()
    try fixture.app("com.example.one")
    let id = try fixture.local.application(named: "com.example.one")
    let file = fixture.local.folder.credentialFile(of: id)
    let own = try fixture.credential(of: "com.example.one")
    let vault = try fixture.local.membership().vault
    let keys = try own.open(passphrase: nil, in: vault)
    let foreign = try Credential(
      genesis: try TemporaryVault().local.membership().genesis.hash, applicationID: own.applicationID,
      device: own.device, keys: keys, in: vault, seen: own.seen)
    var bytes = foreign.secretBytes()
    try file.write(wiping: &bytes)
    let error = failure { _ = try Vault.open(.bytes(TemporaryVault.plist("com.example.one")), at: fixture.location) }
    #expect(error?.code == .integrity && error?.message.contains("another vault") == true)

    let ahead = try Credential(
      genesis: own.genesis, applicationID: own.applicationID, device: own.device, keys: keys, in: vault,
      seen: LogPosition(sequence: own.seen.sequence, hash: own.genesis))
    bytes = ahead.secretBytes()
    try file.write(wiping: &bytes)
    let other = failure { _ = try Vault.open(.bytes(TemporaryVault.plist("com.example.one")), at: fixture.location) }
    #expect(other?.code == .integrity && other?.message.contains("not the one this app has seen") == true)

    let unknown = try Credential(
      genesis: own.genesis, applicationID: own.applicationID, device: own.device, keys: .random(), in: vault,
      seen: own.seen)
    bytes = unknown.secretBytes()
    try file.write(wiping: &bytes)
    let third = failure { _ = try Vault.open(.bytes(TemporaryVault.plist("com.example.one")), at: fixture.location) }
    #expect(third?.code == .notEntitled && third?.recoverySuggestion?.contains("coffer app install") == true)
  }
}
