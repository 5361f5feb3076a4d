internal import Coffer
import CofferVault
internal import CofferFormat
internal import CofferTestSupport
internal import LocalAuthentication
internal import Security
internal import Synchronization
internal import Testing

/// A prompter with prepared answers; nil cancels.
final class ScriptedPrompter: AuthenticationPrompter {
  private let answers: Mutex<[String?]>
  private let asked = Mutex<[AuthenticationRequest]>([])

  init(_ answers: String?...) { self.answers = Mutex(answers) }

  var requests: [AuthenticationRequest] { asked.withLock { $0 } }

  func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    asked.withLock { $0.append(request) }
    guard let next = answers.withLock({ $0.isEmpty ? nil : Optional($0.removeFirst()) }) else { return .unavailable }
    guard let answer = next else { return .cancelled }
    var bytes = Array(answer.utf8)
    return .passphrase(Passphrase(moving: &bytes))
  }
}

/// Serialized, because the prompter is process-wide.
@Suite(.serialized) struct ItemProtectionTests {
  /// Runs with a prompter and a new vault whose owner's passphrase is "correct".
  private func keychain(_ prompter: ScriptedPrompter? = nil, owner: String? = "correct", _ body: () throws -> Void)
    async throws
  {
    try await PrompterLock.withLock {
      AuthenticationPrompt.prompter = prompter
      defer { AuthenticationPrompt.prompter = nil }
      try withKeychain(passphrase: owner, body)
    }
  }

