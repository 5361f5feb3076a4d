/// A code of four ASCII characters as a number, the way Apple writes attribute and class names.
package func fourCharacterCode(_ text: StaticString) -> UInt32 {
  let bytes = Array(text.description.utf8)
  precondition(bytes.count == 4, "a code has four characters")
  return bytes.reduce(0) { $0 << 8 | UInt32($1) }
}

/// Keychain's classes. An identity is no class of its own: it is the join of a key and a certificate.
package enum ItemClass: UInt32, CaseIterable, Sendable {
  case genericPassword = 0x6765_6E70  // genp
  case internetPassword = 0x696E_6574  // inet
  case certificate = 0x6365_7274  // cert
  case key = 0x6B65_7973  // keys

  /// The attributes that, with the group and the synchronizable flag, make an item unique
  /// (apple-oss-distributions/Security, SecItemSchema).
  package var primaryKey: [AttributeCode] {
    switch self {
    case .genericPassword: [.account, .service]
    case .internetPassword:
      [.account, .securityDomain, .server, .protocol, .authenticationType, .port, .path]
    case .certificate: [.certificateType, .issuer, .serialNumber]
    case .key:
      [
        .keyClass, .applicationLabel, .applicationTag, .creator, .type, .keySizeInBits, .effectiveKeySize, .startDate,
        .endDate,
      ]
    }
  }
}

/// An attribute's name: Apple's four characters.
package struct AttributeCode: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  private init(_ text: StaticString) { rawValue = fourCharacterCode(text) }

  package static func < (left: AttributeCode, right: AttributeCode) -> Bool { left.rawValue < right.rawValue }

  package static let account = AttributeCode("acct")
  package static let service = AttributeCode("svce")
  package static let generic = AttributeCode("gena")
  package static let label = AttributeCode("labl")
  package static let comment = AttributeCode("icmt")
  package static let itemDescription = AttributeCode("desc")
  package static let created = AttributeCode("cdat")
  package static let modified = AttributeCode("mdat")
  package static let accessible = AttributeCode("pdmn")
  package static let synchronizable = AttributeCode("sync")
  package static let securityDomain = AttributeCode("sdmn")
  package static let server = AttributeCode("srvr")
  package static let `protocol` = AttributeCode("ptcl")
  package static let authenticationType = AttributeCode("atyp")
  package static let port = AttributeCode("port")
  package static let path = AttributeCode("path")
  package static let certificateType = AttributeCode("ctyp")
  package static let issuer = AttributeCode("issr")
  package static let serialNumber = AttributeCode("slnr")
  package static let keyClass = AttributeCode("kcls")
  package static let applicationLabel = AttributeCode("klbl")
  package static let applicationTag = AttributeCode("atag")
  package static let creator = AttributeCode("crtr")
  package static let type = AttributeCode("type")
  package static let keySizeInBits = AttributeCode("bsiz")
  package static let effectiveKeySize = AttributeCode("esiz")
  package static let startDate = AttributeCode("sdat")
  package static let endDate = AttributeCode("edat")
  /// Coffer's own: 16 random bytes that name the item for ever, across updates and changes of its primary key.
  package static let persistentReference = AttributeCode("pref")
}
