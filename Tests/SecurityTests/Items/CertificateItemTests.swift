internal import Security
internal import Testing

@Suite struct CertificateItemTests {
  private let authority: CertificateAuthority

  init() throws { authority = try CertificateAuthority() }

  private let all: Query = [kSecClass: kSecClassCertificate, kSecMatchLimit: kSecMatchLimitAll]

  /// Returns the labels of the certificates that a search finds.
  private func labels(_ conditions: Query) -> Set<String> {
    Set(list(all.merging(conditions) { $1 }).compactMap { $0[kSecAttrLabel] as? String })
  }

  @Test func `An added certificate is returned unchanged, labelled with its subject`() throws {
    let issued = try authority.issue("Jane Doe", serial: 0x1234)
    try withKeychain {
      #expect(add([kSecValueRef: issued.certificate]) == errSecSuccess)
      #expect(add([kSecValueRef: issued.certificate, kSecAttrLabel: "other"]) == errSecDuplicateItem)
      let query: Query = [kSecClass: kSecClassCertificate, kSecAttrLabel: "Jane Doe"]
      #expect(copy(query, [kSecReturnRef: true]).result as? SecCertificate == issued.certificate)
      #expect(value(query) == issued.der)
      let attributes = try #require(list(query).first)
      #expect(attributes[kSecAttrSerialNumber] as? Data == Data([0x12, 0x34]))
      #expect(attributes[kSecAttrCertificateType] as? Int == 3)
      #expect(attributes[kSecAttrCertificateEncoding] as? Int == 3)
      let label = try #require(SecKeyCopyAttributes(issued.key) as? Query)[kSecAttrApplicationLabel] as? Data
      #expect(attributes[kSecAttrPublicKeyHash] as? Data == label)
      #expect(
        copy([kSecValueRef: issued.certificate], [kSecReturnRef: true]).result as? SecCertificate == issued.certificate)
      #expect(delete([kSecValueRef: issued.certificate]) == errSecSuccess)
      #expect(copy(query).status == errSecItemNotFound)
    }
  }

  @Test func `A certificate added by its data is the same item, and given attributes take precedence`() throws {
    let issued = try authority.issue("Jane Doe")
    try withKeychain {
      let item: Query = [kSecClass: kSecClassCertificate, kSecValueData: issued.der, kSecAttrLabel: "mine"]
      #expect(add(item) == errSecSuccess)
      #expect(add([kSecValueRef: issued.certificate]) == errSecDuplicateItem)
      #expect(labels([:]) == ["mine"])
      #expect(
        copy([kSecValueRef: issued.certificate], [kSecReturnRef: true]).result as? SecCertificate == issued.certificate)
    }
  }

  @Test func `Data that is not a certificate is found, and is errSecDecode as an object`() throws {
    try withKeychain {
      #expect(add([kSecClass: kSecClassCertificate, kSecValueData: text("none")]) == errSecSuccess)
      #expect(value([kSecClass: kSecClassCertificate]) == text("none"))
      #expect(copy([kSecClass: kSecClassCertificate], [kSecReturnRef: true]).status == errSecDecode)
    }
  }

  @Test func `Certificates are matched by their subject`() throws {
    let parts = ["Jane Doe", "Jané Roe", "John Doe"]
    let issued = try parts.enumerated().map {
      try authority.issue("c\($0.offset)", subject: "/O=Example/CN=\($0.element)")
    }
    try withKeychain {
      for one in issued { #expect(add([kSecValueRef: one.certificate]) == errSecSuccess) }
      #expect(labels([kSecMatchSubjectContains: "Doe"]) == ["Jane Doe", "John Doe"])
      #expect(labels([kSecMatchSubjectContains: "doe"]).isEmpty)
      #expect(labels([kSecMatchSubjectContains: "doe", kSecMatchCaseInsensitive: true]) == ["Jane Doe", "John Doe"])
      #expect(labels([kSecMatchSubjectStartsWith: "Jan"]) == ["Jane Doe", "Jané Roe"])
      #expect(labels([kSecMatchSubjectEndsWith: "oe"]).count == 3)
      #expect(labels([kSecMatchSubjectEndsWith: "Jane"]).isEmpty)
      #expect(labels([kSecMatchSubjectWholeString: "Jane Roe"]).isEmpty)
      #expect(labels([kSecMatchSubjectWholeString: "Jane Roe", kSecMatchDiacriticInsensitive: true]) == ["Jané Roe"])
      #expect(labels([kSecMatchSubjectContains: "Example"]).count == 3)
      #expect(labels([kSecMatchSubjectContains: "Doe", kSecMatchSubjectStartsWith: "John"]) == ["John Doe"])
    }
  }

  @Test func `Certificates are matched by date and by address`() throws {
    let past = try authority.issue(
      "past", email: "jane@example.com", validFrom: "20100101000000Z", to: "20110101000000Z")
    let future = try authority.issue("future", validFrom: "20390101000000Z", to: "20400101000000Z")
    let current = try authority.issue("current", email: "joe@example.com")
    try withKeychain {
      for one in [past, future, current] { #expect(add([kSecValueRef: one.certificate]) == errSecSuccess) }
      #expect(labels([kSecMatchValidOnDate: Date()]) == ["current"])
      #expect(labels([kSecMatchValidOnDate: kCFNull as Any]) == ["current"])
      let year2010 = Date(timeIntervalSince1970: 1_280_000_000)
      #expect(labels([kSecMatchValidOnDate: year2010]) == ["past"])
      // Applies only if present: a certificate without an address is not left out.
      #expect(labels([kSecMatchEmailAddressIfPresent: "JANE@example.com"]) == ["past", "future"])
    }
  }

  @Test func `Certificates are matched by the issuers in their chain`() throws {
    let root = try authority.issue("root")
    let middle = try authority.issue("middle", by: "root", serial: 2)
    let leaf = try authority.issue("leaf", by: "middle", serial: 3)
    let other = try authority.issue("other")
    try withKeychain {
      for one in [root, middle, leaf, other] { #expect(add([kSecValueRef: one.certificate]) == errSecSuccess) }
      let name = try #require(SecCertificateCopyNormalizedSubjectSequence(root.certificate)) as Data
      #expect(labels([kSecMatchIssuers: [name]]) == ["root", "middle", "leaf"])
      let middleName = try #require(SecCertificateCopyNormalizedSubjectSequence(middle.certificate)) as Data
      #expect(labels([kSecMatchIssuers: [middleName]]) == ["leaf"])
      #expect(copy(all, [kSecMatchIssuers: [text("no name")]]).status == errSecParam)
      #expect(copy(all, [kSecMatchIssuers: name]).status == errSecParam)
    }
  }

  @Test func `A list of certificates narrows a search to its members`() throws {
    let (first, second) = (try authority.issue("first"), try authority.issue("second"))
    try withKeychain {
      for one in [first, second] { #expect(add([kSecValueRef: one.certificate]) == errSecSuccess) }
      #expect(labels([kSecMatchItemList: [second.certificate]]) == ["second"])
      #expect(labels([kSecMatchItemList: [second.key]]).isEmpty)
    }
  }
}
