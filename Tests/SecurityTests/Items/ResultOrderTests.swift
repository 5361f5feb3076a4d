internal import Coffer
internal import Security
internal import Testing

/// Results begin with the item that was added first, as on Apple's systems in practice.
@Suite struct ResultOrderTests {
  private let accounts = (0..<40).map { "account \($0 * 17 % 40)" }

  private func labels(_ itemClass: CFString, _ more: Query = [:]) -> [String] {
    list([kSecClass: itemClass].merging(more) { $1 }).compactMap { $0[kSecAttrLabel] as? String }
  }

  @Test(arguments: [false, true])
  func `Passwords come in the order in which they were added, in every group`(isInternet: Bool) throws {
    let itemClass = isInternet ? kSecClassInternetPassword : kSecClassGenericPassword
    try withKeychain {
      for (number, account) in accounts.enumerated() {
        let group = number.isMultiple(of: 3) ? TemporaryKeychain.shared : TemporaryKeychain.own
        let item: Query = [
          kSecClass: itemClass, kSecAttrAccount: account, kSecAttrLabel: account, kSecAttrAccessGroup: group,
          kSecAttrComment: number < 20 ? "early" : "late",
        ]
        #expect(add(item) == errSecSuccess)
      }
      #expect(labels(itemClass) == accounts)
      #expect(labels(itemClass, [kSecAttrComment: "late"]) == Array(accounts[20...]))
      // Without a limit, one item is returned: the oldest.
      let first = copy([kSecClass: itemClass], [kSecReturnAttributes: true]).result as? Query
      #expect(first?[kSecAttrAccount] as? String == accounts[0])
      let three = copy([kSecClass: itemClass], [kSecReturnAttributes: true, kSecMatchLimit: 3]).result as? [Query]
      #expect(three?.compactMap { $0[kSecAttrAccount] as? String } == Array(accounts[..<3]))
      let changed: Query = [kSecClass: itemClass, kSecAttrAccount: accounts[7]]
      #expect(update(changed, [kSecValueData: text("new"), kSecAttrComment: "changed"]) == errSecSuccess)
      #expect(labels(itemClass) == accounts)
    }
  }

  @Test func `Of twins with one primary key, the older one is the first`() throws {
    for order in [[true, false], [false, true]] {
      try withKeychain {
        for isSynchronizable in order {
          #expect(add(password("jane", [kSecAttrSynchronizable: isSynchronizable])) == errSecSuccess)
        }
        let any: Query = [kSecAttrSynchronizable: kSecAttrSynchronizableAny]
        #expect(list(password("jane", any)).compactMap { $0[kSecAttrSynchronizable] as? Bool } == order)
        let first = copy(password("jane", any), [kSecReturnAttributes: true]).result as? Query
        #expect(first?[kSecAttrSynchronizable] as? Bool == order[0])
      }
    }
  }

  @Test func `Certificates, keys and identities come in the order in which they were added`() throws {
    let authority = try CertificateAuthority()
    let names = ["Zoe", "Adam", "Mia", "Bob"]
    let issued = try names.map { try authority.issue($0) }
    try withKeychain {
      for one in issued {
        let identity = try #require(SecIdentity(certificate: one.certificate, privateKey: one.key))
        #expect(add([kSecValueRef: identity]) == errSecSuccess)
      }
      #expect(labels(kSecClassCertificate) == names && labels(kSecClassIdentity) == names)
      let keys =
        copy(
          [kSecClass: kSecClassKey], [kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]
        ).result as? [SecKey]
      #expect(keys == issued.map(\.key))
    }
  }
}
