internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferSystem
internal import CofferVault
internal import CofferX509

/// The values of attributes in plain words.
enum AttributeWords {
  /// Returns a value of any type without a meaning of its own.
  static func plain(_ value: AttributeValue) -> String {
    switch value {
    case .string(let text): text
    case .data(let bytes): data(bytes)
    case .number(let number): "\(number)"
    case .date(let date): date.date.localText
    }
  }

  /// Returns bytes as text, if they are text that can be shown, and otherwise in hexadecimal.
  static func data(_ bytes: [UInt8]) -> String {
    if bytes.isEmpty { return "empty" }
    if let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.allSatisfy(\.isSafeForTerminal) {
      return text
    }
    return hexadecimalPairs(bytes)
  }

  /// The number of bytes that are shown in hexadecimal.
  private static let shownByteCount = 256

  /// Returns bytes as pairs of hexadecimal digits: `0a:1b`. Of very many, the first ones.
  static func hexadecimalPairs(_ bytes: some Collection<UInt8>) -> String {
    let pairs = bytes.prefix(shownByteCount).map { hexadecimal([$0]) }.joined(separator: ":")
    return bytes.count > shownByteCount ? "\(pairs)… (\(bytes.count) bytes)" : pairs
  }

  static func distinguishedName(_ normalizedContent: [UInt8]) -> String {
    guard let name = DistinguishedName(normalizedContent: normalizedContent) else {
      return hexadecimalPairs(normalizedContent)
    }
    return name.parts.isEmpty ? "empty" : name.line
  }

  // MARK: One-time codes

  /// Returns the parameters of one-time codes, without their seed.
  static func oneTimePassword(_ value: AttributeValue) -> String {
    guard let password = value.text.flatMap({ try? OneTimePassword(uri: $0) }) else { return "damaged" }
    return "\(password.digitCount) digits, every \(password.period) seconds"
  }

  /// Returns what stands for a secret when versions are compared: another text in each process.
  static func comparison(of secret: AttributeValue) -> String {
    comparisonKey.keyedHash16(secret.matchBytes, domain: comparison).hex
  }

  private static let comparisonKey = SymmetricKey.random()
  private static let comparison = Domain("coffer.compare.1")

  // MARK: Accessibility and protection

  static func accessibility(_ value: AttributeValue) -> String {
    value.text.flatMap { ItemAccessibility(rawValue: $0) }.map { accessibility($0) } ?? plain(value)
  }

  static func accessibility(_ accessibility: ItemAccessibility) -> String {
    let time =
      switch accessibility {
      case .whenUnlocked, .whenUnlockedThisDeviceOnly: "when unlocked"
      case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: "after the first unlock"
      case .always, .alwaysThisDeviceOnly: "always"
      case .whenPasscodeSetThisDeviceOnly: "when unlocked and a passphrase is set"
      }
    return accessibility.isThisDeviceOnly ? "\(time); stays on this machine" : time
  }

  static func accessControl(_ value: AttributeValue) -> String {
    guard let control = try? AccessControl(bytes: value.matchBytes) else {
      return "unknown conditions: written by a newer Coffer, or damaged"
    }
    let conditions = ValueGuard(control).conditions
    return conditions.isEmpty ? "no conditions" : "requires \(conditions.joined(separator: " and "))"
  }

  // MARK: Codes of internet passwords

  static func internetProtocol(_ value: AttributeValue) -> String? { name(of: value, in: protocols) }

  static func authenticationType(_ value: AttributeValue) -> String? { name(of: value, in: authenticationTypes) }

  private static func name(of value: AttributeValue, in names: [(code: String, name: String)]) -> String? {
    guard !value.isDefault else { return nil }
    let code = value.text ?? ""
    return names.first { $0.code == code }?.name ?? plain(value)
  }

  static let protocols: [(code: String, name: String)] = [
    ("", "none"), ("htps", "HTTPS"), ("http", "HTTP"), ("ssh ", "SSH"), ("ftps", "FTPS"), ("ftp ", "FTP"),
    ("ftpa", "FTP account"), ("imps", "IMAPS"), ("imap", "IMAP"), ("smtp", "SMTP"), ("pops", "POP3S"),
    ("pop3", "POP3"), ("ldps", "LDAPS"), ("ldap", "LDAP"), ("smb ", "SMB"), ("afp ", "AFP"), ("ntps", "NNTPS"),
    ("nntp", "NNTP"), ("ircs", "IRCS"), ("irc ", "IRC"), ("tels", "TelnetS"), ("teln", "Telnet"), ("sox ", "SOCKS"),
    ("htpx", "HTTP proxy"), ("htsx", "HTTPS proxy"), ("ftpx", "FTP proxy"), ("rtsp", "RTSP"), ("rtsx", "RTSP proxy"),
    ("atlk", "AppleTalk"), ("daap", "DAAP"), ("eppc", "EPPC"), ("ipp ", "IPP"),
  ]

  static let authenticationTypes: [(code: String, name: String)] = [
    ("", "none"), ("dflt", "default"), ("http", "HTTP Basic"), ("httd", "HTTP Digest"), ("form", "HTML form"),
    ("ntlm", "NTLM"), ("msna", "MSN"), ("dpaa", "DPA"), ("rpaa", "RPA"),
  ]
}

/// Keys in plain words.
enum KeyWords {
  static func kind(_ value: AttributeValue) -> String {
    switch value.number.flatMap({ Int(exactly: $0) }).flatMap({ KeychainKey.Kind(rawValue: $0) }) {
    case .private: "private"
    case .public: "public"
    case .symmetric: "symmetric"
    case nil: AttributeWords.plain(value)
    }
  }

  static func algorithm(_ value: AttributeValue) -> String {
    switch value.number.flatMap({ Int(exactly: $0) }).map({ KeychainKey.Algorithm(rawValue: $0) }) {
    case .rsa: "RSA"
    case .ellipticCurve: "elliptic curve (NIST)"
    case .aes: "AES"
    default: value.isDefault ? "unknown" : AttributeWords.plain(value)
    }
  }

  /// Returns what a key may be used to do, in one text.
  static func list(of usages: [String]) -> String {
    usages.isEmpty ? unstated : usages.joined(separator: ", ")
  }

  /// The text for what a key or a certificate does not say.
  static let unstated = "not stated"

  /// Returns kind, algorithm and size: "private, RSA, 2048 bits".
  static func summary(_ attributes: ItemAttributes) -> String? {
    let parts = [
      attributes[.keyClass].map { kind($0) },
      attributes[.type].flatMap { $0.isDefault ? nil : algorithm($0) },
      attributes[.keySizeInBits]?.number.flatMap { $0 > 0 ? "\($0) bits" : nil },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
