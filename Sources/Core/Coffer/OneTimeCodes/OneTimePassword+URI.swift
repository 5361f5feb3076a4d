internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The addresses that services show as a QR code: `otpauth://totp/ISSUER:ACCOUNT?secret=SEED&…`.
extension OneTimePassword {
  private static let scheme = "otpauth"
  /// A QR code has at most 4,296 characters.
  static let maximumURIByteCount = 4_296

  /// Creates a seed from an address. What it does not say is SHA-1, 6 digits and 30 seconds.
  ///
  /// - Parameter uri: An address with the scheme `otpauth` and the type `totp`.
  /// - Throws: ``VaultError``: `invalidArgument` for another address, for a parameter that is given twice, and for codes
  ///   by a counter. The error does not repeat the address, which has the seed.
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

  /// Returns the names in a label. The issuer that the parameter says counts; `uri` writes an empty one for an account with
  /// a colon.
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
