import Coffer
import CofferTesting
import Foundation
import Testing

@Suite(.serialized) struct PropertyWrapperTests {
  struct Session: Codable, Equatable, Sendable {
    var token: String
    var count: Int
  }

  struct Settings {
    @VaultPassword("token") var token
    @VaultCredentials("token") var login
    @VaultStored("token") var session: Session?
    @VaultPassword("token", service: "api.example.com", in: "com.example.shared") var shared
  }

  private func vault() throws -> Vault {
    try Vault.inMemory(
      entitlements: .bytes(
        TemporaryVault.plist("com.example.one", groups: ["~com.example.one", "~com.example.shared"])))
  }

  @Test func `Properties with one name and different kinds are different items, and nil deletes`() throws {
    let vault = try vault()
    // The only test that sets the default vault, which is process-wide.
    vault.makeDefault()
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

  @Test func `Each of several concurrent tasks has its own default vault, within its scope only`() async throws {
    try await vault().asDefault { try await tasks() }
  }

  private func tasks() async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          let vault = try vault()
          return try await vault.asDefault {
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

  @Test
  func `An absent item differs from an unreadable one, and a failed write is reported and loses nothing`() throws {
    struct Holder {
      @VaultPassword var token: String?
    }
    let vault = try vault()
    let holder = Holder(token: VaultPassword("token", vault: vault))
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

  @Test func `Descriptions of credentials are redacted`() {
    let credentials = UserCredentials(user: "CANARY-user", password: "CANARY-password")
    #expect(!"\(credentials) \(String(reflecting: credentials))".contains("CANARY"))
  }

  @Test func `An asynchronous read of a property uses the default vault of its task`() async throws {
    struct Holder {
      @VaultPassword("token") var token: String?
    }
    let (first, second) = (try vault(), try vault())
    let holder = Holder()
    first.asDefault { holder.token = "of the first" }
    second.asDefault { holder.token = "of the second" }
    #expect(try await first.asDefault { try await holder.$token.value() } == "of the first")
    #expect(try await second.asDefault { try await holder.$token.value() } == "of the second")
    let inTransaction = try await first.asDefault {
      try await first.transaction { try holder.$token.get() }
    }
    #expect(inTransaction == "of the first")
  }

  @Test func `A property's accessibility keeps its item on this machine`() throws {
    struct Holder {
      @VaultPassword var token: String?
    }
    let vault = try vault()
    let holder = Holder(
      token: VaultPassword("token", service: "s", accessibility: .whenUnlockedThisDeviceOnly, vault: vault))
    holder.token = "value"
    let stored = try vault.storedItem(for: GenericPassword(service: "s", account: "token"))
    #expect(stored?.accessibility == .whenUnlockedThisDeviceOnly)
  }

  @Test func `A dump of credentials contains neither the user nor the password`() {
    var text = ""
    dump(UserCredentials(user: "jane-canary", password: "s3cret-canary"), to: &text)
    #expect(!text.isEmpty && !text.contains("canary"))
  }
}
