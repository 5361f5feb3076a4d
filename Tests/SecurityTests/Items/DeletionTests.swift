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

  @Test func `The limit and keys of results are ignored, as on macOS`() throws {
    try withKeychain {
      #expect(add(password()) == errSecSuccess)
      let more: Query = [kSecReturnData: 1, kSecReturnAttributes: true, kSecMatchLimit: 0, kSecValueData: "x"]
      #expect(delete(password("jane", more)) == errSecSuccess)
    }
  }

  @Test func `Only the items of a list, or that fulfil another condition, are deleted`() throws {
    try withKeychain {
      let all: Query = [kSecClass: kSecClassGenericPassword]
      for account in ["a", "b", "c"] { #expect(add(password(account)) == errSecSuccess) }
      let reference = try #require(copy(password("b"), [kSecReturnPersistentRef: true]).result as? Data)
      #expect(delete(all.merging([kSecMatchItemList: [] as [Data]]) { $1 }) == errSecItemNotFound)
      #expect(delete(all.merging([kSecMatchItemList: [reference]]) { $1 }) == errSecSuccess)
      #expect(list(all).compactMap { $0[kSecAttrAccount] as? String } == ["a", "c"])

      let servers: Query = [kSecClass: kSecClassInternetPassword]
      for server in ["www.example.com", "example.org"] {
        #expect(add(servers.merging([kSecAttrServer: server]) { $1 }) == errSecSuccess)
      }
      #expect(delete(servers.merging([kSecMatchHostOrSubdomainOfHost: "example.com"]) { $1 }) == errSecSuccess)
      #expect(list(servers).compactMap { $0[kSecAttrServer] as? String } == ["example.org"])
    }
  }

  @Test func `Certificates are deleted by their issuers`() throws {
    let authority = try CertificateAuthority()
    let root = try authority.issue("root")
    let leaf = try authority.issue("leaf", by: "root", serial: 2)
    let other = try authority.issue("other")
    try withKeychain {
      let all: Query = [kSecClass: kSecClassCertificate]
      for one in [root, leaf, other] { #expect(add([kSecValueRef: one.certificate]) == errSecSuccess) }
      let name = try #require(SecCertificateCopyNormalizedSubjectSequence(root.certificate)) as Data
      #expect(delete(all.merging([kSecMatchIssuers: [name]]) { $1 }) == errSecSuccess)
      #expect(list(all).compactMap { $0[kSecAttrLabel] as? String } == ["other"])
    }
  }

  @Test func `A condition that is not supported deletes and changes nothing`() throws {
    try withKeychain {
      #expect(add(password()) == errSecSuccess)
      for condition: Query in [[kSecMatchPolicy: "x"], [kSecMatchTrustedOnly: true], [kSecUseItemList: [] as [Data]]] {
        #expect(delete(password("jane", condition)) == errSecUnimplemented, "\(condition)")
        #expect(update(password("jane", condition), [kSecAttrLabel: "x"]) == errSecUnimplemented, "\(condition)")
      }
      #expect(list(password()).map { $0[kSecAttrLabel] as? String } == [nil])
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
