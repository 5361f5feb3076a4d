import LocalAuthentication
import Security
import Testing

private enum GuardedError: Error, Equatable {
  case accessControl
  case cancelled
  case keychain(OSStatus)
}

/// A secret protected by biometrics, as articles show it.
private struct GuardedSecret {
  var account = "guarded"
  var protection = kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
  var flags: SecAccessControlCreateFlags = .userPresence

  func save(_ secret: String, context: LAContext? = nil) throws {
    var error: Unmanaged<CFError>?
    guard let access = SecAccessControlCreateWithFlags(nil, protection, flags, &error) else {
      throw GuardedError.accessControl
    }
    var attributes: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
      kSecAttrAccessControl as String: access as Any, kSecValueData as String: Data(secret.utf8),
    ]
    if let context { attributes[kSecUseAuthenticationContext as String] = context }
    let status = SecItemAdd(attributes as CFDictionary, nil)
    guard status == errSecSuccess else { throw GuardedError.keychain(status) }
  }

  func read(_ more: [CFString: Any] = [:]) throws -> String {
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecMatchLimit: kSecMatchLimitOne,
      kSecReturnData: true,
    ]
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query.merging(more) { $1 } as CFDictionary, &item)
    guard status != errSecUserCanceled else { throw GuardedError.cancelled }
    guard status == errSecSuccess, let data = item as? Data else { throw GuardedError.keychain(status) }
    return String(decoding: data, as: UTF8.self)
  }
}

/// Items that need user presence. The owner's passphrase replaces fingerprint, face and passcode.
@Suite(.serialized, .keychain(passphrase: "correct")) struct AuthenticationIdiomTests {
  private let secret = GuardedSecret()

  @Test func `A secret under user presence is saved without a prompt and read after authentication`()
    async throws
  {
    let prompter = ScriptedPrompter("correct")
    try await prompter.installed {
      try secret.save("one")
      #expect(prompter.reasons.isEmpty)
      #expect(try secret.read([kSecUseOperationPrompt: "Show the secret"]) == "one")
    }
    #expect(prompter.reasons == ["Show the secret"])
  }

  @Test(arguments: [
    SecAccessControlCreateFlags.biometryAny, .biometryCurrentSet, .touchIDAny, .touchIDCurrentSet, .devicePasscode,
    [.biometryAny, .or, .devicePasscode], [.biometryCurrentSet, .and, .devicePasscode],
  ])
  func `A secret under each user-presence condition is read with the passphrase`(
    _ flags: SecAccessControlCreateFlags
  ) async throws {
    var secret = secret
    secret.flags = flags
    try await ScriptedPrompter("correct").installed {
      try secret.save("one")
      #expect(try secret.read() == "one")
    }
  }

  @Test func `Cancelling differs from a wrong passphrase`() async throws {
    try secret.save("one")
    try await ScriptedPrompter().installed { #expect(throws: GuardedError.cancelled) { try secret.read() } }
    let prompter = ScriptedPrompter("wrong", "wrong", "wrong", "correct")
    try await prompter.installed {
      #expect(throws: GuardedError.keychain(errSecAuthFailed)) { try secret.read() }
    }
    #expect(prompter.reasons.count == 3)
    try await ScriptedPrompter("wrong", "correct").installed {
      let found = try secret.read()
      #expect(found == "one")
    }
  }

  @Test func `One context prompts once for many reads`() async throws {
    var other = secret
    other.account = "other"
    let prompter = ScriptedPrompter("correct", "correct")
    try await prompter.installed {
      try secret.save("one")
      try other.save("two")
      let context = LAContext()
      context.localizedReason = "Sign in"
      context.touchIDAuthenticationAllowableReuseDuration = 10
      #expect(try secret.read([kSecUseAuthenticationContext: context]) == "one")
      #expect(try other.read([kSecUseAuthenticationContext: context]) == "two")
      #expect(try secret.read() == "one")
    }
    #expect(prompter.reasons.count == 2)
    #expect(prompter.reasons.first == "Sign in")
    // Without a reason, the prompt names the program.
    #expect(prompter.reasons.last?.contains(ProcessInfo.processInfo.processName) == true)
  }

  @Test func `A context that was authenticated before reads without a prompt`() async throws {
    let prompter = ScriptedPrompter("correct")
    try await prompter.installed {
      try secret.save("one")
      let context = LAContext()
      var error: NSError?
      #expect(context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error))
      #expect(!context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error))
      #expect(error?.code == LAError.biometryNotAvailable.rawValue)
      #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Unlock the app"))
      context.interactionNotAllowed = true
      #expect(try secret.read([kSecUseAuthenticationContext: context]) == "one")
    }
    #expect(prompter.reasons == ["Unlock the app"])
  }

  @Test func `A policy is evaluated with a reply, in which the item is read`() async throws {
    try await ScriptedPrompter("correct").installed {
      try secret.save("one")
      let program = KeychainApp.current
      let context = LAContext()
      let secret = self.secret
      let found: Result<String, Error> = await withCheckedContinuation { continuation in
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Unlock") { success, error in
          guard success else { return continuation.resume(returning: .failure(error ?? GuardedError.cancelled)) }
          continuation.resume(
            returning: Result {
              try program?.run { try secret.read([kSecUseAuthenticationContext: context]) } ?? ""
            })
        }
      }
      #expect(try found.get() == "one")
    }
  }

  @Test func `A query that forbids prompts shows that a protected item exists`() async throws {
    func exists(_ more: [CFString: Any]) -> OSStatus {
      let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrAccount: secret.account, kSecReturnData: true,
      ]
      return SecItemCopyMatching(query.merging(more) { $1 } as CFDictionary, nil)
    }
    let silent = LAContext()
    silent.interactionNotAllowed = true
    let forms: [[CFString: Any]] = [
      [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail], [kSecUseNoAuthenticationUI: true],
      [kSecUseAuthenticationContext: silent],
    ]
    let prompter = ScriptedPrompter("correct")
    try await prompter.installed {
      for form in forms { #expect(exists(form) == errSecItemNotFound, "\(form)") }
      try secret.save("one")
      for form in forms { #expect(exists(form) == errSecInteractionNotAllowed, "\(form)") }
      #expect(exists([kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]) == errSecItemNotFound)
      #expect(prompter.reasons.isEmpty)
      #expect(exists([kSecUseAuthenticationUI: kSecUseAuthenticationUIAllow]) == errSecSuccess)
    }
  }

  @Test func `A protected item's attributes are read, and the item is deleted, without a prompt`() async throws {
    let prompter = ScriptedPrompter()
    try await prompter.installed {
      try secret.save("one")
      let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrAccount: secret.account, kSecReturnAttributes: true,
      ]
      var item: CFTypeRef?
      #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
      let found = try #require(item as? [CFString: Any])
      #expect(found[kSecAttrAccessible] as? String == kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly as String)
      #expect(CFGetTypeID(found[kSecAttrAccessControl] as CFTypeRef) == SecAccessControlGetTypeID())
      #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
    }
    #expect(prompter.reasons.isEmpty)
  }

  @Test func `An item under an application password opens with the context's password only`() async throws {
    var secret = secret
    secret.flags = .applicationPassword
    func context(_ password: String) -> LAContext {
      let context = LAContext()
      #expect(context.setCredential(Data(password.utf8), type: .applicationPassword))
      context.interactionNotAllowed = true
      return context
    }
    try await ScriptedPrompter.withoutPrompter {
      try secret.save("one", context: context("pin"))
      #expect(try secret.read([kSecUseAuthenticationContext: context("pin")]) == "one")
      #expect(throws: GuardedError.keychain(errSecAuthFailed)) {
        try secret.read([kSecUseAuthenticationContext: context("nip")])
      }
      #expect(throws: GuardedError.keychain(errSecInteractionNotAllowed)) { try secret.read() }
    }
  }

  @Test func `Without a prompter a protected read is errSecInteractionNotAllowed`() async throws {
    try await ScriptedPrompter.withoutPrompter {
      try secret.save("one")
      #expect(throws: GuardedError.keychain(errSecInteractionNotAllowed)) { try secret.read() }
    }
  }

  @Test func `Access control and accessibility in one item must agree, and neither synchronizes`() throws {
    func add(_ more: [CFString: Any]) throws -> OSStatus {
      let access = try #require(
        SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil))
      let attributes: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrAccessControl: access, kSecValueData: Data("one".utf8),
      ]
      return SecItemAdd(attributes.merging(more) { $1 } as CFDictionary, nil)
    }
    #expect(try add([kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]) == errSecParam)
    #expect(try add([kSecAttrSynchronizable: true]) == errSecParam)
    #expect(try add([kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) == errSecSuccess)
  }

  @Test func `Updating a protected item's value needs authentication, updating its attributes does not`() async throws {
    let prompter = ScriptedPrompter("correct", "correct")
    try await prompter.installed {
      try secret.save("one")
      let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: secret.account]
      #expect(SecItemUpdate(query as CFDictionary, [kSecValueData: Data("two".utf8)] as CFDictionary) == errSecSuccess)
      #expect(try secret.read() == "two")
    }
  }
}

