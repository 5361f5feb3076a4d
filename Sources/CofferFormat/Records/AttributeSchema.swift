/// What an attribute holds, by its code (apple-oss-distributions/Security, SecItemSchema).
package enum AttributeKind: Sendable {
  /// Text or bytes, compared by bytes.
  case blob
  /// A number. Text that spells no number stays text, as the protocols' names do.
  case number
  case date
}

extension AttributeCode {
  /// What the attribute holds.
  package var kind: AttributeKind {
    if Self.dates.contains(self) { return .date }
    return Self.numbers.contains(self) ? .number : .blob
  }

  private static let dates: Set<AttributeCode> = [.created, .modified, .startDate, .endDate, .notBefore, .notAfter]

  private static let numbers = Set<AttributeCode>([
    .creator, .type, .isInvisible, .isNegative, .synchronizable, .protocol, .port, .certificateType,
    .certificateEncoding, .keyClass, .keySizeInBits, .effectiveKeySize,
  ]).union(keyFlags)

  fileprivate static let keyFlags: Set<AttributeCode> = [
    .isPermanent, .isPrivate, .isModifiable, .isSensitive, .wasAlwaysSensitive, .isExtractable, .wasNeverExtractable,
    .canEncrypt, .canDecrypt, .canDerive, .canSign, .canVerify, .canSignRecover, .canVerifyRecover, .canWrap,
    .canUnwrap,
  ]

  /// What every class has beside its own.
  fileprivate static let common: Set<AttributeCode> = [
    .label, .created, .modified, .accessible, .accessControl, .synchronizable, .persistentReference,
  ]
}

extension AttributeValue {
  /// The value in the form in which an attribute of this kind is kept: text that spells a whole number becomes the number
  /// where the attribute is one.
  package func normalised(for kind: AttributeKind) -> AttributeValue {
    guard kind == .number, case .string(let text) = self, let number = Int64(text), String(number) == text else {
      return self
    }
    return .number(number)
  }

  /// True for what an attribute that was never set is taken for: empty, or zero.
  package var isDefault: Bool {
    switch self {
    case .string(let text): text.isEmpty
    case .data(let bytes): bytes.isEmpty
    case .number(let number): number == 0
    case .date(let date): date.microseconds == 0
    }
  }

  /// What stands for an attribute of the primary key that was not given.
  package static func absent(_ kind: AttributeKind) -> AttributeValue {
    switch kind {
    case .blob: .data([])
    case .number: .number(0)
    case .date: .date(Timestamp(microseconds: 0))
    }
  }
}

extension ItemAttributes {
  /// These, with what stands for the attributes of the primary key that are not among them.
  package func completingPrimaryKey(of itemClass: ItemClass) -> ItemAttributes {
    var completed = self
    for code in itemClass.primaryKey where completed[code] == nil { completed[code] = .absent(code.kind) }
    return completed
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

  /// The attributes that get a token, so that a search by them reads the index: those that tell items apart. The others
  /// (comments, flags, accessibility) are matched when the attributes are open, and their equality shows nowhere.
  package var indexedAttributes: Set<AttributeCode> {
    switch self {
    case .genericPassword: [.account, .service, .label, .generic, .persistentReference]
    case .internetPassword: [.account, .server, .securityDomain, .path, .label, .persistentReference]
    case .certificate: [.issuer, .serialNumber, .subject, .subjectKeyID, .publicKeyHash, .label, .persistentReference]
    case .key: [.applicationLabel, .applicationTag, .label, .persistentReference]
    }
  }
}
