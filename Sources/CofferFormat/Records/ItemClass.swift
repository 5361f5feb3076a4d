/// A code of four ASCII characters as a number, the way Apple writes attribute and class names.
package func fourCharacterCode(_ text: StaticString) -> UInt32 {
  let bytes = Array(text.description.utf8)
  precondition(bytes.count == 4, "a code has four characters")
  return fourCharacterCode(bytes)
}

/// The number whose big-endian bytes these are, four of them.
package func fourCharacterCode(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

/// The four characters of a code.
package func fourCharacters(of code: UInt32) -> [UInt8] {
  stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }
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
