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
