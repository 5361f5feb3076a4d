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
