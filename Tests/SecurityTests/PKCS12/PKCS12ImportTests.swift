internal import CofferTestSupport
internal import Foundation
internal import Security
internal import Testing

@Suite struct PKCS12ImportTests {
  private let issuer: CertificateIssuer

  init() throws { issuer = try CertificateIssuer() }

  // MARK: Files of other programs

  /// Arguments of `openssl genpkey` and `openssl pkcs12`.
  struct Form: Sendable, CustomTestStringConvertible {
    let key: [String]
    let options: [String]
    var testDescription: String { (key + options).joined(separator: " ") }

    private static let keys = [
      ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
      ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
      ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"],
      ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
    ]
    private static let encryptions = [
      [],
      ["-legacy"],
      ["-legacy", "-keypbe", "PBE-SHA1-RC4-128", "-certpbe", "PBE-SHA1-RC2-128", "-macalg", "sha512"],
      ["-keypbe", "NONE", "-certpbe", "NONE"],
    ]
    static let all =
      keys.map { Form(key: $0, options: []) } + encryptions.map { Form(key: keys[0], options: $0) }
      + [Form(key: keys[3], options: ["-legacy"])]
  }

  @Test(arguments: Form.all)
  func `A file of OpenSSL has its identity, name, key identifier, chain and evaluation`(_ form: Form) throws {
    let root = try issuer.issue("Root", CertificateIssuer.authority)
    let leaf = try issuer.issue("Jane Doe", by: "Root", key: form.key)
    let file = try issuer.pkcs12("Jane Doe", with: ["Root"], form.options + ["-name", "Prüfung 鍵"])
    let item = try #require(imported(file).only)
    #expect(item[kSecImportItemLabel] as? String == "Prüfung 鍵")
    #expect(item[kSecImportItemCertChain] as? [SecCertificate] == [leaf, root])
    let key = try signingKey(of: item, certificate: leaf)
    let identifier = try #require(SecKeyCopyAttributes(key) as? Query)[kSecAttrApplicationLabel] as? Data
    #expect(item[kSecImportItemKeyID] as? Data == identifier)
    #expect(identifier?.count == 20)

    let trust = try #require(item[kSecImportItemTrust] as? SecTrust)
    let isTrustedAtOnce = SecTrustEvaluateWithError(trust, nil)
    SecTrustSetAnchorCertificates(trust, [root] as CFArray)
    let isTrusted = SecTrustEvaluateWithError(trust, nil)
    #expect(!isTrustedAtOnce && isTrusted)
  }

  @Test func `A file of Keychain Access's form is read`() throws {
    let item = try #require(imported(Self.vector("keychain-access")).only)
    #expect(item[kSecImportItemLabel] as? String == "Jane Doe")
    _ = try signingKey(of: item)
  }

  @Test func `A key store of Java has an identity for each private key`() throws {
    let items = try imported(Self.vector("java"))
    #expect(items.map { $0[kSecImportItemLabel] as? String } == ["elliptic", "rsa"])
    for item in items {
      _ = try signingKey(of: item)
      #expect((item[kSecImportItemCertChain] as? [SecCertificate])?.count == 1)
    }
  }

  @Test func `A key store that Java converts has its chain`() throws {
    let item = try #require(imported(Self.vector("java-imported")).only)
    // Java changes the name of an entry to lower case.
    #expect(item[kSecImportItemLabel] as? String == "prüfung 鍵")
    let chain = try #require(item[kSecImportItemCertChain] as? [SecCertificate])
    #expect(chain.map { SecCertificateCopySubjectSummary($0) as String? } == ["Server", "Intermediate"])
    _ = try signingKey(of: item, certificate: chain[0])
  }

  @Test func `Without a name, the label is the subject's`() throws {
    try issuer.issue("Jane Doe")
    #expect(try imported(issuer.pkcs12("Jane Doe")).only?[kSecImportItemLabel] as? String == "Jane Doe")
  }

  @Test func `A file with an indefinite length, as some programs write it, is read`() throws {
    let file = try Self.vector("keychain-access")
    #expect(file.prefix(2) == Data([0x30, 0x82]))
    #expect(try imported(Data([0x30, 0x80]) + file.dropFirst(4) + [0, 0]).count == 1)
  }

