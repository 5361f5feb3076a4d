internal import SwiftASN1

/// The fields of one SEQUENCE or SET, read in order.
///
/// What swift-asn1 guarantees below this: definite and minimal lengths, no more than 50 levels, nothing cut off. What
/// is read here is the structure, so that each error names the part that it is in.
struct DERFields {
  private var remaining: ASN1NodeCollection.Iterator
  private let part: String

  /// - Parameter part: names the structure in errors; never anything from the bytes.
  init(
    of node: ASN1Node, as identifier: ASN1Identifier = .sequence, _ part: String
  ) throws(CertificateError) {
    guard node.identifier == identifier, case .constructed(let children) = node.content else {
      throw CertificateError(.malformed, "\(part) has the wrong type")
    }
    remaining = children.makeIterator()
    self.part = part
  }

  /// The next field, whatever it is; nil at the end.
  mutating func next() -> ASN1Node? { remaining.next() }

  /// The next field, which must be there.
  mutating func required() throws(CertificateError) -> ASN1Node {
    guard let node = next() else { throw CertificateError(.malformed, "\(part) ends too early") }
    return node
  }

  /// The next field where it has this tag; otherwise nil, and nothing is consumed.
  mutating func optional(_ identifier: ASN1Identifier) -> ASN1Node? {
    var ahead = remaining
    guard let node = ahead.next(), node.identifier == identifier else { return nil }
    remaining = ahead
    return node
  }

  /// Refuses fields that are left over.
  mutating func end() throws(CertificateError) {
    guard next() == nil else { throw CertificateError(.malformed, "\(part) has a field too many") }
  }
}

extension ASN1Node {
  /// The one DER value that the bytes are, to their last byte.
  static func root(of bytes: ArraySlice<UInt8>, _ part: String) throws(CertificateError) -> ASN1Node {
    do {
      return try DER.parse(bytes)
    } catch {
      // The underlying error may quote what it stumbled on.
      throw CertificateError(.malformed, "\(part) is not DER")
    }
  }

  /// The content of a primitive value with this tag.
  func content(as identifier: ASN1Identifier, _ part: String) throws(CertificateError) -> ArraySlice<UInt8> {
    guard self.identifier == identifier, case .primitive(let bytes) = content else {
      throw CertificateError(.malformed, "\(part) has the wrong type")
    }
    return bytes
  }

  /// The content bytes of an INTEGER: two's complement, big-endian, minimal.
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

  /// The bytes of a BIT STRING that is a whole number of bytes, as keys and signatures are.
  func wholeBytes(_ part: String) throws(CertificateError) -> ArraySlice<UInt8> {
    let bytes = try content(as: .bitString, part)
    guard bytes.first == 0 else { throw CertificateError(.malformed, "\(part) is not a whole number of bytes") }
    return bytes.dropFirst()
  }

  /// The content bytes of an OBJECT IDENTIFIER. Its components may be of any size: those of 2.25 exceed 64 bits.
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
