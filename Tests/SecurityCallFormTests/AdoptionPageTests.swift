import Coffer
import CofferTestSupport
import LocalAuthentication
import Security
import Testing

private let plist = Array(
  """
  <?xml version="1.0" encoding="UTF-8"?>
  <plist version="1.0"><dict>
  <key>application-identifier</key><string>$(AppIdentifierPrefix)com.example.reminders</string>
  </dict></plist>
  """.utf8)

private func showPasswordField(_ reason: String) -> String? { reason.isEmpty ? nil : "typed" }

// Compiled and not run: the prompter is process-wide, and other tests set it.
private func setPrompter() {
  // block
  AuthenticationPrompt.prompter = TerminalPrompter()
  // end
}

// block
struct WindowPrompter: AuthenticationPrompter {
  func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    guard let text = showPasswordField(request.reason) else { return .cancelled }
    var typed = Array(text.utf8)
    return .passphrase(Passphrase(moving: &typed))
  }
}
// end

private func find() -> (OSStatus, CFTypeRef?) {
  // landing block
  var result: CFTypeRef?
  let query = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "jane", kSecReturnData: true] as CFDictionary
  let status = SecItemCopyMatching(query, &result)
  // end
  return (status, result)
}

private func addProtected() -> OSStatus {
  // block
  let context = LAContext()
  context.setCredential(Data("sesame".utf8), type: .applicationPassword)
  let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .applicationPassword, nil)
  let item: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrAccount as String: "pin",
    kSecAttrAccessControl as String: control as Any,
    kSecUseAuthenticationContext as String: context,
    kSecValueData as String: Data("1234".utf8),
  ]
  let status = SecItemAdd(item as CFDictionary, nil)
  // end
  return status
}

@Suite struct AdoptionPageTests {
  @Test func `The page's samples are those that this test compiles`() throws {
    let compiled = try samples("// block")
    let shown = try DocumentationPage("KeychainOnLinux", of: "Security").blocks(of: "swift")
      .filter { $0.file.isEmpty }.map { $0.text.replacingOccurrences(of: "import LocalAuthentication\n\n", with: "") }
    #expect(shown == compiled)
    #expect(shown.count == 3)
    let landing = try DocumentationPage("Security", of: "Security").blocks(of: "swift").map(\.text)
    #expect(landing == (try samples("// landing block").map { "import Security\n\n" + $0 }))
  }

  private func samples(_ mark: String) throws -> [String] {
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    return source.components(separatedBy: mark + "\n").dropFirst().map { part in
      let lines = part.components(separatedBy: "// end\n")[0].components(separatedBy: "\n").dropLast()
      let indent = lines.first?.prefix { $0 == " " }.count ?? 0
      return lines.map { String($0.dropFirst(indent)) }.joined(separator: "\n")
    }
  }

  @Test func `The sample of the module's page finds an item`() throws {
    try Vault.inMemory(entitlements: .bytes(plist)).asDefault {
      #expect(find().0 == errSecItemNotFound)
      let item: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrAccount: "jane", kSecValueData: Data("v".utf8),
      ]
      #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
      #expect(find().1 as? Data == Data("v".utf8))
    }
  }

  @Test func `The context's password opens the page's item, and no other password does`() throws {
    try Vault.inMemory(entitlements: .bytes(plist)).asDefault {
      #expect(addProtected() == errSecSuccess)
      for (password, status) in [("sesame", errSecSuccess), ("guess", errSecAuthFailed)] {
        let context = LAContext()
        context.setCredential(Data(password.utf8), type: .applicationPassword)
        let query: [CFString: Any] = [
          kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecUseAuthenticationContext: context,
        ]
        var result: CFTypeRef?
        #expect(SecItemCopyMatching(query as CFDictionary, &result) == status)
        #expect(result as? Data == (status == errSecSuccess ? Data("1234".utf8) : nil))
      }
    }
  }

  @Test func `A custom prompter returns the typed text`() {
    let request = AuthenticationRequest(secret: .passphrase, reason: "Because")
    guard case .passphrase = WindowPrompter().ask(request) else {
      Issue.record("the prompter gave no passphrase")
      return
    }
  }
}