  private func addProtected(_ flags: SecAccessControlCreateFlags, _ more: Query = [:]) throws {
    let control = try accessControl(kSecAttrAccessibleWhenUnlocked, flags)
    #expect(
      add(password("jane", more.merging([kSecAttrAccessControl: control, kSecValueData: text("secret")]) { $1 }))
        == errSecSuccess)
  }

  private func context(password: String) -> LAContext {
    let context = LAContext()
    context.setCredential(text(password), type: .applicationPassword)
    return context
  }

  private let reading: Query = [kSecReturnData: true]

  // MARK: Presence

  @Test(arguments: [
    SecAccessControlCreateFlags.userPresence, .devicePasscode, .biometryAny, .biometryCurrentSet,
    [.biometryAny, .or, .devicePasscode],
  ])
  func `Reading an item under user presence requests the owner's passphrase`(_ flags: SecAccessControlCreateFlags)
    async throws
  {
    let prompter = ScriptedPrompter("wrong", "correct")
    try await keychain(prompter) {
      try addProtected(flags)
      #expect(prompter.requests.isEmpty)
      let (status, result) = copy(password(), reading.merging([kSecUseOperationPrompt: "Because"]) { $1 })
      #expect(status == errSecSuccess)
      #expect(result as? Data == text("secret"))
      #expect(prompter.requests.map(\.secret) == [.passphrase, .passphrase])
      #expect(prompter.requests.map(\.reason) == ["Because", "Because"])
      #expect(prompter.requests.map(\.failedAttempts) == [0, 1])
    }
  }

  @Test func `Without a prompter it is errSecInteractionNotAllowed`() async throws {
    try await keychain {
      try addProtected(.userPresence)
      #expect(copy(password(), reading).status == errSecInteractionNotAllowed)
    }
  }

  @Test func `Cancelling is errSecUserCanceled, three wrong answers are errSecAuthFailed, without a result`()
    async throws
  {
    try await keychain(ScriptedPrompter(nil, "a", "b", "c")) {
      try addProtected(.userPresence)
      for expected in [errSecUserCanceled, errSecAuthFailed] {
        let (status, result) = copy(password(), reading)
        #expect(status == expected)
        #expect(result == nil)
      }
    }
  }

  @Test func `Attributes and existence need no authentication`() async throws {
    try await keychain {
      try addProtected(.userPresence)
      #expect(list(password()).count == 1)
      #expect(copy(password()).status == errSecSuccess)
      #expect(copy(password(), [kSecReturnPersistentRef: true]).status == errSecSuccess)
      #expect(delete(password()) == errSecSuccess)
    }
  }

  @Test func `An update of the value needs presence`() async throws {
    try await keychain(ScriptedPrompter("correct")) {
      try addProtected(.userPresence)
      #expect(update(password(), [kSecValueData: text("new")]) == errSecSuccess)
      #expect(update(password(), [kSecValueData: text("newer")]) == errSecInteractionNotAllowed)
    }
  }

  @Test func `A context prompts once, with its reason`() async throws {
    let prompter = ScriptedPrompter("correct")
    try await keychain(prompter) {
      try addProtected(.userPresence)
      let context = LAContext()
      context.localizedReason = "Open the door"
      let query = password("jane", [kSecUseAuthenticationContext: context])
      for _ in 0..<3 { #expect(value(query) == text("secret")) }
      #expect(prompter.requests.map(\.reason) == ["Open the door"])
      context.invalidate()
      #expect(copy(query, reading).status == errSecAuthFailed)
    }
  }

  @Test func `Calls that forbid prompts are errSecInteractionNotAllowed`() async throws {
    let prompter = ScriptedPrompter("correct")
    try await keychain(prompter) {
      try addProtected(.userPresence)
      let silent = LAContext()
      silent.interactionNotAllowed = true
      for way: Query in [
        [kSecUseAuthenticationContext: silent], [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail],
        [kSecUseNoAuthenticationUI: true],
      ] {
        #expect(copy(password("jane", way), reading).status == errSecInteractionNotAllowed)
      }
      #expect(prompter.requests.isEmpty)
      #expect(copy(password("jane", [kSecUseNoAuthenticationUI: false]), reading).status == errSecSuccess)
    }
  }

  @Test func `Skipping leaves out the items that need a prompt`() async throws {
    let prompter = ScriptedPrompter()
    try await keychain(prompter) {
      try addProtected(.userPresence)
      #expect(add(password("joe", [kSecValueData: text("open")])) == errSecSuccess)
      let skipping: Query = [
        kSecClass: kSecClassGenericPassword, kSecUseAuthenticationUI: kSecUseAuthenticationUISkip,
        kSecMatchLimit: kSecMatchLimitAll,
      ]
      #expect(copy(skipping, reading).result as? [Data] == [text("open")])
      #expect(list(skipping).count == 2)
      #expect(copy(password("jane", skipping), reading).status == errSecItemNotFound)
      #expect(prompter.requests.isEmpty)
    }
  }

  // MARK: Without a passphrase

  @Test func `On a machine without a passphrase, items that need it cannot be added`() async throws {
    try await keychain(owner: nil) {
      let presence = try accessControl(kSecAttrAccessibleWhenUnlocked, .userPresence)
      #expect(add(password("jane", [kSecAttrAccessControl: presence])) == errSecAuthFailed)
      let passcode: Query = [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
      #expect(add(password("jane", passcode)) == errSecAuthFailed)
      #expect(add(password()) == errSecSuccess)
      #expect(update(password(), passcode) == errSecAuthFailed)
    }
    try await keychain {
      #expect(
        add(password("jane", [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly])) == errSecSuccess)
      #expect(value(password()) == Data())
    }
  }

  // MARK: Application passwords

  @Test func `An application password encrypts the value, which cannot be read without it`() async throws {
    try await keychain {
      let given: Query = [kSecUseAuthenticationContext: context(password: "tr0ub4dor")]
      try addProtected(.applicationPassword, given)
      #expect(value(password("jane", given)) == text("secret"))
      // The stored value reveals nothing.
      let stored = try Vault.default.find(ItemSearch(.genericPassword), withValues: true).compactMap(\.value)
      #expect(stored.count == 1)
      #expect(stored.allSatisfy { Data($0).range(of: text("secret")) == nil })
      let wrong: Query = [kSecUseAuthenticationContext: context(password: "other")]
      #expect(copy(password("jane", wrong), reading).status == errSecAuthFailed)
      #expect(copy(password(), reading).status == errSecInteractionNotAllowed)
      #expect(list(password()).count == 1)
    }
  }

  @Test func `Typed calls neither return the sealed bytes as the value nor overwrite protected values`() async throws {
    try await keychain {
      let given: Query = [kSecUseAuthenticationContext: context(password: "tr0ub4dor")]
      try addProtected(.applicationPassword, given)
      let (vault, item) = (try Vault.default, GenericPassword(service: "service", account: "jane"))
      func code(_ body: () throws -> Void) -> VaultError.Code? {
        do { try body() } catch { return (error as? VaultError)?.code }
        return nil
      }
      #expect(code { _ = try vault.value(for: item) } == .locked)
      #expect(code { try vault.set("plain", for: item) } == .locked)
      #expect(code { _ = try vault.update(item, value: "plain") } == .locked)
      let history = try vault.history(of: item)
      for version in history.versions { #expect(code { _ = try vault.value(of: version) } == .locked) }
      // Changes that do not touch the value succeed.
      let isUpdated = try vault.update(item) { (item) throws(VaultError) in item.label = "label" }
      #expect(isUpdated)
      #expect(value(password("jane", given)) == text("secret"))
    }
  }

  @Test func `A missing password is requested at most three times`() async throws {
    let prompter = ScriptedPrompter("tr0ub4dor", "tr0ub4dor", "a", "tr0ub4dor", "a", "b", "c")
    try await keychain(prompter) {
      try addProtected(.applicationPassword)
      #expect(prompter.requests.map(\.secret) == [.newApplicationPassword, .repeatedApplicationPassword])
      #expect(value(password()) == text("secret"))
      #expect(prompter.requests.count == 4)
      #expect(copy(password(), reading).status == errSecAuthFailed)
      #expect(prompter.requests.dropFirst(2).allSatisfy { $0.secret == .applicationPassword })
      #expect(copy(password(), reading).status == errSecInteractionNotAllowed)
    }
  }

  @Test func `A new password whose two entries differ is requested again`() async throws {
    let prompter = ScriptedPrompter("a", "b", "c", "c", "c")
    try await keychain(prompter) {
      try addProtected(.applicationPassword)
      #expect(prompter.requests.map(\.failedAttempts) == [0, 0, 1, 0])
      #expect(value(password()) == text("secret"))
    }
  }

  @Test func `A cancelled password adds nothing`() async throws {
    try await keychain(ScriptedPrompter(nil)) {
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .applicationPassword)
      #expect(add(password("jane", [kSecAttrAccessControl: control])) == errSecUserCanceled)
      #expect(copy(password()).status == errSecItemNotFound)
    }
  }

  @Test func `A context stores a password once it was correct`() async throws {
    let prompter = ScriptedPrompter("wrong", "tr0ub4dor")
    try await keychain(prompter) {
      try addProtected(.applicationPassword, [kSecUseAuthenticationContext: context(password: "tr0ub4dor")])
      let context = LAContext()
      let query = password("jane", [kSecUseAuthenticationContext: context])
      for _ in 0..<2 { #expect(value(query) == text("secret")) }
      #expect(prompter.requests.count == 2)
    }
  }

  @Test func `A new value is protected by the old password, which must be known`() async throws {
    try await keychain {
      let given: Query = [kSecUseAuthenticationContext: context(password: "tr0ub4dor")]
      try addProtected(.applicationPassword, given)
      let wrong: Query = [kSecUseAuthenticationContext: context(password: "other")]
      #expect(update(password("jane", wrong), [kSecValueData: text("new")]) == errSecAuthFailed)
      #expect(update(password("jane", given), [kSecValueData: text("new")]) == errSecSuccess)
      #expect(value(password("jane", given)) == text("new"))
      // A label is not protected by it.
      #expect(update(password(), [kSecAttrLabel: "l"]) == errSecSuccess)
      #expect(value(password("jane", given)) == text("new"))
    }
  }

  // MARK: The item of a protected value

  private let given = "tr0ub4dor"

  /// Changes the stored value of the item of an account, as another writer of the group can.
  private func tamper(_ account: String, _ change: (inout ItemDraft) throws -> Void) throws {
    let found = ItemSearch(.genericPassword, attributes: ItemAttributes([.account: .string(account)]))
    let count = try Vault.default.update(found, withValues: true, movingTo: nil) { try change(&$1) }
    #expect(count == 1)
  }

  private func storedValue(_ account: String) throws -> [UInt8] {
    let found = ItemSearch(.genericPassword, attributes: ItemAttributes([.account: .string(account)]))
    return try #require(try Vault.default.find(found, withValues: true).first?.value)
  }

  @Test func `A protected value that another writer moves to another item does not open there`() async throws {
    try await keychain {
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .applicationPassword)
      for account in ["jane", "joe"] {
        let item: Query = [
          kSecAttrAccessControl: control, kSecValueData: text(account),
          kSecUseAuthenticationContext: context(password: given),
        ]
        #expect(add(password(account, item)) == errSecSuccess)
      }
      let query: Query = [kSecUseAuthenticationContext: context(password: given)]
      #expect(value(password("joe", query)) == text("joe"))
      let stolen = try storedValue("jane")
      try tamper("joe") { $0.value = stolen }
      #expect(copy(password("joe", query), reading).status == errSecAuthFailed)
      #expect(value(password("jane", query)) == text("jane"))
    }
  }

  @Test func `A protected value opens after new primary keys, moves and restored versions`() async throws {
    try await keychain {
      let query: Query = [kSecUseAuthenticationContext: context(password: given)]
      try addProtected(.applicationPassword, query)
      // Neither change requires the password.
      #expect(update(password(), [kSecAttrAccount: "joe"]) == errSecSuccess)
      #expect(value(password("joe", query)) == text("secret"))
      #expect(update(password("joe"), [kSecAttrAccessGroup: TemporaryKeychain.shared]) == errSecSuccess)
      #expect(value(password("joe", query)) == text("secret"))

      // An item that is deleted and added again has another persistent reference.
      try addProtected(.applicationPassword, query)
      #expect(delete(password()) == errSecSuccess)
      let (vault, item) = (try Vault.default, GenericPassword(service: "service", account: "jane"))
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .applicationPassword)
      let more: Query = [kSecAttrAccessControl: control, kSecValueData: text("new")]
      #expect(add(password("jane", query.merging(more) { $1 })) == errSecSuccess)
      let first = try #require(try vault.history(of: item).versions.last { $0.item != nil })
      try vault.restore(first)
      #expect(value(password("jane", query)) == text("secret"))
    }
  }

  @Test func `Protection can be removed and added by those who know the password`() async throws {
    try await keychain {
      let given: Query = [kSecUseAuthenticationContext: context(password: "tr0ub4dor")]
      try addProtected(.applicationPassword, given)
      let plain: Query = [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]
      #expect(update(password(), plain) == errSecInteractionNotAllowed)
      #expect(update(password(), plain.merging([kSecValueData: text("x")]) { $1 }) == errSecInteractionNotAllowed)
      #expect(update(password("jane", given), plain) == errSecSuccess)
      #expect(value(password()) == text("secret"))
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .applicationPassword)
      #expect(update(password("jane", given), [kSecAttrAccessControl: control]) == errSecSuccess)
      #expect(copy(password(), reading).status == errSecInteractionNotAllowed)
      #expect(value(password("jane", given)) == text("secret"))
    }
  }

  @Test func `Presence and password are both requested`() async throws {
    let prompter = ScriptedPrompter("correct", "tr0ub4dor")
    try await keychain(prompter) {
      try addProtected(
        [.userPresence, .applicationPassword], [kSecUseAuthenticationContext: context(password: "tr0ub4dor")])
      #expect(value(password()) == text("secret"))
      #expect(prompter.requests.map(\.secret) == [.passphrase, .applicationPassword])
    }
  }

  @Test func `An empty password and one of 1025 bytes are refused, and another one is requested`() async throws {
    let long = String(repeating: "x", count: 1025)
    let prompter = ScriptedPrompter("", "", long, long, "", "", "good", "good")
    try await keychain(prompter) {
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .applicationPassword)
      let context = LAContext()
      let item = password("jane", [kSecAttrAccessControl: control, kSecUseAuthenticationContext: context])
      #expect(add(item) == errSecAuthFailed)
      #expect(add(item) == errSecSuccess)
      #expect(prompter.requests.count == 8)
      #expect(!LAContext().setCredential(Data(count: 1025), type: .applicationPassword))
      let empty: Query = [kSecAttrAccessControl: control, kSecUseAuthenticationContext: self.context(password: "")]
      #expect(add(password("joe", empty)) == errSecParam)
    }
  }

  // MARK: Locked vaults

  @Test func `Without a passphrase on the machine none is requested to unlock`() async throws {
    let prompter = ScriptedPrompter("a", "b", "c")
    try await keychain(prompter, owner: nil) {
      #expect(add(password()) == errSecSuccess)
      try Vault.default.lock()
      #expect(copy(password()).status == errSecInteractionNotAllowed)
      #expect(prompter.requests.isEmpty)
    }
  }

  @Test func `The owner's passphrase unlocks once for all waiting calls, and proves presence`() async throws {
    let prompter = ScriptedPrompter("wrong", "correct")
    try await keychain(prompter) {
      try addProtected(.userPresence)
      let vault = try Vault.default
      vault.lock()
      let context = LAContext()
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        vault.asDefault {
          #expect(value(password("jane", [kSecUseAuthenticationContext: context])) == text("secret"))
        }
      }
      #expect(prompter.requests.count == 2)
    }
  }

  @Test func `Threads that share a context request one password once`() async throws {
    let prompter = ScriptedPrompter("tr0ub4dor")
    try await keychain(prompter) {
      try addProtected(.applicationPassword, [kSecUseAuthenticationContext: context(password: "tr0ub4dor")])
      let vault = try Vault.default
      let context = LAContext()
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        vault.asDefault {
          #expect(value(password("jane", [kSecUseAuthenticationContext: context])) == text("secret"))
        }
      }
      #expect(prompter.requests.count == 1)
    }
  }

  @Test func `A locked vault is errSecInteractionNotAllowed while no prompt is possible`() async throws {
    try await keychain {
      #expect(add(password()) == errSecSuccess)
      try Vault.default.lock()
      #expect(copy(password()).status == errSecInteractionNotAllowed)
      #expect(add(password("joe")) == errSecInteractionNotAllowed)
      #expect(delete(password()) == errSecInteractionNotAllowed)
      let explanation = try #require(SecCopyLastErrorExplanation() as String?)
      #expect(explanation.contains("locked"))
    }
  }
}
