internal import CofferVault

/// The seed from which the one-time codes of an account are computed, as apps for two-factor authentication keep it.
///
///     password.oneTimePassword = try OneTimePassword(uri: "otpauth://totp/Example:jane?secret=JBSWY3DPEHPK3PXP")
///     try vault.set("s3cret", for: password)
///
/// The product `CofferOneTimeCodes` computes the codes: `try vault.storedItem(for: password)?.oneTimeCode()`. They are those
/// of RFC 6238 (TOTP). Codes by a counter (HOTP, RFC 4226) are not supported: two machines that have not synced would use the same
/// counter twice.
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
  ///   - seed: 1 to 1,024 bytes in Base32, in upper or lower case. Spaces, hyphens and the padding at the end are ignored.
  ///   - algorithm: The hash function; SHA-1 by default.
  ///   - digitCount: The number of digits of a code, from 6 to 8; 6 by default.
  ///   - period: The number of seconds for which a code is valid, from 1 to 1,000,000; 30 by default.
  ///   - issuer: The service that checks the codes; empty by default.
  ///   - account: The account at the service; empty by default.
  /// - Throws: ``VaultError``: `invalidArgument`, also if the address with all of it would have more than 4,296 bytes. The
  ///   error does not repeat the seed.
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
