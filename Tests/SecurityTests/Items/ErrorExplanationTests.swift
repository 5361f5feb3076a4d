internal import Security
internal import Testing

@Suite struct ErrorExplanationTests {
  @Test func `An explanation has number, message, cause and recovery suggestion`() throws {
    try withKeychain {
      #expect(copy(password("jane", [kSecAttrAccessGroup: "com.example.foreign"])).status == errSecMissingEntitlement)
      let explanation = try #require(SecCopyLastErrorExplanation() as String?)
      for part in ["-34018", "A required entitlement isn't present.", "com.example.foreign", "coffer app add"] {
        #expect(explanation.contains(part), "\(part) in \(explanation)")
      }
    }
  }

  @Test func `An explanation belongs to its thread, and success does not clear it`() throws {
    try withKeychain {
      #expect(copy(password("jane", ["zzzz" as CFString: 1])).status == errSecNoSuchAttr)
      let first = SecCopyLastErrorExplanation()
      #expect(add(password()) == errSecSuccess)
      #expect(SecCopyLastErrorExplanation() == first)
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        #expect(SecCopyLastErrorExplanation() == nil)
        done.signal()
      }
      done.wait()
    }
  }

  @Test func `No explanation contains a value or the content of an attribute`() throws {
    try withKeychain {
      let secret = "hunter2-hunter2"
      let failing: [Query] = [
        password("jane", [kSecValueData: secret]), password(secret, [kSecAttrServer: secret]),
        password(secret, [kSecAttrAccessible: secret]), [kSecClass: secret],
        password(secret, [kSecReturnData: secret]), password(secret, [kSecMatchLimit: secret]),
        password(secret, [kSecUseAuthenticationUI: secret]), [kSecValuePersistentRef: text(secret)],
      ]
      for query in failing {
        #expect(copy(query).status != errSecSuccess)
        #expect(SecCopyLastErrorExplanation()?.contains("hunter2") == false)
        // Add ignores a limit.
        #expect(add(query) != errSecSuccess || query[kSecMatchLimit] != nil)
        #expect(SecCopyLastErrorExplanation()?.contains("hunter2") == false)
      }
      #expect(add(password(secret)) == errSecDuplicateItem)
      #expect(SecCopyLastErrorExplanation()?.contains("hunter2") == false)
    }
  }
}
