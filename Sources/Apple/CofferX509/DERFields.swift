internal import CofferPlatform
internal import SwiftASN1

/// The fields of one SEQUENCE or SET, read in order.
///
/// swift-asn1 guarantees definite and minimal lengths, at most 50 levels, and complete values. The structure is checked
/// here, so that each error names the affected part.
struct DERFields {
  private var remaining: ASN1NodeCollection.Iterator
  private let part: String

  /// Creates a reader of the fields of a SEQUENCE or SET. `part` is the name of the structure in errors, and must not
  /// contain anything from the bytes. Throws `malformed` if the node has another tag or is primitive.
  init(
    of node: ASN1Node, as identifier: ASN1Identifier = .sequence, _ part: String
  ) throws(CertificateError) {
    guard node.identifier == identifier, case .constructed(let children) = node.content else {
      throw CertificateError(.malformed, "\(part) has the wrong type")
    }
    remaining = children.makeIterator()
    self.part = part
  }

  /// Returns the next field of any type; nil at the end.
  mutating func next() -> ASN1Node? { remaining.next() }

  /// Returns the next field. Throws `malformed` at the end.
  mutating func required() throws(CertificateError) -> ASN1Node {
    guard let node = next() else { throw CertificateError(.malformed, "\(part) ends too early") }
    return node
  }

  /// Returns the next field if it has this tag; otherwise returns nil and consumes nothing.
  mutating func optional(_ identifier: ASN1Identifier) -> ASN1Node? {
    var ahead = remaining
    guard let node = ahead.next(), node.identifier == identifier else { return nil }
    remaining = ahead
    return node
  }

  /// Verifies that all fields were read.
  mutating func end() throws(CertificateError) {
    guard next() == nil else { throw CertificateError(.malformed, "\(part) has too many fields") }
  }
}

extension ASN1Node {
  /// Parses bytes that are exactly one DER value.
  static func root(of bytes: ArraySlice<UInt8>, _ part: String) throws(CertificateError) -> ASN1Node {
    do {
      return try DER.parse(bytes)
    } catch {
      // The underlying error may quote the bytes that it rejected.
      throw CertificateError(.malformed, "\(part) is not DER")
    }
  }

  /// Returns the content of a primitive value with this tag.
  func content(as identifier: ASN1Identifier, _ part: String) throws(CertificateError) -> ArraySlice<UInt8> {
    guard self.identifier == identifier, case .primitive(let bytes) = content else {
      throw CertificateError(.malformed, "\(part) has the wrong type")
    }
    return bytes
  }

  /// Returns the content bytes of an INTEGER: two's complement, big-endian, minimal.
  func integer(_ part: String) throws(CertificateError) -> ArraySlice<UInt8> {
    let bytes = try content(as: .integer, part)
    guard let first = bytes.first else { throw CertificateError(.malformed, "\(part) is empty") }
    if let second = bytes.dropFirst().first {
      guard !(first == 0 && second < 0x80), !(first == 0xFF && second >= 0x80) else {
        throw CertificateError(.malformed, "\(part) is not minimal")
      }
    }
    return bytes
  }

  /// Returns the bytes of a BIT STRING that is a whole number of bytes, as keys and signatures are.
  func wholeBytes(_ part: String) throws(CertificateError) -> ArraySlice<UInt8> {
    let bytes = try content(as: .bitString, part)
    guard bytes.first == 0 else { throw CertificateError(.malformed, "\(part) is not a whole number of bytes") }
    return bytes.dropFirst()
  }

  /// Returns the content bytes of an OBJECT IDENTIFIER. Components may be of any size: those below 2.25 exceed 64 bits.
  func objectIdentifier(_ part: String) throws(CertificateError) -> [UInt8] {
    let bytes = try content(as: .objectIdentifier, part)
    var starts = true
    for byte in bytes {
      guard !(starts && byte == 0x80) else { throw CertificateError(.malformed, "\(part) is not minimal") }
      starts = byte < 0x80
    }
    guard !bytes.isEmpty, starts else { throw CertificateError(.malformed, "\(part) is incomplete") }
    return Array(bytes)
  }
}

/// Encodes DER values whose content is already encoded.
enum DERValue {
  /// Returns a DER value: tag, minimal length and content.
  static func encoding(tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
    var length: [UInt8] = []
    if content.count < 0x80 {
      length = [UInt8(content.count)]
    } else {
      var rest = content.count
      while rest > 0 {
        length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
        rest >>= 8
      }
      length.insert(0x80 | UInt8(length.count), at: 0)
    }
    return [tag] + length + content
  }

  static let integer: UInt8 = 0x02
  static let octetString: UInt8 = 0x04
  static let null: UInt8 = 0x05
  static let objectIdentifier: UInt8 = 0x06
  static let printableString: UInt8 = 0x13
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31
}

/// Reads the two time formats of certificates as profiled by RFC 5280 (4.1.2.5): in UTC, with seconds and without
/// fractions. A two-digit year is between 1950 and 2049.
enum CertificateTime {
  static func date(_ node: ASN1Node, _ part: String) throws(CertificateError) -> Date {
    do {
      // With these lengths, the time cannot have a fraction or an offset.
      if node.identifier == .utcTime, try node.content(as: .utcTime, part).count == 13 {
        let time = try UTCTime(derEncoded: node)
        return date(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
      }
      if node.identifier == .generalizedTime, try node.content(as: .generalizedTime, part).count == 15 {
        let time = try GeneralizedTime(derEncoded: node)
        return date(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
      }
    } catch let error as CertificateError {
      throw error
    } catch {}
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