/// A machine whose owner has no passphrase.
@Suite(.keychain) struct NoPasscodeTests {
  @Test func `An item that needs a passcode fails when it is added, not when it is read`() {
    for flags in [SecAccessControlCreateFlags.userPresence, .biometryCurrentSet, .devicePasscode] {
      var secret = GuardedSecret()
      secret.flags = flags
      #expect(throws: GuardedError.keychain(errSecAuthFailed)) { try secret.save("one") }
    }
    let attributes: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
      kSecValueData: Data("one".utf8),
    ]
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecAuthFailed)
  }

  @Test func `A device without a passcode is recognised by a probe item`() {
    func hasPasscode() -> Bool {
      let probe: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "probe",
        kSecValueData as String: Data("probe".utf8),
        kSecAttrAccessible as String: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
      ]
      let status = SecItemAdd(probe as CFDictionary, nil)
      SecItemDelete(probe as CFDictionary)
      return status == errSecSuccess
    }
    #expect(!hasPasscode())
    var error: NSError?
    #expect(!LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: &error))
    #expect(error?.domain == LAErrorDomain)
    #expect(error.map { LAError.Code(rawValue: $0.code) } == .passcodeNotSet)
  }

  @Test func `An access control without conditions does not prompt`() throws {
    var secret = GuardedSecret()
    secret.flags = []
    secret.protection = kSecAttrAccessibleAfterFirstUnlock
    try secret.save("one")
    #expect(try secret.read() == "one")
  }
}
