import Coffer
import CofferOneTimeCodes
import CofferTestSupport
import CofferTesting
import Foundation
import Testing

private let plist = Array(
  """
  <?xml version="1.0" encoding="UTF-8"?>
  <plist version="1.0"><dict>
  <key>application-identifier</key><string>$(AppIdentifierPrefix)com.example.notes</string>
  <key>keychain-access-groups</key>
  <array><string>$(AppIdentifierPrefix)com.example.notes</string><string>$(AppIdentifierPrefix)com.example.suite</string></array>
  </dict></plist>
  """.utf8)

private func readPassphrase() -> String { "passphrase" }

// The guide's blocks in their order, each between its marks, compiled and run. The test below compares them with the
// page.
private func guide(_ vault: Vault) async throws {
  // block
  var account = InternetPassword(server: "example.com", account: "jane", protocol: .https)
  account.comment = "The old account"
  account.accessibility = .afterFirstUnlockThisDeviceOnly
  try await vault.add("s3cret", for: account)
  try await vault.update(account) { $0.comment = nil }
  try await vault.update(account, value: "n3w", movingTo: "com.example.suite")
  let password = try await vault.string(for: account)
  // end
  #expect(password == "n3w")
  // block
  account.oneTimePassword = try OneTimePassword(uri: "otpauth://totp/Example:jane?secret=JBSWY3DPEHPK3PXP")
  try await vault.set("n3w", for: account, in: "com.example.suite")
  let code = try await vault.storedItem(for: account)?.oneTimeCode()
  // end
  #expect(code?.text.count == 6)
  // block
  do {
    try await vault.add("s3cret", for: account)
  } catch {
    // What happened, what to do about it, and a code for programs.
    print(error.message, error.recoverySuggestion ?? "", error.code == .duplicateItem)
  }
  // end
  // block
  let query = ItemQuery<InternetPassword>()
    .matching(.server, "example.com")
    .matching(.label, "work", .contains)
  let count = try await vault.count(query)
  let newest = try await vault.list(query).items.max { $0.modified < $1.modified }
  try await vault.delete(query.limit(1))
  // end
  #expect(count == 0 && newest == nil)
  // block
  for try await item in vault.items(GenericPassword.self) {
    print(item.service, item.modified)
  }
  // end
  // block
  struct Session: Codable, Sendable {
    var token: String
    var expires: Date
  }
  let item = GenericPassword(service: "com.example.notes", account: "session")
  try await vault.set(encoding: Session(token: "t", expires: .now), for: item)
  let session = try await vault.value(Session.self, for: item)
  // end
  #expect(session?.token == "t")
  // block
  struct Settings {
    @VaultPassword("token") var token
    @VaultCredentials("mail") var mail
    @VaultStored("session") var session: Session?
  }
  let settings = Settings()
  settings.token = "t"
  if settings.token == nil, let error = settings.$token.lastError {
    print("The token cannot be read: \(error)")
  }
  try settings.$mail.set(UserCredentials(user: "jane", password: "s3cret"))
  // end
  #expect(settings.mail?.user == "jane")
  // block
  try await vault.transaction {
    try vault.set("new", for: GenericPassword(service: "api", account: "token"))
    try vault.delete(GenericPassword(service: "api", account: "old token"))
  }
  // end
  // block
  let watcher = Task {
    for try await change in vault.changes(in: "com.example.suite") {
      print("changed: \(change.accessGroups)")
    }
  }
  // end
  watcher.cancel()
  // block
  for conflict in try await vault.conflicts(GenericPassword.self) {
    for version in conflict.versions where !version.isCurrent {
      print("\(version.writer.device) had written another one at \(version.written)")
    }
  }
  if let earlier = try await vault.history(of: item).versions.dropFirst().first {
    try await vault.restore(earlier)
  }
  // end
  // block
  if vault.isLocked {
    try await vault.unlock(passphrase: readPassphrase(), lockAfter: .seconds(300))
  }
  // end
  // block
  let testVault = try Vault.inMemory(entitlements: .bytes(plist))
  try await testVault.set("s3cret", for: item)
  try testVault.inject(.diskFull)
  // What does the app do now?
  try testVault.inject(nil)
  // end
}

@Suite struct GuideTests {
  @Test func `The guide's blocks are the ones that this test compiles and runs`() async throws {
    let vault = try Vault.inMemory(entitlements: .bytes(plist))
    try await vault.asDefault { try await guide(vault) }
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let compiled = source.components(separatedBy: "  // block\n").dropFirst().map { part in
      part.components(separatedBy: "  // end\n")[0].split(separator: "\n").map { String($0.dropFirst(2)) }
        .joined(separator: "\n")
    }
    // The page shows the synchronous forms, which a reader can try in `main`; both forms are available here.
    let shown = try DocumentationPage("WorkingWithItems").blocks(of: "swift").filter(\.file.isEmpty).map(\.text)
    #expect(shown.count >= 9)
    #expect(
      shown
        == compiled.map {
          $0.replacingOccurrences(of: "try await vault", with: "try vault")
            .replacingOccurrences(of: "try await testVault", with: "try testVault")
        }.map { $0.replacingOccurrences(of: "for try vault", with: "for try await vault") })
  }

  @Test func `The guide's test file is the one that is compiled and run here`() throws {
    let shown = try DocumentationPage("WorkingWithItems").blocks(of: "swift").filter { !$0.file.isEmpty }
    #expect(shown.map(\.file) == ["Tests/NotesTests/TokenStoreTests.swift"])
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "TokenStoreTests.swift")
    #expect(try String(contentsOf: file, encoding: .utf8) == (shown.first?.text ?? "") + "\n")
  }
}
