import Coffer
import CofferAdministration
import CofferVault
import Testing

/// The public calls that explain access, show and verify the log, and check a vault key.
@Suite struct AccessExplanationTests {
  private let fixture: TemporaryVault
  private let one: Vault
  private let item = GenericPassword(service: "service", account: "account")

  init() throws {
    fixture = try TemporaryVault()
    one = try fixture.app("com.example.one", groups: ["~com.example.main", "~com.example.shared"])
    try fixture.app("com.example.two", readOnly: ["~com.example.shared"])
  }

  @Test func `An app's groups are explained without a key, also with the plist that it presents`() throws {
    let groups = try Vault.explainAccess(of: "com.example.two", at: fixture.location)
    #expect(groups.map(\.canRead) == [true, true] && groups.map(\.canWrite) == [true, false])
    let other = try Vault.explainAccess(of: "com.example.two", to: "com.example.main", at: fixture.location)
    #expect(other.count == 1 && other[0].end?.kind == .plist)
    let plist = TemporaryVault.plist("com.example.two", groups: ["~com.example.shared"])
    let edited = try Vault.explainAccess(
      of: "com.example.two", to: "com.example.shared", presenting: .bytes(plist), at: fixture.location)
    #expect(edited.count == 1 && edited[0].end?.kind == .registration)
    #expect(code { _ = try Vault.open(.bytes(plist), at: fixture.location) } == .notEntitled)
    #expect(code { _ = try Vault.explainAccess(of: "com.example.none", at: fixture.location) } == .notEntitled)
  }

  @Test func `An item is explained for each group that has it, by a vault that can read these groups`() throws {
    try one.set("v", for: item)
    try one.set("v", for: item, in: "com.example.shared")
    let found = try one.explainAccess(of: "com.example.two", to: item)
    #expect(found.count == 2 && found.map(\.canRead) == [false, true])
    #expect(try one.explainAccess(of: "com.example.two", to: item, in: "com.example.shared").count == 1)
    #expect(try one.explainAccess(of: "com.example.two", to: GenericPassword(service: "s", account: "a")).isEmpty)
    one.lock()
    #expect(code { _ = try one.explainAccess(of: "com.example.two", to: item) } == .locked)
  }

  @Test func `A page of the log continues with the next one, and a verification has the same phrase`() throws {
    let verification = try Vault.verifyLog(at: fixture.location)
    #expect(verification.isSound && verification.firstInvalidEntry == nil)
    let first = try Vault.log(at: fixture.location, limit: 4)
    #expect(first.total == verification.entryCount && first.lines.count == 4 && first.forkError == nil)
    #expect(first.headPhrase == verification.headPhrase && first.lines[0].phrase == first.headPhrase)
    let second = try Vault.log(at: fixture.location, before: first.next, limit: 100)
    #expect(second.lines.count == first.total - 4 && second.next == nil)
    #expect(second.lines.last?.sentence.hasPrefix("The vault key created the transport key") == true)
  }

  @Test func `Text that is no vault key, and a key of another vault, do not open the vault`() throws {
    let mistyped = failure {
      try Vault.checkVaultKey("COFFER1" + String(repeating: "0", count: 32), at: fixture.location)
    }
    #expect(mistyped?.code == .authenticationFailed && mistyped?.message.contains("checksum") == true)
    let text = failure { try Vault.checkVaultKey(Array("secret".utf8), at: fixture.location) }
    #expect(text?.code == .authenticationFailed && text?.message == "this is not a vault key")
  }
}
