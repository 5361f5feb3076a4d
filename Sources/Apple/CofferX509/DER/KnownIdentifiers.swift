/// The content bytes of the object identifiers that Coffer recognises.
enum KnownIdentifiers {
  /// 2.5.4.3
  static let commonName: [UInt8] = [0x55, 4, 3]
  /// 2.5.4.10
  static let organization: [UInt8] = [0x55, 4, 10]
  /// 2.5.4.11
  static let organizationalUnit: [UInt8] = [0x55, 4, 11]
  /// 2.5.4.13
  static let description: [UInt8] = [0x55, 4, 13]
  /// 1.2.840.113549.1.9.1
  static let emailAddress: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]

  /// 2.5.29.14
  static let subjectKeyIdentifier: [UInt8] = [0x55, 0x1D, 14]
  /// 2.5.29.15
  static let keyUsage: [UInt8] = [0x55, 0x1D, 15]
  /// 2.5.29.17
  static let subjectAlternativeName: [UInt8] = [0x55, 0x1D, 17]
  /// 2.5.29.19
  static let basicConstraints: [UInt8] = [0x55, 0x1D, 19]
  /// 2.5.29.37
  static let extendedKeyUsage: [UInt8] = [0x55, 0x1D, 37]

  /// 1.2.840.113549.1.1.1
  static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]
  /// 1.2.840.113549.1.5, before the schemes that encrypt with a passphrase
  static let pkcs5: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5]
  /// The names of keys that the Keychain has no number for.
  static let otherKeys: [[UInt8]: String] = [
    [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10]: "RSA-PSS", [0x2A, 0x86, 0x48, 0xCE, 0x38, 4, 1]: "DSA",
    [0x2B, 0x65, 110]: "X25519", [0x2B, 0x65, 111]: "X448", [0x2B, 0x65, 112]: "Ed25519", [0x2B, 0x65, 113]: "Ed448",
  ]
  /// 1.2.840.10045.2.1
  static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]
  /// 1.2.840.10045.3.1.7
  static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]
  /// 1.3.132.0.34
  static let p384: [UInt8] = [0x2B, 0x81, 4, 0, 34]
  /// 1.3.132.0.35
  static let p521: [UInt8] = [0x2B, 0x81, 4, 0, 35]
}
