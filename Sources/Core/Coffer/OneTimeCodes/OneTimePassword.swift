internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The seed from which the one-time codes of an account are computed, as apps for two-factor authentication keep it.
///
///     password.oneTimePassword = try OneTimePassword(uri: "otpauth://totp/Example:jane?secret=JBSWY3DPEHPK3PXP")
///     try vault.set("s3cret", for: password)
///
/// The product `CofferOneTimeCodes` computes the codes: `try vault.storedItem(for: password)?.oneTimeCode()`. They are
/// those of RFC 6238 (TOTP). Codes by a counter (HOTP, RFC 4226) are not supported: two machines that have not synced
/// would use the same counter twice.
public struct OneTimePassword: Hashable, Sendable {
  /// The hash function of the codes.
  public enum Algorithm: String, CaseIterable, Sendable {
    /// HMAC with SHA-1, which almost every server uses.
    case sha1 = "SHA1"
    /// HMAC with SHA-256.
    case sha256 = "SHA256"
    /// HMAC with SHA-512.
    case sha512 = "SHA512"
  }

  /// The numbers of digits that a code can have: 6, 7 or 8.
  public static let digitCounts = 6...8
  /// The number of seconds for which a code can be valid: from 1 to a million.
  public static let periods = 1...1_000_000
  /// The sizes that a seed can have, in bytes.
  static let seedByteCounts = 1...1_024

  /// The hash function.
  public let algorithm: Algorithm
  /// The number of digits of a code.
  public let digitCount: Int
  /// The number of seconds for which a code is valid.
  public let period: Int
  /// The service that checks the codes; empty if it is not named.
  public let issuer: String
  /// The account at the service; empty if it is not named.
  public let account: String
  package let seed: [UInt8]

  /// Creates a seed from the text that a service shows: Base32 (RFC 4648).
  ///
  /// - Parameters:
  ///   - seed: 1 to 1,024 bytes in Base32, in upper or lower case. Spaces, hyphens and the padding at the end are
  ///     ignored.
  ///   - algorithm: The hash function; SHA-1 by default.
  ///   - digitCount: The number of digits of a code, from 6 to 8; 6 by default.
  ///   - period: The number of seconds for which a code is valid, from 1 to 1,000,000; 30 by default.
  ///   - issuer: The service that checks the codes; empty by default.
  ///   - account: The account at the service; empty by default.
  /// - Throws: ``VaultError``: `invalidArgument`, also if the address with all of it would have more than 4,296 bytes.
  ///   The error does not repeat the seed.
  public init(
    seed: String, algorithm: Algorithm = .sha1, digitCount: Int = 6, period: Int = 30, issuer: String = "",
    account: String = ""
  ) throws(VaultError) {
    guard let bytes = Base32.decode(seed), Self.seedByteCounts.contains(bytes.count) else {
      throw VaultError(
        .invalidArgument, "the seed of the one-time codes is not Base32",
        recoverySuggestion: "give the letters and the digits 2 to 7 that the service shows, or its otpauth:// address")
    }
    try self.init(bytes, algorithm, digitCount, period, issuer, account)
  }

  init(
    _ seed: [UInt8], _ algorithm: Algorithm, _ digitCount: Int, _ period: Int, _ issuer: String, _ account: String
  ) throws(VaultError) {
    guard Self.digitCounts.contains(digitCount) else {
      throw VaultError(
        .invalidArgument, "one-time codes cannot have \(digitCount) digits",
        recoverySuggestion: "choose 6, 7 or 8, as the service says")
    }
    guard Self.periods.contains(period) else {
      throw VaultError(
        .invalidArgument, "one-time codes cannot be valid for \(period) seconds",
        recoverySuggestion: "choose a number from 1 to 1000000, as the service says")
    }
    self.seed = seed
    self.algorithm = algorithm
    self.digitCount = digitCount
    self.period = period
    self.issuer = issuer
    self.account = account
    // What is stored is the address, which has to be read again.
    guard uri.utf8.count <= Self.maximumURIByteCount else {
      throw VaultError(
        .invalidArgument, "the address of the one-time codes has more than \(Self.maximumURIByteCount) bytes",
        recoverySuggestion: "give an otpauth:// address with shorter names of the service and the account")
    }
  }
}

extension OneTimePassword: CustomStringConvertible, CustomReflectable {
  /// The parameters, without the seed, for logs and debuggers.
  public var description: String { "OneTimePassword(\(digitCount) digits, \(period) seconds, \(algorithm.rawValue))" }

  /// The parameters, without the seed.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The addresses that services show as a QR code: `otpauth://totp/ISSUER:ACCOUNT?secret=SEED&…`.
extension OneTimePassword {
  private static let scheme = "otpauth"
  /// A QR code has at most 4,296 characters.
  static let maximumURIByteCount = 4_296

