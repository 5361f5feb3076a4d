internal import Security
internal import Testing

@Suite struct DeletionTests {
  @Test func `Every match is deleted, whatever the limit`() throws {
    try withKeychain {
      for account in ["a", "b", "c"] { #expect(add(password(account)) == errSecSuccess) }
      #expect(add([kSecClass: kSecClassInternetPassword]) == errSecSuccess)
      #expect(delete([kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitOne]) == errSecSuccess)
      #expect(list([kSecClass: kSecClassGenericPassword]).isEmpty)
      #expect(list([kSecClass: kSecClassInternetPassword]).count == 1)
    }
  }

  @Test func `A deletion without a match is errSecItemNotFound`() throws {
    try withKeychain {
      #expect(delete(password()) == errSecItemNotFound)
      #expect(add(password()) == errSecSuccess)
      #expect(delete(password()) == errSecSuccess)
      #expect(delete(password()) == errSecItemNotFound)
    }
  }

  @Test func `Keys of searches and results are ignored, as on macOS`() throws {
    try withKeychain {
      #expect(add(password()) == errSecSuccess)
      let more: Query = [
        kSecReturnData: 1, kSecReturnAttributes: true, kSecMatchLimit: 0, kSecMatchSubjectContains: 3,
        kSecValueData: "x", kSecMatchPolicy: "x",
      ]
      #expect(delete(password("jane", more)) == errSecSuccess)
    }
  }

  @Test func `Only items that are equal in every attribute are deleted`() throws {
    try withKeychain {
      #expect(add(password("a", [kSecAttrComment: "x"])) == errSecSuccess)
      #expect(add(password("b", [kSecAttrComment: "y"])) == errSecSuccess)
      #expect(delete([kSecClass: kSecClassGenericPassword, kSecAttrComment: "x"]) == errSecSuccess)
      #expect(list([kSecClass: kSecClassGenericPassword]).compactMap { $0[kSecAttrAccount] as? String } == ["b"])
    }
  }

  @Test func `A deleted item can be added again, as another item`() throws {
    try withKeychain {
      #expect(add(password("jane", [kSecAttrComment: "x"])) == errSecSuccess)
      let first = copy(password(), [kSecReturnPersistentRef: true]).result as? Data
      #expect(delete(password()) == errSecSuccess)
      #expect(add(password()) == errSecSuccess)
      #expect(list(password()).first?[kSecAttrComment] == nil)
      #expect(copy(password(), [kSecReturnPersistentRef: true]).result as? Data != first)
    }
  }
}
