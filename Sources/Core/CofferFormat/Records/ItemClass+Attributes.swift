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
