internal import CofferFormat

/// An attribute in the words and in the place that pages and commands give it.
struct AttributeDefinition {
  /// How a value is read and written. Data is shown as text if it is text; bytes never are.
  enum Format {
    case text, number, data, bytes, date, flag
    case accessibility, accessControl, internetProtocol, authenticationType
    case keyClass, algorithm, name, lines, reference
    /// A secret, of which only its parameters are shown.
    case oneTimePassword
  }

  let code: AttributeCode
  let name: String
  let format: Format
  /// Whether people may change it. What is computed from the value, and what makes a key what it is, stays.
  let isEditable: Bool

  private init(_ code: AttributeCode, _ name: String, _ format: Format = .text, isEditable: Bool = false) {
    self.code = code
    self.name = name
    self.format = format
    self.isEditable = isEditable
  }

  /// The definition of an attribute that no class has: its code names it.
  init(unknown code: AttributeCode) { self.init(code, code.name, .data) }

  /// The definitions of a class, in the order of display.
  static func all(of itemClass: ItemClass) -> [AttributeDefinition] {
    switch itemClass {
    case .genericPassword: genericPassword + passwords + common
    case .internetPassword: internetPassword + passwords + common
    case .certificate: certificate + common
    case .key: key + common
    }
  }

  private static let genericPassword = [
    AttributeDefinition(.service, "Service", isEditable: true),
    AttributeDefinition(.account, "Account", isEditable: true),
    AttributeDefinition(.label, "Label", isEditable: true),
    AttributeDefinition(.generic, "Generic data", .data),
  ]

  private static let internetPassword = [
    AttributeDefinition(.server, "Server", isEditable: true),
    AttributeDefinition(.account, "Account", isEditable: true),
    AttributeDefinition(.label, "Label", isEditable: true),
    AttributeDefinition(.protocol, "Protocol", .internetProtocol, isEditable: true),
    AttributeDefinition(.port, "Port", .number, isEditable: true),
    AttributeDefinition(.path, "Path", isEditable: true),
    AttributeDefinition(.securityDomain, "Security domain", isEditable: true),
    AttributeDefinition(.authenticationType, "Authentication", .authenticationType, isEditable: true),
  ]

  private static let passwords = [
    AttributeDefinition(.itemDescription, "Description", isEditable: true),
    AttributeDefinition(.comment, "Comment", isEditable: true),
    AttributeDefinition(.oneTimePassword, "One-time codes", .oneTimePassword),
    AttributeDefinition(.creator, "Creator", .number),
    AttributeDefinition(.type, "Type", .number),
    AttributeDefinition(.isInvisible, "Hidden in lists", .flag, isEditable: true),
    AttributeDefinition(.isNegative, "Never store a password", .flag, isEditable: true),
  ]

  private static let certificate = [
    AttributeDefinition(.label, "Label", isEditable: true),
    AttributeDefinition(.subject, Term.subject.rawValue, .name),
    AttributeDefinition(.issuer, Term.issuer.rawValue, .name),
    AttributeDefinition(.serialNumber, Term.serialNumber.rawValue, .bytes),
    AttributeDefinition(.notBefore, "Valid from", .date),
    AttributeDefinition(.notAfter, "Valid until", .date),
    AttributeDefinition(.emailAddresses, "Email addresses", .lines),
    AttributeDefinition(.certificateType, Term.certificateVersion.rawValue, .number),
    AttributeDefinition(.certificateEncoding, "Encoding", .number),
    AttributeDefinition(.subjectKeyID, "Subject key identifier", .bytes),
    AttributeDefinition(.publicKeyHash, "Public key hash (SHA-1)", .bytes),
    AttributeDefinition(.subjectTexts, "Texts of the subject", .lines),
  ]

  private static let key =
    [
      AttributeDefinition(.label, "Label", isEditable: true),
      AttributeDefinition(.keyClass, Term.keyKind.rawValue, .keyClass),
      AttributeDefinition(.type, Term.algorithm.rawValue, .algorithm),
      AttributeDefinition(.keySizeInBits, Term.sizeInBits.rawValue, .number),
      AttributeDefinition(.effectiveKeySize, "Effective size in bits", .number),
      AttributeDefinition(.applicationTag, "Application tag", .data),
      AttributeDefinition(.applicationLabel, "Application label", .bytes),
      AttributeDefinition(.creator, "Creator", .number),
      AttributeDefinition(.startDate, "Usable from", .date),
      AttributeDefinition(.endDate, "Usable until", .date),
    ] + keyFlags

  private static let keyFlags = [
    AttributeDefinition(.canEncrypt, "May encrypt", .flag), AttributeDefinition(.canDecrypt, "May decrypt", .flag),
    AttributeDefinition(.canSign, "May sign", .flag),
    AttributeDefinition(.canVerify, "May verify signatures", .flag),
    AttributeDefinition(.canDerive, "May derive keys", .flag),
    AttributeDefinition(.canWrap, "May wrap keys", .flag), AttributeDefinition(.canUnwrap, "May unwrap keys", .flag),
    AttributeDefinition(.canSignRecover, "May sign with recovery", .flag),
    AttributeDefinition(.canVerifyRecover, "May verify with recovery", .flag),
    AttributeDefinition(.isPermanent, "Permanent", .flag), AttributeDefinition(.isPrivate, "Private", .flag),
    AttributeDefinition(.isModifiable, "Modifiable", .flag), AttributeDefinition(.isSensitive, "Sensitive", .flag),
    AttributeDefinition(.wasAlwaysSensitive, "Always sensitive", .flag),
    AttributeDefinition(.isExtractable, "Extractable", .flag),
    AttributeDefinition(.wasNeverExtractable, "Never extractable", .flag),
  ]

  private static let common = [
    AttributeDefinition(.accessible, "Readable", .accessibility, isEditable: true),
    AttributeDefinition(.accessControl, "Protection", .accessControl),
    AttributeDefinition(.synchronizable, "Synchronizable", .flag),
    AttributeDefinition(.created, Term.created.rawValue, .date),
    AttributeDefinition(.modified, Term.modified.rawValue, .date),
    AttributeDefinition(.persistentReference, "Persistent reference", .reference),
  ]
}

/// The names of attributes in a sentence.
package enum AttributeName {
  /// Returns the name in lower case of a generic password's attribute, by its four-character code; the code for an
  /// attribute that generic passwords do not have; nil for those that describe the version and not the item.
  package static func name(ofCode code: String) -> String? {
    guard !versionCodes.contains(code) else { return nil }
    let definition = AttributeDefinition.all(of: .genericPassword).first { $0.code.name == code }
    return definition?.name.lowercased() ?? code
  }

  /// The date of modification, the date of creation and the reference: a restored version gets those of the item.
  private static let versionCodes: Set = ["mdat", "cdat", "pref"]
}
