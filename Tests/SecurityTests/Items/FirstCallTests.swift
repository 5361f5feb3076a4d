internal import Security
internal import Testing

@Suite struct FirstCallTests {
  @Test func `An item that was added is found with its value, changed, and gone after it is deleted`() throws {
    try withKeychain {
      #expect(add(password("jane", [kSecValueData: text("one")])) == errSecSuccess)
      #expect(value(password()) == text("one"))
      #expect(update(password(), [kSecValueData: text("two")]) == errSecSuccess)
      #expect(value(password()) == text("two"))
      #expect(list(password()).count == 1)
      #expect(delete(password()) == errSecSuccess)
      #expect(copy(password()).status == errSecItemNotFound)
      #expect(SecCopyLastErrorExplanation() != nil)
    }
  }
}