  @Test func `Certificates without a key are no identities`() throws {
    let other = try issuer.issue("Other")
    let leaf = try issuer.issue("Jane Doe")
    let item = try #require(imported(issuer.pkcs12("Jane Doe", with: ["Other"])).only)
    #expect(item[kSecImportItemCertChain] as? [SecCertificate] == [leaf])
    #expect(other != leaf)
    let file = try issuer.pkcs12("Jane Doe", ["-nokeys"])
    #expect(try imported(file).isEmpty)
  }

  @Test func `A key that is neither RSA nor on a supported curve is refused with its reason`() throws {
    try issuer.issue("Jane Doe", key: ["-algorithm", "ED25519"])
    #expect(try status(issuer.pkcs12("Jane Doe")) == errSecDecode)
    #expect((SecCopyLastErrorExplanation() as String?)?.contains("neither RSA nor on a supported curve") == true)
  }

  // MARK: Passphrases

  @Test(arguments: [[], ["-legacy"]])
  func `A passphrase may have any characters`(_ options: [String]) throws {
    try issuer.issue("Jane Doe")
    let passphrase = "pässwört 鍵🔑"
    let file = try issuer.pkcs12("Jane Doe", passphrase: passphrase, options)
    #expect(try imported(file, passphrase).count == 1)
    for wrong in ["pässwört 鍵", "passwort", ""] { #expect(status(file, wrong) == errSecAuthFailed) }
  }

  @Test func `An empty passphrase and none are the same`() throws {
    try issuer.issue("Jane Doe")
    let file = try issuer.pkcs12("Jane Doe", passphrase: "")
    #expect(try imported(file, "").count == 1)
    #expect(try imported(file, nil).count == 1)
    #expect(status(file, "sesame") == errSecAuthFailed)
    #expect(status(try issuer.pkcs12("Jane Doe"), nil) == errSecAuthFailed)
  }

  @Test func `A passphrase that is not a string is errSecParam`() throws {
    let file = try Self.vector("java")
    for wrong: Any in [1, text("sesame"), NSNull(), true] {
      #expect(SecPKCS12Import(file as CFData, [kSecImportExportPassphrase: wrong] as CFDictionary, nil) == errSecParam)
    }
    #expect(status(file, String(repeating: "a", count: 65_537)) == errSecParam)
  }

  @Test func `Other options are ignored, and the result may be left out`() throws {
    let options: Query = [
      kSecImportExportPassphrase: "sesame", kSecImportToMemoryOnly: true, kSecImportExportKeychain: "x",
      kSecImportExportAccess: "y",
    ]
    #expect(SecPKCS12Import(try Self.vector("java") as CFData, options as CFDictionary, nil) == errSecSuccess)
  }

  // MARK: Hostile files

  @Test func `Other bytes and cut files are errSecDecode, and a changed file is never read`() throws {
    let file = try Self.vector("keychain-access")
    for other in [Data(), text("garbage"), Data(repeating: 0x30, count: 1000), file + [0]] {
      #expect(status(other) == errSecDecode)
    }
    for count in stride(from: 1, to: file.count, by: 97) { #expect(status(file.prefix(count)) == errSecDecode) }
    for position in stride(from: 0, to: file.count, by: 41) {
      var changed = file
      changed[position] ^= 0x21
      #expect([errSecDecode, errSecAuthFailed].contains(status(changed)), "\(position)")
    }
  }

  @Test func `A failure leaves the result as it was`() throws {
    var items: CFArray? = ["before"] as CFArray
    let options = [kSecImportExportPassphrase: "wrong"] as CFDictionary
    let status = unsafe SecPKCS12Import(try Self.vector("java") as CFData, options, &items)
    #expect(status == errSecAuthFailed)
    #expect(items as? [String] == ["before"])
    let explanation = SecCopyLastErrorExplanation() as String?
    #expect(explanation?.contains("the passphrase is wrong") == true)
    #expect(explanation?.contains("\"wrong\"") == false)
  }

  @Test func `A file without an authentication code is errSecDecode`() throws {
    try issuer.issue("Jane Doe")
    #expect(status(try issuer.pkcs12("Jane Doe", ["-nomac"])) == errSecDecode)
  }

  @Test func `A file that demands two thousand million iterations is refused at once`() throws {
    // The number of iterations ends the file: 2048, of which the encoding becomes two bytes longer.
    try issuer.issue("Jane Doe")
    let file = try issuer.pkcs12("Jane Doe")
    #expect(file.suffix(4) == Data([2, 2, 8, 0]))
    for count in [[4, 0x7F, 0xFF, 0xFF, 0xFF], [9, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
      #expect(status(try Self.replacing(lastNumberOf: file, by: count)) == errSecDecode)
      #expect((SecCopyLastErrorExplanation() as String?)?.contains("more iterations") == true)
    }
    #expect(status(try Self.replacing(lastNumberOf: file, by: [1, 0])) == errSecDecode)
    #expect(try imported(Self.replacing(lastNumberOf: file, by: [2, 8, 0])).count == 1)
  }

  /// Returns a file whose last number is another one: its length and its bytes.
  private static func replacing(lastNumberOf file: Data, by number: [UInt8]) throws -> Data {
    // The outermost sequence and that of the authentication code contain it.
    let code = file.suffix(2 + 0x41)
    #expect(code.prefix(2) == Data([0x30, 0x41]))
    let changed = code.dropFirst(2).dropLast(3) + number
    let content = file.dropFirst(4).dropLast(code.count) + [0x30, UInt8(changed.count)] + changed
    return Data([0x30, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]) + content
  }

  // MARK: Storing

  @Test func `An imported identity is stored, found and signs`() throws {
    let items = try imported(Self.vector("java")) + imported(Self.vector("keychain-access"))
    try withKeychain {
      for item in items {
        let identity = try #require(item[kSecImportItemIdentity] as? SecIdentity)
        let label = try #require(item[kSecImportItemLabel] as? String)
        #expect(add([kSecValueRef: identity, kSecAttrLabel: label]) == errSecSuccess)
        #expect(add([kSecValueRef: identity]) == errSecDuplicateItem)
        let found = copy([kSecClass: kSecClassIdentity, kSecAttrLabel: label], [kSecReturnRef: true]).result
        #expect(found as? SecIdentity == identity)
        _ = try signingKey(of: [kSecImportItemIdentity: try #require(found)])
      }
      let all: Query = [kSecClass: kSecClassIdentity, kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]
      #expect((copy(all).result as? [SecIdentity])?.count == 3)
      for item in items {
        let query: Query = [kSecClass: kSecClassKey, kSecAttrApplicationLabel: item[kSecImportItemKeyID] ?? Data()]
        #expect(copy(query).status == errSecSuccess)
      }
    }
  }

  // MARK: -

  static func vector(_ name: String) throws -> Data {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: folder.appending(path: "Vectors/PKCS12/\(name).p12"))
  }

  private func call(_ file: Data, _ passphrase: String?) -> (status: OSStatus, items: CFArray?) {
    var items: CFArray?
    let options: Query = passphrase.map { [kSecImportExportPassphrase: $0] } ?? [:]
    let status = unsafe SecPKCS12Import(file as CFData, options as CFDictionary, &items)
    return (status, items)
  }

  private func status(_ file: Data, _ passphrase: String? = "sesame") -> OSStatus { call(file, passphrase).status }

  /// Returns the dictionaries of a file.
  private func imported(_ file: Data, _ passphrase: String? = "sesame") throws -> [Query] {
    let (status, items) = call(file, passphrase)
    #expect(status == errSecSuccess, "\(SecCopyLastErrorExplanation() ?? "")")
    return try #require(items as? [Query])
  }

  /// Returns the private key of an item after it has signed and its certificate has verified.
  private func signingKey(of item: Query, certificate: SecCertificate? = nil) throws -> SecKey {
    let identity = try #require(item[kSecImportItemIdentity] as? SecIdentity)
    var own: SecCertificate?
    var key: SecKey?
    let statuses = unsafe [SecIdentityCopyCertificate(identity, &own), SecIdentityCopyPrivateKey(identity, &key)]
    #expect(statuses == [errSecSuccess, errSecSuccess])
    #expect(certificate == nil || own == certificate)
    let (signer, verifier) = (try #require(key), try #require(own.flatMap { SecCertificateCopyKey($0) }))
    let algorithm: SecKeyAlgorithm =
      SecKeyIsAlgorithmSupported(signer, .sign, .ecdsaSignatureMessageX962SHA256)
      ? .ecdsaSignatureMessageX962SHA256 : .rsaSignatureMessagePKCS1v15SHA256
    let signature = try #require(signed(text("message"), by: signer, algorithm))
    #expect(verifies(signature, of: text("message"), by: verifier, algorithm))
    return signer
  }
}

extension Array {
  /// The element of an array that has only one.
  fileprivate var only: Element? { count == 1 ? self[0] : nil }
}
