internal import Coffer
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import Crypto

/// An item that a program stores.
struct NewItem: Sendable {
  var label: String
  var attributes: [String: String]
  var contentType: String
  var subcollection: String?
  var value: [UInt8]

  /// The item of the vault. Its names are for people and derived from the attributes, so that machines that store the same item
  /// at the same time store one; a number makes them unique if another item has them.
  func password(isUnique: Bool) -> GenericPassword {
    let (service, account) = Self.names(label, attributes, subcollection, isUnique: isUnique)
    var password = GenericPassword(service: service, account: account, label: label.isEmpty ? nil : label)
    password.generic = Data(record.bytes)
    return password
  }

  private var record: SecretServiceRecord {
    SecretServiceRecord(attributes: attributes, contentType: contentType, collection: subcollection)
  }

  /// Returns service and account for attributes. The account has a part of a hash of them: other items of a program can have
  /// the same service and user, and differ in another attribute.
  static func names(
    _ label: String, _ attributes: [String: String], _ subcollection: String?, isUnique: Bool
  ) -> (service: String, account: String) {
    let serviceName = SecretServiceRecord.serviceName(in: attributes)
    let schema = attributes[IndexedItem.schemaName].flatMap { $0.isEmpty ? nil : $0 }
    let service = serviceName.flatMap { attributes[$0] } ?? schema ?? (label.isEmpty ? "secret" : label)
    let user = SecretServiceRecord.accountName(in: attributes).flatMap { attributes[$0] } ?? ""
    let identity = SecretServiceRecord(attributes: attributes, collection: subcollection).bytes
    let digest = isUnique ? Random.bytes(count: 6) : Array(SHA256.hash(data: identity).prefix(6))
    let prefix = user.isEmpty ? "" : String(String.UnicodeScalarView(user.unicodeScalars.prefix(200))) + " "
    return (String(String.UnicodeScalarView(service.unicodeScalars.prefix(200))), prefix + hexadecimal(digest))
  }
}
