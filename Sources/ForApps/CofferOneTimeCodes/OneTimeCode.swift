public import Coffer
public import CofferPlatform
internal import Crypto

/// A one-time code, and the time for which it is valid.
public struct OneTimeCode: Hashable, Sendable {
  /// The digits, with the zeros at the beginning.
  public let text: String
  /// When the code becomes valid.
  public let validFrom: Date
  /// When the next code replaces it. Most servers accept it a little longer.
  public let validUntil: Date

  /// Returns the number of seconds for which the code is still valid, rounded up; 0 when it is not valid any more.
  ///
  /// - Parameter date: The time; now by default.
  /// - Returns: The number of seconds.
  public func secondsLeft(at date: Date = Date()) -> Int {
    let seconds = validUntil.timeIntervalSince(date).rounded(.up)
    // Neither NaN nor infinity is an Int.
    return seconds > 0 ? Int(min(seconds, 1e15)) : 0
  }
}

extension OneTimePassword {
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

extension PasswordItem {
  /// Returns the one-time code of the account at a time.
  ///
  ///     let code = try vault.storedItem(for: password)?.oneTimeCode()?.text
  ///
  /// - Parameter date: The time; now by default.
  /// - Returns: The code; nil if the item has no `oneTimePassword`.
  public func oneTimeCode(at date: Date = Date()) -> OneTimeCode? { oneTimePassword?.code(at: date) }
}

extension StoredItem where Item: PasswordItem {
  /// Returns the one-time code of the account at a time.
  ///
  /// - Parameter date: The time; now by default.
  /// - Returns: The code; nil if the item has no `oneTimePassword`.
  public func oneTimeCode(at date: Date = Date()) -> OneTimeCode? { item.oneTimeCode(at: date) }
}
