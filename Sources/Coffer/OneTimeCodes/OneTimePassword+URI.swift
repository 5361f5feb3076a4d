internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The addresses that services show as a QR code: `otpauth://totp/ISSUER:ACCOUNT?secret=SEED&…`.
extension OneTimePassword {
  private static let scheme = "otpauth"
  /// A QR code has at most 4,296 characters.
  private static let maximumURIByteCount = 4_296

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
    let label = parts.path.drop { $0 == "/" }.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let issuer = parameters["issuer"] ?? (label.count == 2 ? label[0].trimmedSpace : "")
    try self.init(
      seed, algorithm, Self.number(parameters["digits"], or: 6), Self.number(parameters["period"], or: 30), issuer,
      label.last.map { $0.trimmedSpace } ?? "")
  }

  /// The address, with the seed and all parameters. It is a secret.
  public var uri: String {
    func escaped(_ text: String) -> String { PercentEscapes.encode(text, except: PercentEscapes.unreserved) }
    let label = (issuer.isEmpty ? "" : escaped(issuer) + ":") + escaped(account)
    let issuer = issuer.isEmpty ? "" : "&issuer=\(escaped(issuer))"
    return "\(Self.scheme)://totp/\(label)?secret=\(Base32.encode(seed))\(issuer)"
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
