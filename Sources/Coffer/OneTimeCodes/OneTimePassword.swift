public import CofferPlatform
internal import CofferVault
internal import Crypto

/// The seed from which the one-time codes of an account are computed, as apps for two-factor authentication keep it.
///
///     password.oneTimePassword = try OneTimePassword(uri: "otpauth://totp/Example:jane?secret=JBSWY3DPEHPK3PXP")
///     try vault.set("s3cret", for: password)
///     let code = try vault.storedItem(for: password)?.oneTimeCode()
///
/// Codes are those of RFC 6238 (TOTP). Codes by a counter (HOTP, RFC 4226) are not supported: two machines that have not
/// synced would use the same counter twice.
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
  let seed: [UInt8]

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

  /// Returns the code that is valid at a time.
  ///
  /// - Parameter date: The time, by default now; a time before 1970 counts as its beginning.
  /// - Returns: The code, with the time for which it is valid.
  public func code(at date: Date = Date()) -> OneTimeCode {
    // Exact in a Double, and later than any date that a calendar has.
    let time = date.timeIntervalSince1970
    let seconds = time > 0 ? UInt64(min(time, 1e15)) : 0
    let counter = seconds / UInt64(period)
    let start = Date(timeIntervalSince1970: Double(counter * UInt64(period)))
    return OneTimeCode(
      text: code(counter: counter), validFrom: start, validUntil: start.addingTimeInterval(Double(period)))
  }

  /// Returns the code for a counter: HOTP of RFC 4226.
  package func code(counter: UInt64) -> String {
    let code = authenticationCode(of: counter)
    // "Dynamic truncation": the last four bits say where the number is.
    let offset = Int((code.last ?? 0) & 0x0F)
    let number = code[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let limit: UInt32 = [6: 1_000_000, 7: 10_000_000][digitCount] ?? 100_000_000
    let digits = String(number % limit)
    return String(repeating: "0", count: digitCount - digits.count) + digits
  }

  private func authenticationCode(of counter: UInt64) -> [UInt8] {
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) }
    let key = Crypto.SymmetricKey(data: seed)
    return switch algorithm {
    case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: key))
    case .sha256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    case .sha512: Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key))
    }
  }
}

extension OneTimePassword: CustomStringConvertible, CustomReflectable {
  /// The parameters, without the seed, for logs and debuggers.
  public var description: String { "OneTimePassword(\(digitCount) digits, \(period) seconds, \(algorithm.rawValue))" }

  /// The parameters, without the seed.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
