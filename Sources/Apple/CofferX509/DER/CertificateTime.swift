internal import CofferPlatform
internal import SwiftASN1

/// Reads the two time formats of certificates as profiled by RFC 5280 (4.1.2.5): in UTC, with seconds and without
/// fractions. A two-digit year is between 1950 and 2049.
enum CertificateTime {
  static func date(_ node: ASN1Node, _ part: String) throws(CertificateError) -> Date {
    // With these lengths, the time cannot have a fraction or an offset.
    if node.identifier == .utcTime, try node.content(as: .utcTime, part).count == 13 {
      do {
        let time = try UTCTime(derEncoded: node)
        return date(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
      } catch {
        throw CertificateError(.malformed, "\(part) is not a valid time")
      }
    }
    if node.identifier == .generalizedTime, try node.content(as: .generalizedTime, part).count == 15 {
      do {
        let time = try GeneralizedTime(derEncoded: node)
        return date(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
      } catch {
        throw CertificateError(.malformed, "\(part) is not a valid time")
      }
    }
    throw CertificateError(.malformed, "\(part) is not a valid time")
  }

  private static func date(_ year: Int, _ month: Int, _ day: Int, _ hours: Int, _ minutes: Int, _ seconds: Int) -> Date
  {
    let days = daysBefore(year: year) + daysBefore(month: month, of: year) + day - 1 - daysBefore(year: 1970)
    return Date(timeIntervalSince1970: Double(((days * 24 + hours) * 60 + minutes) * 60 + seconds))
  }

  /// Returns the number of days from the start of the Gregorian year 0, a leap year, to the start of `year` (0…9999).
  private static func daysBefore(year: Int) -> Int {
    guard year > 0 else { return 0 }
    let last = year - 1
    return 365 * year + last / 4 - last / 100 + last / 400 + 1
  }

  private static func daysBefore(month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return lengths.prefix(month - 1).reduce(0, +)
  }
}
