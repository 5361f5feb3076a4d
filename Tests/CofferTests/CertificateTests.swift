import Coffer
import CofferCertificates
import CofferTestSupport
import Foundation
import Testing

@Suite struct CertificateTests {
  private let vault: Vault
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    vault = try Vault.inMemory(
      entitlements: .bytes(TemporaryVault.plist("com.example.one", groups: ["~com.example.shared"])))
  }

  private func make(_ subject: String, days: Int = 10, addresses: [String] = []) throws -> (der: Data, key: Data) {
    let (der, key) = (directory.path("c.der"), directory.path("k.pem"))
    var arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
      "-outform", "DER", "-out", der, "-subj", subject, "-days", "\(days)",
    ]
    if !addresses.isEmpty {
      arguments += ["-addext", "subjectAltName=" + addresses.map { "email:\($0)" }.joined(separator: ",")]
    }
    try Command.run(arguments: arguments)
    return (try Data(contentsOf: URL(fileURLWithPath: der)), try Data(contentsOf: URL(fileURLWithPath: key)))
  }

  @Test func `A certificate is stored by its fields, and found by subject, issuer, address, date and key`() throws {
    let jane = try KeychainCertificate(der: make("/O=Example/CN=Jane Doe", addresses: ["jane@example.com"]).der)
    let joan = try KeychainCertificate(der: make("/O=Example/CN=Joan", days: 400).der)
    try vault.add(jane)
    try vault.add(joan)
    #expect(code { try vault.add(jane) } == .duplicateItem)
    let all = ItemQuery<KeychainCertificate>()
    #expect(try vault.count(all) == 2)
    func found(_ query: ItemQuery<KeychainCertificate>) throws -> [String?] {
      try vault.list(query).items.map(\.item.label).sorted { ($0 ?? "") < ($1 ?? "") }
    }
    #expect(try found(all.subject("doe")) == ["Jane Doe"])
    #expect(try found(all.subject("example")) == ["Jane Doe", "Joan"])
    #expect(try found(all.subject("jo", .beginsWith)) == ["Joan"])
    #expect(try found(all.emailAddress("JANE@example.com")) == ["Jane Doe"])
    #expect(try found(all.matching(.issuer, joan.issuer)) == ["Joan"])
    #expect(try found(all.matching(.publicKeyHash, jane.publicKeyHash)) == ["Jane Doe"])
    #expect(try found(all.matching(.serialNumber, jane.serialNumber)) == ["Jane Doe"])
    #expect(try found(all.valid(on: Date())) == ["Jane Doe", "Joan"])
    #expect(try found(all.valid(on: Date() + 100 * 86_400)) == ["Joan"])
    #expect(try found(all.valid(on: Date() - 86_400)) == [])
    let stored = try #require(try vault.first(all.subject("Jane")))
    #expect(stored.item.der == nil && stored.item.accessibility == .always)
    #expect(try vault.value(for: stored.item) == jane.der)
  }

  @Test func `An identity is a certificate with its private key, and is added and deleted as a whole`() throws {
    let made = try make("/CN=Jane")
    let jane = try KeychainCertificate(der: made.der)
    try vault.add(try KeychainCertificate(der: make("/CN=Nobody").der))
    try vault.add(jane, privateKey: made.key, tag: Data("tag".utf8), in: "com.example.shared")
    let identities = try vault.identities()
    #expect(identities.map(\.certificate.item.label) == ["Jane"])
    let identity = try #require(identities.first)
    #expect(identity.key.item.applicationLabel == jane.publicKeyHash && identity.key.item.kind == .private)
    #expect(identity.key.item.sizeInBits == 256 && identity.key.item.algorithm == .ellipticCurve)
    #expect(try vault.value(for: identity.key.item) == made.key)
    // Half of the identity exists already: nothing is added.
    try vault.delete(identity.certificate.item)
    #expect(try vault.identities().isEmpty)
    #expect(
      code { try vault.add(jane, privateKey: made.key, tag: Data("tag".utf8), in: "com.example.shared") }
        == .duplicateItem)
    #expect(try vault.count(KeychainCertificate.self) == 1)
    #expect(try vault.delete(identity))
    #expect(try !vault.delete(identity))
    #expect(try vault.count(KeychainKey.self) == 0)
    #expect(try vault.identities(ItemQuery().limit(0)).isEmpty)
  }

  @Test func `Bytes that are not a certificate are refused, and so is adding a listed one without its bytes`() throws {
    #expect(code { _ = try KeychainCertificate(der: Data("nonsense".utf8)) } == .invalidArgument)
    #expect(code { _ = try KeychainCertificate(der: Data()) } == .invalidArgument)
    try vault.add(try KeychainCertificate(der: make("/CN=Jane").der))
    let listed = try #require(try vault.list(KeychainCertificate.self).items.first).item
    #expect(code { try vault.add(listed, in: "com.example.shared") } == .invalidArgument)
  }
}
