import Coffer
import Foundation
import Testing

@Suite("Property wrappers", .serialized)
struct WrapperTests {
  struct Session: Codable, Equatable, Sendable {
    var token: String
    var count: Int
  }

  struct Settings {
    @Password("token") var token
    @Credentials("token") var login
    @Stored("token") var session: Session?
    @Password("token", service: "api.example.com", group: "com.example.shared") var shared
  }

  private func vault() throws -> Vault {
    try Vault.inMemory(
      entitlements: .bytes(Fixture.plist("com.example.one", groups: ["~com.example.one", "~com.example.shared"])))
  }

  @Test("Properties of one name and different kinds are different items, and nil deletes")
  func kinds() throws {
    let vault = try vault()
    // The only test that sets the default vault, which is process-wide.
    vault.share()
    let settings = Settings()
    #expect(settings.token == nil && settings.login == nil && settings.session == nil && settings.shared == nil)
    #expect(settings.$token.lastError == nil)
    settings.token = "t"
    settings.login = UserCredentials(user: "jane", password: "p")
    settings.session = Session(token: "s", count: 3)
    settings.shared = "u"
    #expect(settings.token == "t" && settings.login?.password == "p" && settings.shared == "u")
    #expect(settings.session == Session(token: "s", count: 3))
    #expect(try vault.count(GenericPassword.self) == 4)
    #expect(
      try vault.string(for: GenericPassword(service: "com.example.one", account: "token"), in: "com.example.one") == "t"
    )
    #expect(
      try vault.string(for: GenericPassword(service: "api.example.com", account: "token"), in: "com.example.shared")
        == "u")
    settings.token = nil
    settings.login = nil
    settings.session = nil
    settings.shared = nil
    #expect(settings.token == nil && settings.session == nil)
    #expect(try vault.count(GenericPassword.self) == 0)
  }

  @Test("Tasks that run side by side each have the vault that they share, and only while they do")
  func sharing() async throws {
    try await vault().sharing { try await tasks() }
  }

  private func tasks() async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          let vault = try vault()
          return try await vault.sharing {
            Settings().token = "\(number)"
            await Task.yield()
            let ofChild = await Task { Settings().token }.value
            let ofStore = try await vault.string(for: GenericPassword(service: "com.example.one", account: "token"))
            return ofChild == "\(number)" && ofStore == ofChild
          }
        }
      }
      for try await isOwn in group { #expect(isOwn) }
    }
    #expect(Settings().token == nil)
  }

  @Test("Absent is told from unreadable, and a failed write is told and loses nothing")
  func errors() throws {
    struct Holder {
      @Password var token: String?
    }
    let vault = try vault()
    let holder = Holder(token: Password("token", vault: vault))
    holder.token = "kept"
    try vault.inject(.corrupt)
    #expect(holder.token == nil)
    #expect(holder.$token.lastError?.code == .integrity)
    #expect(code { _ = try holder.$token.get() } == .integrity)
    try vault.inject(.diskFull)
    holder.token = "lost"
    #expect(holder.$token.lastError?.code == .diskFull)
    #expect(code { try holder.$token.set(nil) } == .diskFull)
    try vault.inject(nil)
    #expect(holder.token == "kept")
    #expect(holder.$token.lastError == nil)
  }

  @Test("Credentials do not show themselves")
  func redaction() {
    let credentials = UserCredentials(user: "CANARY-user", password: "CANARY-password")
    #expect(!"\(credentials) \(String(reflecting: credentials))".contains("CANARY"))
  }
}
