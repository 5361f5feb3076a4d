import Coffer
import CofferCertificates
import CofferFormat
import CofferInspection
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@Suite struct CertificateDetailTests {
  private let directory: TemporaryDirectory
  private let session: MemoryInspection

  init() throws {
    directory = try TemporaryDirectory()
    session = try MemoryInspection()
  }

  /// Creates a certificate, signed by an earlier one or by itself, and adds it to the vault.
  @discardableResult
  private func make(
    _ name: String, issuer: String? = nil, extensions: [String] = [], in group: String? = nil
  ) throws -> PersistentReference {
    let (key, der) = (directory.path("\(name).key"), directory.path("\(name).der"))
    var arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
      "-out",
      directory.path("\(name).pem"), "-subj", "/O=Example/CN=\(name)", "-days", "100",
    ]
    for text in extensions { arguments += ["-addext", text] }
    if let issuer {
      arguments += ["-CA", directory.path("\(issuer).pem"), "-CAkey", directory.path("\(issuer).key")]
    }
    try Command.run(arguments: arguments)
    try Command.run("openssl", "x509", "-in", directory.path("\(name).pem"), "-outform", "DER", "-out", der)
    return try session.app.add(
      try KeychainCertificate(der: Data(contentsOf: URL(fileURLWithPath: der))), in: group)
  }

  private func details(_ reference: PersistentReference) throws -> ItemDetails {
    let text = reference.data.dropFirst(4).map { String(format: "%02x", $0) }.joined()
    return try session.vault.details(of: #require(ItemReference(code: "cert", text: text)))
  }

  @Test func `A certificate shows its fields, its chain and its validity`() throws {
    try make("root", in: "com.example.shared")
    try make("middle", issuer: "root", extensions: ["keyUsage=keyCertSign,cRLSign"])
    let leaf = try make(
      "leaf", issuer: "middle",
      extensions: [
        "basicConstraints=critical,CA:FALSE", "keyUsage=digitalSignature",
        "extendedKeyUsage=serverAuth,clientAuth,1.2.3.4",
        "subjectAltName=DNS:example.com,IP:127.0.0.1,IP:::1,email:a@example.com,URI:https://example.com",
      ])
    let seen = try details(leaf)
    let certificate = try #require(seen.certificate)
    #expect(certificate.subject.map { "\($0.type)=\($0.text)" } == ["O=Example", "CN=leaf"])
    #expect(certificate.issuer.map(\.text) == ["Example", "middle"])
    #expect(certificate.key == "elliptic curve P-256" && certificate.version == 3)
    #expect(certificate.usages == ["digital signature", "TLS server", "TLS client", "1.2.3.4"])
    #expect(certificate.isAuthority == false)
    #expect(
      certificate.alternativeNames == [
        "example.com", "127.0.0.1", "0:0:0:0:0:0:0:1", "a@example.com", "https://example.com",
      ])
    let printed = try Command.run(
      "openssl", "x509", "-in", directory.path("leaf.pem"), "-noout", "-fingerprint", "-sha256")
    #expect(printed.lowercased().hasSuffix(certificate.sha256))
    #expect(certificate.chain.map(\.title) == ["middle", "root"] && certificate.chainEnd == .selfIssued)
    #expect(certificate.privateKey == nil)
    let validity = certificate.validity
    let start = try #require(validity.start)
    #expect(validity.state(at: start) == .valid)
    #expect(validity.words(at: start) == "valid until \(validity.end.localText.prefix(10))")
    #expect(validity.words(at: start.addingTimeInterval(91 * 86_400)) == "expires in 9 days")
    #expect(validity.elapsedShare(at: start.addingTimeInterval(50 * 86_400)) == 0.5)
    #expect(validity.words(at: start.addingTimeInterval(-1)) == "not valid yet")
    #expect(validity.words(at: start.addingTimeInterval(101 * 86_400)) == "expired 1 day ago")
    #expect(validity.elapsedShare(at: start.addingTimeInterval(101 * 86_400)) == 1)
    #expect(seen.row.subtitle == "middle" && seen.row.expires == validity.end)
    let facts = seen.facts()
    #expect(facts.filter { $0.name == "Issued by" }.count == 2)
    #expect(facts.first { $0.name == "Subject" }?.text.contains("CN=leaf") == true)
  }

  @Test func `A chain ends at an issuer that is missing, and in a circle`() throws {
    try make("root")
    let middle = try make("middle", issuer: "root")
    let all = ItemQuery<KeychainCertificate>()
    try session.app.delete(all.subject("root"))
    guard case .missing(let issuer)? = try details(middle).certificate?.chainEnd else {
      Issue.record("the chain does not end at the missing issuer")
      return
    }
    #expect(issuer.contains("ROOT") || issuer.contains("root"))
    // Two certificates that name each other, as no issuer makes them: each is stored under the other's subject.
    for (own, other) in [("a", "b"), ("b", "a")] {
      let der = try #require(try session.app.value(for: session.app.list(all).items[0].item))
      let attributes = ItemAttributes([
        .subject: .data(Array(own.utf8)), .issuer: .data(Array(other.utf8)), .serialNumber: .data([1]),
        .label: .string(own),
      ])
      _ = try session.app.add(ItemDraft(itemClass: .certificate, attributes: attributes, value: Array(der)), in: nil)
    }
    let row = try #require(try session.vault.items(ItemRequest(kind: .certificate)).rows.first { $0.title == "a" })
    let circle = try #require(try session.vault.details(of: row.reference).certificate)
    #expect(circle.chainEnd == .tooLong && circle.chain.count <= 10)
  }

  @Test func `A certificate and its key find each other, and make an identity`() throws {
    let reference = try make("leaf")
    let certificate = try #require(try session.app.first(ItemQuery<KeychainCertificate>())).item
    var key = KeychainKey(
      .private, algorithm: .ellipticCurve, sizeInBits: 256, applicationLabel: certificate.publicKeyHash)
    key.label = "my key"
    key.usage = [.sign, .derive]
    #expect(try session.vault.itemCount(of: .identity) == 0)
    try session.app.add("value-of-key", for: key, in: "com.example.shared")
    #expect(try details(reference).certificate?.privateKey?.title == "my key")
    let row = try #require(try session.vault.items(ItemRequest(kind: .key)).rows.first)
    let found = try #require(try session.vault.details(of: row.reference).key)
    #expect(found.certificates.map(\.title) == ["leaf"] && found.otherKeys.isEmpty)
    let summary = found.summary
    #expect(summary.kind == "private" && summary.algorithm == "elliptic curve (NIST)" && summary.sizeInBits == 256)
    #expect(summary.usages == ["sign", "derive keys"])
    let identities = try session.vault.items(ItemRequest(kind: .identity))
    #expect(identities.total == 1 && identities.rows.map(\.kind) == [.identity])
    #expect(try session.vault.details(of: identities.rows[0].reference).row.kind == .identity)
    #expect(try session.vault.items(named: ["leaf"], of: .identity).count == 1)
    try session.app.delete(key, in: "com.example.shared")
    #expect(try session.vault.items(ItemRequest(kind: .identity)).total == 0)
    #expect(try session.vault.items(named: ["leaf"], of: .identity).isEmpty)
  }

  @Test func `Bytes that are no certificate have attributes only`() throws {
    let attributes = ItemAttributes([.label: .string("none"), .issuer: .data([1, 2]), .subject: .data([3])])
    _ = try session.app.add(ItemDraft(itemClass: .certificate, attributes: attributes, value: [0]), in: nil)
    let row = try #require(try session.vault.items().rows.first)
    let seen = try session.vault.details(of: row.reference)
    #expect(seen.certificate == nil && seen.attributes.first { $0.code == "issr" }?.text == "01:02")
  }
}
