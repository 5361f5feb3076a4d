internal import Coffer
internal import CofferTestSupport
internal import Foundation
internal import LocalAuthentication
internal import Security
internal import Testing

/// Serialized, because the prompter is process-wide.
@Suite(.serialized) struct LAContextTests {
  private func code(_ body: () async throws -> Void) async -> LAError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? LAError)?.code
    }
  }

  /// Runs with a prompter and an owner's passphrase, and removes both afterwards.
  ///
  /// - Parameters:
  ///   - prompter: The program's prompter.
  ///   - owner: The passphrase; nil for none.
  ///   - prompts: The value of `COFFER_MEMORY_PROMPT`.
  ///   - body: The code to run.
  /// - Throws: The error of `body`.
  private func with(
    _ prompter: ScriptedPrompter?, owner: String? = "correct", prompts: String = "", _ body: () async throws -> Void
  ) async throws {
    let plist = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>application-identifier</key><string>$(AppIdentifierPrefix)com.example.asking</string>
      </dict></plist>
      """
    let entitlements = EntitlementsSource.bytes(Array(plist.utf8))
    let vault =
      if let owner {
        try Vault.inMemory(entitlements, passphrase: owner, environment: ["COFFER_MEMORY_PROMPT": prompts])
      } else {
        try Vault.inMemory(entitlements: entitlements)
      }
    try await PrompterLock.withLock {
      AuthenticationPrompt.prompter = prompter
      defer { AuthenticationPrompt.prompter = nil }
      try await vault.asDefault(body)
    }
  }

  @Test func `Codes and values are Apple's`() {
    #expect(LAErrorDomain == "com.apple.LocalAuthentication")
    let codes: [(LAError.Code, Int)] = [
      (.authenticationFailed, -1), (.userCancel, -2), (.userFallback, -3), (.systemCancel, -4), (.passcodeNotSet, -5),
      (.biometryNotAvailable, -6), (.biometryNotEnrolled, -7), (.biometryLockout, -8), (.appCancel, -9),
      (.invalidContext, -10), (.watchNotAvailable, -11), (.notInteractive, -1004), (.touchIDNotAvailable, -6),
    ]
    for (code, number) in codes { #expect(code.rawValue == number) }
    #expect(LAPolicy.deviceOwnerAuthenticationWithBiometrics.rawValue == 1)
    #expect(LAPolicy.deviceOwnerAuthentication.rawValue == 2)
    #expect(LACredentialType.applicationPassword.rawValue == 0)
  }

  @Test func `An error is an LAError and an NSError, and is caught by its code`() {
    let error: any Error = LAError(.userCancel)
    #expect((error as? LAError)?.code == .userCancel)
    #expect((error as NSError).domain == LAErrorDomain)
    #expect((error as NSError).code == -2)
    do {
      throw error
    } catch LAError.userCancel {
      return
    } catch {
      Issue.record("not caught")
    }
  }

  @Test func `The right passphrase authenticates a context for all later calls`() async throws {
    let prompter = ScriptedPrompter(.typed("wrong"), .typed("correct"))
    try await with(prompter) {
      let context = LAContext()
      context.localizedCancelTitle = "Later"
      let answer = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to read")
      #expect(answer)
      let again = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "again")
      #expect(again)
      #expect(prompter.requests.map(\.reason) == ["to read", "to read"])
      #expect(prompter.requests.map(\.failedAttempts) == [0, 1])
      #expect(prompter.requests.first?.cancelTitle == "Later")
    }
  }

  @Test func `The block is called once, with the error if there is one`() async throws {
    try await with(ScriptedPrompter(.cancelled)) {
      let answer = await withCheckedContinuation { continuation in
        LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "why") { success, error in
          continuation.resume(returning: (success, (error as? LAError)?.code))
        }
      }
      #expect(answer == (false, .userCancel))
    }
  }

  @Test func `A failed evaluation states the reason`() async throws {
    let policy = LAPolicy.deviceOwnerAuthentication
    try await with(ScriptedPrompter(.typed("a"), .typed("b"), .typed("c"), .typed("correct"))) {
      let found = await code { try await LAContext().evaluatePolicy(policy, localizedReason: "") }
      #expect(found == .authenticationFailed)
    }
    try await with(ScriptedPrompter(.unavailable)) {
      let found = await code { try await LAContext().evaluatePolicy(policy, localizedReason: "") }
      #expect(found == .notInteractive)
    }
    try await with(nil) {
      let found = await code { try await LAContext().evaluatePolicy(policy, localizedReason: "") }
      #expect(found == .notInteractive)
    }
    let unasked = ScriptedPrompter(.typed("correct"))
    try await with(unasked, owner: nil) {
      let found = await code { try await LAContext().evaluatePolicy(policy, localizedReason: "") }
      #expect(found == .passcodeNotSet)
    }
    try await with(unasked) {
      let silent = LAContext()
      silent.interactionNotAllowed = true
      let found = await code { try await silent.evaluatePolicy(policy, localizedReason: "") }
      #expect(found == .notInteractive)
      let ended = LAContext()
      ended.invalidate()
      let late = await code { try await ended.evaluatePolicy(policy, localizedReason: "") }
      #expect(late == .invalidContext)
      for biometrics in [
        LAPolicy.deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrWatch,
      ] {
        let found = await code { try await LAContext().evaluatePolicy(biometrics, localizedReason: "") }
        #expect(found == .biometryNotAvailable)
      }
    }
    #expect(unasked.requests.isEmpty)
  }

  @Test func `Prepared outcomes answer the policies of a program without a prompter, one after another`() async throws {
    func evaluate(_ context: LAContext = LAContext()) async -> LAError.Code? {
      await code { try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "") }
    }
    try await with(nil, prompts: "approve,fail,cancel,approve") {
      let canBeEvaluated = unsafe LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: nil)
      #expect(canBeEvaluated)
      let context = LAContext()
      for expected in [nil, nil] as [LAError.Code?] { #expect(await evaluate(context) == expected) }
      // A context that has authenticated the owner does not ask again; the others take the next outcomes.
      for expected in [.authenticationFailed, .userCancel, nil, nil] as [LAError.Code?] {
        #expect(await evaluate() == expected)
      }
      let silent = LAContext()
      silent.interactionNotAllowed = true
      #expect(await evaluate(silent) == .notInteractive)
    }
    let own = ScriptedPrompter(.cancelled)
    try await with(own, prompts: "approve") { #expect(await evaluate() == .userCancel) }
    #expect(own.requests.count == 1)
    // Without a passphrase there is nobody to ask.
    try await with(nil, owner: nil, prompts: "approve") { #expect(await evaluate() == .passcodeNotSet) }
  }

  @Test func `Prepared outcomes answer for the password of an item, too`() async throws {
    let made = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .applicationPassword, nil)
    let control = try #require(made)
    try await with(nil, prompts: "approve,fail,cancel") {
      var expected: [LAError.Code?] = [nil, .authenticationFailed, .userCancel]
      while !expected.isEmpty {
        let found = await code {
          _ = try await LAContext().evaluateAccessControl(control, operation: .createItem, localizedReason: "")
        }
        #expect(found == expected.removeFirst())
      }
    }
  }

  @Test func `Whether a policy can be evaluated is known without a prompt`() async throws {
    let prompter = ScriptedPrompter(.typed("correct"))
    try await with(prompter) {
      let isPossible = unsafe LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: nil)
      #expect(isPossible)
      var error: NSError?
      let answer = unsafe LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error)
      #expect(!answer)
      #expect(error?.domain == LAErrorDomain)
      #expect(error?.code == LAError.biometryNotAvailable.rawValue)
      #expect(LAContext().biometryType == .none)
    }
    try await with(prompter, owner: nil) {
      var error: NSError?
      let answer = unsafe LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: &error)
      #expect(!answer)
      #expect(error?.code == LAError.passcodeNotSet.rawValue)
    }
    #expect(prompter.requests.isEmpty)
  }

  @Test func `Invalidating a context withdraws its prompt`() async throws {
    let prompter = ScriptedPrompter(.silence)
    try await with(prompter) {
      let context = LAContext()
      async let found = code { try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "") }
      while prompter.requests.isEmpty { await Task.yield() }
      context.invalidate()
      #expect(await found == .appCancel)
    }
  }

  @Test func `Credentials are kept until they are removed or the context is invalidated`() {
    let context = LAContext()
    #expect(!context.isCredentialSet(.applicationPassword))
    #expect(context.setCredential(Data("secret".utf8), type: .applicationPassword))
    #expect(context.isCredentialSet(.applicationPassword) && !context.isCredentialSet(.smartCardPIN))
    #expect(context.credential(.applicationPassword)?.text == "secret")
    #expect(context.setCredential(nil, type: .applicationPassword))
    #expect(!context.isCredentialSet(.applicationPassword))
    #expect(!context.setCredential(Data(count: 1025), type: .applicationPassword))
    #expect(context.setCredential(Data(), type: .applicationPassword))
    context.invalidate()
    #expect(!context.isCredentialSet(.applicationPassword))
    #expect(!context.setCredential(Data("secret".utf8), type: .applicationPassword))
    #expect(!"\(context)\(context.debugDescription)".contains("secret"))
  }

  @Test func `Evaluating an access control prompts for what it requires, and for nothing else`() async throws {
    func control(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
      let made = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil)
      return try #require(made)
    }
    let nobody = ScriptedPrompter()
    try await with(nobody) {
      let answer = try await LAContext().evaluateAccessControl(
        try control([]), operation: .useItem, localizedReason: "")
      #expect(answer)
      let context = LAContext()
      #expect(context.setCredential(Data("app".utf8), type: .applicationPassword))
      let given = try control(.applicationPassword)
      let known = try await context.evaluateAccessControl(given, operation: .useItem, localizedReason: "")
      #expect(known)
    }
    #expect(nobody.requests.isEmpty)
    let ended = LAContext()
    ended.invalidate()
    let refusal = await code {
      _ = try await ended.evaluateAccessControl(try control([]), operation: .useItem, localizedReason: "")
    }
    #expect(refusal == .invalidContext)
    for flags: SecAccessControlCreateFlags in [.userPresence, .devicePasscode, [.biometryAny, .or, .devicePasscode]] {
      let owner = ScriptedPrompter(.typed("correct"))
      try await with(owner) {
        let context = LAContext()
        let answer = try await context.evaluateAccessControl(
          try control(flags), operation: .useItem, localizedReason: "why")
        #expect(answer)
      }
      #expect(owner.requests.map(\.secret) == [.passphrase])
    }
    let both = ScriptedPrompter(.typed("correct"), .typed("app"), .typed("app"))
    try await with(both) {
      let context = LAContext()
      let control = try control([.userPresence, .applicationPassword])
      let answer = try await context.evaluateAccessControl(control, operation: .createItem, localizedReason: "why")
      #expect(answer)
      #expect(context.newPassword?.text == "app")
    }
    #expect(both.requests.map(\.secret) == [.passphrase, .newApplicationPassword, .repeatedApplicationPassword])
  }
}
