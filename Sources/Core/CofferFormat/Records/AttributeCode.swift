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
