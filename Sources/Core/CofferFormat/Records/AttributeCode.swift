/// The code of an attribute: Apple's four characters.
package struct AttributeCode: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  private init(_ text: StaticString) { rawValue = fourCharacterCode(text) }

  /// The four characters.
  package var name: String {
    String(String.UnicodeScalarView(fourCharacters(of: rawValue).map { UnicodeScalar($0) }))
  }

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
  /// Defined by Coffer: 16 random bytes that identify the item permanently, also after its primary key changes.
  package static let persistentReference = AttributeCode("pref")
  package static let isInvisible = AttributeCode("invi")
  package static let isNegative = AttributeCode("nega")
  /// The encoded ``AccessControl``: the conditions for returning the value.
  package static let accessControl = AttributeCode("accc")
  package static let certificateEncoding = AttributeCode("cenc")
  package static let subject = AttributeCode("subj")
  package static let subjectKeyID = AttributeCode("skid")
  package static let publicKeyHash = AttributeCode("pkhh")
  // Defined by Coffer for certificates, so that searches need not open values: the validity, and the texts and e-mail
  // addresses of the subject, one per line.
  package static let notBefore = AttributeCode("nbef")
  package static let notAfter = AttributeCode("naft")
  package static let subjectTexts = AttributeCode("stxt")
  package static let emailAddresses = AttributeCode("mail")
  /// Defined by Coffer: the seed of one-time codes, as an `otpauth` address. A secret, which is shown nowhere.
  package static let oneTimePassword = AttributeCode("totp")
  package static let isPermanent = AttributeCode("perm")
  package static let isPrivate = AttributeCode("priv")
  package static let isModifiable = AttributeCode("modi")
  package static let isSensitive = AttributeCode("sens")
  package static let wasAlwaysSensitive = AttributeCode("asen")
  package static let isExtractable = AttributeCode("extr")
  package static let wasNeverExtractable = AttributeCode("next")
  package static let canEncrypt = AttributeCode("encr")
  package static let canDecrypt = AttributeCode("decr")
  package static let canDerive = AttributeCode("drve")
  package static let canSign = AttributeCode("sign")
  package static let canVerify = AttributeCode("vrfy")
  package static let canSignRecover = AttributeCode("snrc")
  package static let canVerifyRecover = AttributeCode("vyrc")
  package static let canWrap = AttributeCode("wrap")
  package static let canUnwrap = AttributeCode("unwp")
}

extension AttributeCode {
  /// The type of the attribute's value.
  package var kind: AttributeKind {
    if Self.dates.contains(self) { return .date }
    return Self.numbers.contains(self) ? .number : .blob
  }

  private static let dates: Set<AttributeCode> = [.created, .modified, .startDate, .endDate, .notBefore, .notAfter]

  private static let numbers = Set<AttributeCode>([
    .creator, .type, .isInvisible, .isNegative, .synchronizable, .protocol, .port, .certificateType,
    .certificateEncoding, .keyClass, .keySizeInBits, .effectiveKeySize,
  ]).union(keyFlags)

  static let keyFlags: Set<AttributeCode> = [
    .isPermanent, .isPrivate, .isModifiable, .isSensitive, .wasAlwaysSensitive, .isExtractable, .wasNeverExtractable,
    .canEncrypt, .canDecrypt, .canDerive, .canSign, .canVerify, .canSignRecover, .canVerifyRecover, .canWrap,
    .canUnwrap,
  ]

  /// The attributes that every class has.
  static let common: Set<AttributeCode> = [
    .label, .created, .modified, .accessible, .accessControl, .synchronizable, .persistentReference,
  ]
}

/// The type of an attribute's value (apple-oss-distributions/Security, SecItemSchema).
package enum AttributeKind: Sendable {
  /// Text or bytes, compared by bytes.
  case blob
  /// A number. Text that is not a number stays text, such as the names of protocols.
  case number
  case date
}

/// Keychain's item classes. An identity is not a class: it combines a key and a certificate.
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

extension ItemClass {
  /// Every attribute that an item of this class may have.
  package var attributes: Set<AttributeCode> {
    switch self {
    case .genericPassword: Self.genericPasswordAttributes
    case .internetPassword: Self.internetPasswordAttributes
    case .certificate: Self.certificateAttributes
    case .key: Self.keyAttributes
    }
  }

  private static let passwordAttributes = AttributeCode.common.union([
    .itemDescription, .comment, .creator, .type, .isInvisible, .isNegative, .account,
  ])
  private static let genericPasswordAttributes = passwordAttributes.union([.service, .generic])
  private static let internetPasswordAttributes = passwordAttributes.union([
    .securityDomain, .server, .protocol, .authenticationType, .port, .path,
  ])
  private static let certificateAttributes = AttributeCode.common.union([
    .certificateType, .certificateEncoding, .subject, .issuer, .serialNumber, .subjectKeyID, .publicKeyHash,
  ])
  private static let keyAttributes = AttributeCode.common.union(AttributeCode.keyFlags).union([
    .keyClass, .applicationLabel, .applicationTag, .creator, .type, .keySizeInBits, .effectiveKeySize, .startDate,
    .endDate,
  ])

  /// The attributes that get a token, so that a search by them can use the index: those that distinguish items. Others
  /// (comments, flags, accessibility) are compared after the attributes are opened, and equal values cannot be
  /// recognised from outside.
  package var indexedAttributes: Set<AttributeCode> {
    switch self {
    case .genericPassword: [.account, .service, .label, .generic, .persistentReference]
    case .internetPassword: [.account, .server, .securityDomain, .path, .label, .persistentReference]
    case .certificate: [.issuer, .serialNumber, .subject, .subjectKeyID, .publicKeyHash, .label, .persistentReference]
    case .key: [.applicationLabel, .applicationTag, .label, .persistentReference]
    }
  }
}

/// Returns the number for a code of four ASCII characters, Apple's form of attribute and class names.
package func fourCharacterCode(_ text: StaticString) -> UInt32 {
  precondition(text.utf8CodeUnitCount == 4, "a code has four characters")
  return fourCharacterCode(text.description)
}

/// Returns the number for the ASCII characters of a code. Not generic, because that would take as long as a look-up in
/// the store.
package func fourCharacterCode(_ text: String) -> UInt32 {
  var code: UInt32 = 0
  for byte in text.utf8 { code = code << 8 | UInt32(byte) }
  return code
}

/// Returns the number with these four big-endian bytes.
package func fourCharacterCode(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

package func fourCharacters(of code: UInt32) -> [UInt8] {
  stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }
}
