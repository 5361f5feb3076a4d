internal import Coffer
internal import CofferTestSupport
internal import Foundation
internal import LocalAuthentication
internal import Security
internal import Synchronization
internal import Testing

/// A prompter that runs a function while it asks, and then answers.
private final class BusyPrompter: AuthenticationPrompter {
  private let count = Mutex(0)
  private let before: @Sendable (AuthenticationRequest) -> Void
  private let answer: String

  init(_ answer: String, _ before: @escaping @Sendable (AuthenticationRequest) -> Void) {
    self.answer = answer
    self.before = before
  }

  var asked: Int { count.withLock { $0 } }

  func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    count.withLock { $0 += 1 }
    before(request)
    var bytes = Array(answer.utf8)
    return .passphrase(Passphrase(moving: &bytes))
  }
}

/// Authentication for calls. Serialized, because the prompter is process-wide.
@Suite(.serialized) struct AuthenticationTests {
  private func keychain(_ prompter: (any AuthenticationPrompter)?, _ body: () throws -> Void) async throws {
    try await PrompterLock.withLock {
      AuthenticationPrompt.prompter = prompter
      defer { AuthenticationPrompt.prompter = nil }
      try withKeychain(passphrase: "correct", body)
    }
  }

  private func addProtected(
    _ account: String, _ flags: SecAccessControlCreateFlags, _ more: Query = [:]
  ) throws {
    let control = try accessControl(kSecAttrAccessibleWhenUnlocked, flags)
    let item = password(account, more.merging([kSecAttrAccessControl: control, kSecValueData: text(account)]) { $1 })
    #expect(add(item) == errSecSuccess)
  }

  private func context(password: String) -> LAContext {
    let context = LAContext()
    context.setCredential(text(password), type: .applicationPassword)
    return context
  }

  private let reading: Query = [kSecReturnData: true]
  private let identities: Query = [kSecClass: kSecClassIdentity]

  @Test func `Unlocking an app that was not registered as locked does not prove presence`() async throws {
    try await keychain(ScriptedPrompter("not the passphrase")) {
      try addProtected("jane", .userPresence)
      try Vault.default.lock()
      let (status, result) = copy(password(), reading)
      #expect(status != errSecSuccess)
      #expect(result == nil)
    }
  }

  @Test func `A context that forbids prompts does not prompt, authenticated or not`() async throws {
    let prompter = ScriptedPrompter("correct", "sesame")
    try await keychain(prompter) {
      let given: Query = [kSecUseAuthenticationContext: context(password: "sesame")]
      try addProtected("jane", [.userPresence, .applicationPassword], given)
      try addProtected("joe", .userPresence)
      let context = LAContext()
      #expect(value(password("joe", [kSecUseAuthenticationContext: context])) == text("joe"))
      context.interactionNotAllowed = true
      let (status, _) = copy(password("jane", [kSecUseAuthenticationContext: context]), reading)
      #expect(status == errSecInteractionNotAllowed)
      #expect(prompter.requests.count == 1)
    }
  }