  /// Creates a seed from an address. What it does not say is SHA-1, 6 digits and 30 seconds.
  ///
  /// - Parameter uri: An address with the scheme `otpauth` and the type `totp`.
  /// - Throws: ``VaultError``: `invalidArgument` for another address, for a parameter that is given twice, and for
  ///   codes by a counter. The error does not repeat the address, which has the seed.
  public init(uri: String) throws(VaultError) {
    guard uri.utf8.count <= Self.maximumURIByteCount, let parts = URLComponents(string: uri),
      parts.scheme?.lowercased() == Self.scheme, let type = parts.host?.lowercased()
    else { throw Self.malformed("it does not begin with otpauth://totp/") }
    guard type == "totp" else {
      throw type == "hotp"
        ? VaultError(
          .invalidArgument, "codes by a counter (HOTP) are not supported: two machines would use one of them twice",
          recoverySuggestion: "choose codes by time (TOTP) at the service")
        : Self.malformed("its type is not totp")
    }
    var parameters: [String: String] = [:]
    for item in parts.queryItems ?? [] {
      guard parameters.updateValue(item.value ?? "", forKey: item.name.lowercased()) == nil else {
        throw Self.malformed("a parameter is given twice")
      }
    }
    guard parameters["encoder"]?.isEmpty ?? true else {
      throw VaultError(
        .invalidArgument, "the codes of this service are of its own kind, with letters",
        recoverySuggestion: "use the app of the service for them")
    }
    guard let seed = parameters["secret"].flatMap(Base32.decode), Self.seedByteCounts.contains(seed.count) else {
      throw Self.malformed("its secret is not Base32")
    }
    let name = parameters["algorithm"].flatMap { $0.isEmpty ? nil : $0 } ?? Algorithm.sha1.rawValue
    guard let algorithm = Algorithm(rawValue: name.uppercased().replacing("-", with: "")) else {
      throw Self.malformed("its algorithm is none of SHA1, SHA256 and SHA512")
    }
    let label = Self.label(parts.percentEncodedPath.drop { $0 == "/" }, issuer: parameters["issuer"])
    try self.init(
      seed, algorithm, Self.number(parameters["digits"], or: 6), Self.number(parameters["period"], or: 30),
      label.issuer, label.account)
  }

  /// Returns the names in a label. The issuer that the parameter says counts; `uri` writes an empty one for an account
  /// with a colon.
  private static func label(_ path: Substring, issuer: String?) -> (issuer: String, account: String) {
    func decoded(_ text: Substring) -> String {
      PercentEscapes.decode(text).map { String(decoding: $0, as: UTF8.self) } ?? String(text)
    }
    func split(_ text: Substring) -> [Substring] {
      text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    }
    let (text, named) = (decoded(path), issuer ?? "")
    if !named.isEmpty, text.hasPrefix(named + ":") {
      return (named, text.dropFirst((named + ":").count).trimmedSpace)
    }
    var words = split(path).map(decoded)
    if words.count < 2, issuer?.isEmpty != true { words = split(text[...]).map(String.init) }
    guard words.count == 2 else { return (named, text.trimmedSpace) }
    return (named.isEmpty ? words[0].trimmedSpace : named, words[1].trimmedSpace)
  }

  /// The address, with the seed and all parameters. It is a secret.
  public var uri: String {
    func escaped(_ text: String) -> String { PercentEscapes.encode(text, except: PercentEscapes.unreserved) }
    let label = (issuer.isEmpty ? "" : escaped(issuer) + ":") + escaped(account)
    return "\(Self.scheme)://totp/\(label)?secret=\(Base32.encode(seed))&issuer=\(escaped(issuer))"
      + "&algorithm=\(algorithm.rawValue)&digits=\(digitCount)&period=\(period)"
  }

  private static func number(_ text: String?, or standard: Int) throws(VaultError) -> Int {
    guard let text, !text.isEmpty else { return standard }
    guard let number = Int(text) else { throw malformed("digits or period is no number") }
    return number
  }

  private static func malformed(_ reason: String) -> VaultError {
    VaultError(
      .invalidArgument, "this is no address of one-time codes: \(reason)",
      recoverySuggestion: "give the text of the QR code that the service shows: otpauth://totp/NAME?secret=SEED")
  }
}

/// Base32 of RFC 4648, as people copy it from a web page.
enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Returns the bytes that a text stands for. White space, hyphens, the case of letters and the padding at the end do
  /// not matter, and neither do the bits of the last character that belong to no byte: services choose all characters
  /// at random. Returns nil for another character, and for a length that no number of bytes has.
  static func decode(_ text: String) -> [UInt8]? {
    let characters = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 > UInt8(ascii: " ") }
    let digits = characters.prefix { $0 != UInt8(ascii: "=") }
    guard characters.dropFirst(digits.count).allSatisfy({ $0 == UInt8(ascii: "=") }),
      [0, 2, 4, 5, 7].contains(digits.count % 8)
    else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for digit in digits {
      let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(digit) ? digit - 32 : digit
      guard let value = alphabet.firstIndex(of: upper) else { return nil }
      bits = bits << 5 | UInt32(value)
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return bytes
  }

  /// Returns bytes as text, without padding.
  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        text.append(alphabet[Int(bits >> UInt32(bitCount) & 31)])
      }
    }
    if bitCount > 0 { text.append(alphabet[Int(bits << UInt32(5 - bitCount) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }
}
