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

  /// Makes a call fail, and expects that it is explained.
  private func fail() {
    #expect(copy(password("jane", ["zzzz" as CFString: 1])).status == errSecNoSuchAttr)
    #expect(SecCopyLastErrorExplanation() != nil)
  }

  @Test func `A call that succeeds has no explanation, whatever failed before it`() throws {
    let vector = try #require(KeyVectors.all.keys.first { !$0.isRSA })
    let (key, publicKey) = (try vector.privateKey, try vector.publicKey)
    let generated: [String: Any] = [kSecAttrKeyType as String: "73", kSecAttrKeySizeInBits as String: 256]
    let signature = try #require(signed(text("m"), by: key, .ecdsaSignatureMessageX962SHA256))
    let exchange = SecKeyAlgorithm.ecdhKeyExchangeStandard
    try withKeychain {
      let calls: [() -> Bool] = [
        { add(password()) == errSecSuccess }, { copy(password()).status == errSecSuccess },
        { update(password(), [kSecAttrLabel: "x"]) == errSecSuccess }, { delete(password()) == errSecSuccess },
        { made(generated) != nil },
        { SecKeyGeneratePair(generated as CFDictionary, nil, nil) == errSecSuccess },
        { written(key) != nil }, { vector.read(vector.public, as: kSecAttrKeyClassPublic) != nil },
        { signed(text("m"), by: key, .ecdsaSignatureMessageX962SHA256) != nil },
        { verifies(signature, of: text("m"), by: publicKey, .ecdsaSignatureMessageX962SHA256) },
        { SecKeyCopyKeyExchangeResult(key, exchange, publicKey, [:] as CFDictionary, nil) != nil },
        { SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil) != nil },
      ]
      for (number, call) in calls.enumerated() {
        fail()
        #expect(call(), "call \(number)")
        #expect(SecCopyLastErrorExplanation() == nil, "call \(number)")
      }
      fail()
      #expect(made([kSecAttrKeyType as String: "73", kSecAttrKeySizeInBits as String: 1]) == nil)
      #expect(SecCopyLastErrorExplanation()?.contains("zzzz") == false)
    }
  }

  @Test func `An explanation belongs to its thread`() throws {
    try withKeychain {
      fail()
      let first = SecCopyLastErrorExplanation()
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        #expect(SecCopyLastErrorExplanation() == nil)
        done.signal()
      }
      done.wait()
      #expect(SecCopyLastErrorExplanation() == first)
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
        let isIgnored = query[kSecMatchLimit] != nil
        #expect((add(query) == errSecSuccess) == isIgnored)
        #expect(SecCopyLastErrorExplanation()?.contains("hunter2") == (isIgnored ? nil : false))
      }
      #expect(add(password(secret)) == errSecDuplicateItem)
      #expect(SecCopyLastErrorExplanation()?.contains("hunter2") == false)
    }
  }
}
