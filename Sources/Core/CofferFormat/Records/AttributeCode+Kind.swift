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
