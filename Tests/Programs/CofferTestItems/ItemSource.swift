import Coffer
import CofferCertificates
import Foundation

/// An item to store, as tests write it in JSON. Texts may contain anything that an app can store.
struct ItemSource: Decodable {
  /// Keychain's four characters: `genp`, `inet`, `cert` or `keys`.
  var `class`: String
  var group: String?
  var label: String?
  /// The value as text; of a key, its bytes in Base64; of a certificate, its DER in Base64.
  var value: String
  var comment: String?
  var service: String?
  var account: String?
  var server: String?
  var port: Int?
  var path: String?
  var kind: Int?
  var algorithm: Int?
  var bits: Int?
  var applicationLabel: Data?
  /// How many items to store. If set, `#` in the account stands for the number of the item, which begins with 1.
  var count: Int?

  /// Stores the item or items.
  func store(in vault: Vault) throws {
    guard let count else { return try store(account: account ?? "", in: vault) }
    for number in 1...max(count, 1) {
      try store(account: (account ?? "#").replacing("#", with: "\(number)"), in: vault)
    }
  }

  private func store(account: String, in vault: Vault) throws {
    switch `class` {
    case "genp":
      var item = GenericPassword(service: service ?? "", account: account, label: label)
      item.comment = comment
      try vault.set(value, for: item, in: group)
    case "inet":
      var item = InternetPassword(
        server: server ?? "", account: account, protocol: .https, port: port, path: path, label: label)
      item.comment = comment
      try vault.set(value, for: item, in: group)
    case "cert":
      let der = try bytes()
      try vault.set(der, for: KeychainCertificate(der: der, label: label), in: group)
    case "keys":
      guard let kind = kind.flatMap(KeychainKey.Kind.init), let algorithm else {
        throw ItemSourceError(description: "a key requires kind and algorithm")
      }
      var item = KeychainKey(
        kind, algorithm: .init(rawValue: algorithm), sizeInBits: bits ?? 0,
        applicationLabel: applicationLabel ?? Data(), applicationTag: Data(account.utf8))
      item.label = label
      item.usage = kind == .private ? [.sign, .decrypt] : [.encrypt, .decrypt]
      try vault.set(try bytes(), for: item, in: group)
    default: throw ItemSourceError(description: "unknown class \(`class`)")
    }
  }

  private func bytes() throws -> Data {
    guard let bytes = Data(base64Encoded: value) else {
      throw ItemSourceError(description: "the value is not Base64")
    }
    return bytes
  }
}

struct ItemSourceError: Error, CustomStringConvertible {
  var description: String
}
