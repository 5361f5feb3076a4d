import Coffer
import CofferCertificates
import CofferTestSupport
import Foundation

extension GenericPassword: ModelItem {
  static func random(_ random: inout SeededGenerator) -> GenericPassword {
    let services = ["s", "S", ""]
    let accounts = ["a", "b", "ä", "🙂"]
    var item = GenericPassword(
      service: services.randomElement(using: &random) ?? "", account: accounts.randomElement(using: &random) ?? "")
    item.randomise(&random)
    if Bool.random(using: &random) { item.comment = comments.randomElement(using: &random) }
    return item
  }

  static var comments: [String] { ["one", "two"] }

  static func commented(_ comment: String, in group: String?) -> ItemQuery<GenericPassword> {
    ItemQuery(in: group).matching(.comment, comment)
  }

  var modelKey: ModelVault.Key {
    ModelVault.Key(itemClass: Self._classCode, isSynchronizable: isSynchronizable, names: [service, account])
  }

  var modelComment: String? { comment }

  mutating func takeKey(of other: GenericPassword) {
    (service, account, isSynchronizable) = (other.service, other.account, other.isSynchronizable)
  }
}

extension InternetPassword: ModelItem {
  static func random(_ random: inout SeededGenerator) -> InternetPassword {
    let servers = ["example.com", "example.org"]
    var item = InternetPassword(
      server: servers.randomElement(using: &random) ?? "", account: Bool.random(using: &random) ? "a" : "b",
      protocol: .https, port: Bool.random(using: &random) ? 443 : nil, path: Bool.random(using: &random) ? "/" : nil)
    item.randomise(&random)
    if Bool.random(using: &random) { item.comment = comments.randomElement(using: &random) }
    return item
  }

  static var comments: [String] { ["one", "two"] }

  static func commented(_ comment: String, in group: String?) -> ItemQuery<InternetPassword> {
    ItemQuery(in: group).matching(.comment, comment)
  }

  var modelKey: ModelVault.Key {
    ModelVault.Key(
      itemClass: Self._classCode, isSynchronizable: isSynchronizable,
      names: [server, account, "\(port ?? 0)", path ?? ""])
  }

  var modelComment: String? { comment }

  mutating func takeKey(of other: InternetPassword) {
    (server, account, port, path) = (other.server, other.account, other.port, other.path)
    isSynchronizable = other.isSynchronizable
  }
}

extension KeychainKey: ModelItem {
  static func random(_ random: inout SeededGenerator) -> KeychainKey {
    let tags = ["t", "u", "v"]
    var item = KeychainKey(
      Bool.random(using: &random) ? .private : .public, algorithm: .ellipticCurve,
      sizeInBits: Bool.random(using: &random) ? 256 : 384,
      applicationTag: Data((tags.randomElement(using: &random) ?? "").utf8))
    item.randomise(&random)
    return item
  }

  // Keys have no comment.
  static var comments: [String] { [] }

  static func commented(_ comment: String, in group: String?) -> ItemQuery<KeychainKey> {
    ItemQuery(in: group).limit(0)
  }

  var modelKey: ModelVault.Key {
    ModelVault.Key(
      itemClass: Self._classCode, isSynchronizable: isSynchronizable,
      names: ["\(kind)", "\(sizeInBits)", String(decoding: applicationTag, as: UTF8.self)])
  }

  var modelComment: String? { nil }

  mutating func takeKey(of other: KeychainKey) {
    kind = other.kind
    sizeInBits = other.sizeInBits
    effectiveSizeInBits = other.effectiveSizeInBits
    applicationTag = other.applicationTag
    isSynchronizable = other.isSynchronizable
  }
}

extension KeychainCertificate: ModelItem {
  /// Made once; they differ in the fields that distinguish certificates.
  private static let pool: [KeychainCertificate] = {
    do {
      let directory = try TemporaryDirectory()
      return try (1...5).map { number in
        let path = directory.path("\(number).der")
        try Command.run(
          "openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", directory.path("key"), "-outform",
          "DER",
          "-out", path, "-subj", "/CN=issuer \(number % 2)", "-set_serial", "\(number)")
        return try KeychainCertificate(der: Data(contentsOf: URL(fileURLWithPath: path)))
      }
    } catch {
      fatalError("openssl makes no certificates: \(error)")
    }
  }()

  static func random(_ random: inout SeededGenerator) -> KeychainCertificate {
    guard var item = pool.randomElement(using: &random) else { fatalError("no certificates") }
    item.randomise(&random)
    return item
  }

  static var comments: [String] { [] }

  static func commented(_ comment: String, in group: String?) -> ItemQuery<KeychainCertificate> {
    ItemQuery(in: group).limit(0)
  }

  var modelKey: ModelVault.Key {
    ModelVault.Key(
      itemClass: Self._classCode, isSynchronizable: isSynchronizable,
      names: [issuer.base64EncodedString(), serialNumber.base64EncodedString()])
  }

  var modelComment: String? { nil }

  mutating func takeKey(of other: KeychainCertificate) {
    let (own, ownAccessibility) = (label, accessibility)
    _fields = other._fields
    (label, accessibility) = (own, ownAccessibility)
  }
}