  @Test func `A protected certificate is not returned through the identity without authentication`() async throws {
    let issued = try CertificateAuthority().issue("Jane Doe")
    try await keychain(nil) {
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .userPresence)
      #expect(add([kSecValueRef: issued.certificate, kSecAttrAccessControl: control]) == errSecSuccess)
      #expect(add([kSecValueRef: issued.key]) == errSecSuccess)
      #expect(copy([kSecClass: kSecClassCertificate], reading).status == errSecInteractionNotAllowed)
      #expect(copy(identities, reading).status == errSecInteractionNotAllowed)
      #expect(copy(identities, [kSecReturnRef: true]).status == errSecInteractionNotAllowed)
    }
  }

  @Test func `A certificate under a password is opened with it as part of an identity`() async throws {
    let issued = try CertificateAuthority().issue("Jane Doe")
    try await keychain(nil) {
      let given: Query = [kSecUseAuthenticationContext: context(password: "sesame")]
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .applicationPassword)
      let item: Query = [kSecValueRef: issued.certificate, kSecAttrAccessControl: control]
      #expect(add(item.merging(given) { $1 }) == errSecSuccess)
      #expect(add([kSecValueRef: issued.key]) == errSecSuccess)
      #expect(value([kSecClass: kSecClassCertificate].merging(given) { $1 }) == issued.der)
      #expect(value(identities.merging(given) { $1 }) == issued.der)
      #expect(copy(identities.merging(given) { $1 }, [kSecReturnRef: true]).status == errSecSuccess)
      #expect(value(identities) == nil)
    }
  }

  @Test func `The context of a key pair is used whichever halves are stored`() async throws {
    try await keychain(nil) {
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .applicationPassword)
      let parameters: Query = [
        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
        kSecUseAuthenticationContext: context(password: "sesame"),
        kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrAccessControl: control] as Query,
        kSecPublicKeyAttrs: [kSecAttrIsPermanent: true] as Query,
      ]
      var error: Unmanaged<CFError>?
      let key = unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error)
      let failure = unsafe error?.takeRetainedValue()
      #expect(key != nil, "\(failure?.localizedDescription ?? "")")
    }
  }

  @Test func `Adding an identity that is refused adds nothing`() async throws {
    let issued = try CertificateAuthority().issue("Jane Doe")
    let identity = try #require(SecIdentity(certificate: issued.certificate, privateKey: issued.key))
    try await keychain(ScriptedPrompter(nil)) {
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .userPresence)
      var result: CFTypeRef?
      let item: Query = [kSecValueRef: identity, kSecAttrAccessControl: control, kSecReturnRef: true]
      let status = unsafe SecItemAdd(item as CFDictionary, &result)
      let isThere = copy([kSecClass: kSecClassKey]).status == errSecSuccess
      #expect((status == errSecSuccess) == isThere, "status \(status), added: \(isThere)")
    }
  }

  @Test func `Items under several passwords are all opened by those who know them`() async throws {
    // In any order of the items, each further answer opens another item or was needed for one.
    let names = ["a", "b", "c"]
    let prompter = ScriptedPrompter("a", "b", "c")
    try await keychain(prompter) {
      for name in names {
        try addProtected(name, .applicationPassword, [kSecUseAuthenticationContext: context(password: name)])
      }
      let (status, _) = copy([kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll], reading)
      #expect(status == errSecSuccess)
    }
  }

  @Test func `A password that opened one item does not prevent the prompt for another's`() async throws {
    let prompter = ScriptedPrompter("a", "b")
    try await keychain(prompter) {
      for name in ["a", "b"] {
        try addProtected(name, .applicationPassword, [kSecUseAuthenticationContext: context(password: name)])
      }
      let shared: Query = [kSecUseAuthenticationContext: LAContext()]
      #expect(value(password("a", shared)) == text("a"))
      #expect(value(password("b", shared)) == text("b"))
      #expect(prompter.requests.map(\.failedAttempts) == [0, 0])
    }
  }

  @Test func `Threads that share a context prompt once`() async throws {
    let second = DispatchSemaphore(value: 0)
    let prompter = BusyPrompter("correct") { _ in _ = second.wait(timeout: .now() + 1) }
    try await keychain(prompter) {
      try addProtected("jane", .userPresence)
      let vault = try Vault.default
      let context = LAContext()
      DispatchQueue.concurrentPerform(iterations: 2) { _ in
        vault.asDefault {
          #expect(value(password("jane", [kSecUseAuthenticationContext: context])) == text("jane"))
        }
      }
    }
    #expect(prompter.asked == 1)
  }

  @Test func `A prompter that makes a call with the same context does not end the program`() async throws {
    await #expect(processExitsWith: .success) {
      let vault = try TemporaryKeychain(passphrase: "correct").vault
      let context = LAContext()
      try vault.asDefault {
        let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .userPresence)
        #expect(add(password("jane", [kSecAttrAccessControl: control])) == errSecSuccess)
        let isInside = Atomic(false)
        AuthenticationPrompt.prompter = ReentrantPrompter { _ in
          if isInside.exchange(true, ordering: .relaxed) { return }
          _ = value(password("jane", [kSecUseAuthenticationContext: context]))
        }
        _ = value(password("jane", [kSecUseAuthenticationContext: context]))
      }
    }
  }

  @Test func `Nothing prompts inside a transaction`() async throws {
    let outcome = Mutex<OSStatus?>(nil)
    let typistHolder = Mutex<Vault?>(nil)
    let prompter = BusyPrompter("correct") { _ in
      guard let vault = typistHolder.withLock({ $0 }) else { return }
      // A window's thread that uses the keychain while it asks.
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let status = vault.asDefault { add(password("window")) }
        outcome.withLock { $0 = status }
        done.signal()
      }
      _ = done.wait(timeout: .now() + 3)
    }
    try await keychain(prompter) {
      try addProtected("jane", .userPresence)
      let vault = try Vault.default
      typistHolder.withLock { $0 = vault }
      try vault.transaction { _ = value(password()) }
      #expect(
        prompter.asked == 0, "asked inside; the other thread's write was \(String(describing: outcome.withLock { $0 }))"
      )
    }
  }

  @Test func `Unlocking for a call does not change the vault's lock timeout`() async throws {
    try await keychain(ScriptedPrompter("correct")) {
      #expect(add(password()) == errSecSuccess)
      let vault = try Vault.default
      try vault.unlock(lockAfter: .milliseconds(500))
      try waitUntil("the vault is locked") { vault.isLocked }
      #expect(copy(password()).status == errSecSuccess)
      try waitUntil("the vault is locked") { vault.isLocked }
    }
  }

  @Test func `No new password is requested for an item that cannot be added`() async throws {
    let prompter = ScriptedPrompter("new", "new")
    try await keychain(prompter) {
      #expect(add(password()) == errSecSuccess)
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .applicationPassword)
      #expect(add(password("jane", [kSecAttrAccessControl: control])) == errSecDuplicateItem)
      #expect(
        add(password("joe", [kSecAttrAccessControl: control, kSecAttrAccessGroup: "com.example.foreign"]))
          == errSecMissingEntitlement)
      #expect(prompter.requests.isEmpty)
    }
  }

  @Test func `A new item's password is typed twice, also if the context is evaluated first`() async throws {
    let prompter = ScriptedPrompter("typo", "sesame", "sesame", "sesame")
    try await keychain(prompter) {
      let context = LAContext()
      let done = DispatchSemaphore(value: 0)
      let control = try accessControl(kSecAttrAccessibleWhenUnlocked, .applicationPassword)
      context.evaluateAccessControl(control, operation: .createItem, localizedReason: "r") { _, _ in done.signal() }
      _ = done.wait(timeout: .now() + 300)
      #expect(
        prompter.requests.map(\.secret) == [
          .newApplicationPassword, .repeatedApplicationPassword, .newApplicationPassword, .repeatedApplicationPassword,
        ])
      // The new item has the password, and nobody is asked again.
      let given: Query = [kSecUseAuthenticationContext: context]
      try addProtected("jane", .applicationPassword, given)
      #expect(prompter.requests.count == 4)
      #expect(value(password("jane", given)) == text("jane"))
    }
  }

  @Test func `A refusal is an LAError also through an NSErrorPointer`() throws {
    try withKeychain {
      var error: NSError?
      let can = unsafe LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error)
      #expect(!can)
      #expect((error as? LAError)?.code == .biometryNotAvailable)
    }
  }
}

private struct ReentrantPrompter: AuthenticationPrompter {
  let body: @Sendable (AuthenticationRequest) -> Void

  func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    body(request)
    var bytes = Array("correct".utf8)
    return .passphrase(Passphrase(moving: &bytes))
  }
}
