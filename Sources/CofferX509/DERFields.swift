internal import Foundation
internal import SwiftASN1

/// The fields of a certificate's signed part, in their order.
struct DERFields {
  private var nodes: [ASN1Node]
  private var position = 0

  init(certificate der: [UInt8]) throws(CertificateError) {
    let parts = try Self.children(of: Self.parse(der, "certificate"), .sequence, "certificate")
    guard parts.count == 3 else { throw CertificateError(.malformed, "certificate") }
    nodes = try Self.children(of: parts[0], .sequence, "signed part")
  }

  /// What was not read yet.
  var rest: [ASN1Node] { Array(nodes[position...]) }

  mutating func next(_ field: String) throws(CertificateError) -> ASN1Node {
    guard position < nodes.count else { throw CertificateError(.malformed, field) }
    defer { position += 1 }
    return nodes[position]
  }

  /// The version, 1 where it is left out.
  mutating func version() throws(CertificateError) -> Int {
    let tag = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
    guard let node = nodes.first, node.identifier == tag else { return 1 }
    position = 1
    let inner = try Self.children(of: node, tag, "version")
    guard inner.count == 1, let number = try Self.primitive(inner[0], .integer, "version").first, number <= 2 else {
      throw CertificateError(.malformed, "version")
    }
    return Int(number) + 1
  }

  mutating func integer(_ field: String) throws(CertificateError) -> [UInt8] {
    let bytes = try Self.primitive(next(field), .integer, field)
    guard !bytes.isEmpty else { throw CertificateError(.malformed, field) }
    return bytes
  }

  mutating func validity() throws(CertificateError) -> (from: Date, to: Date) {
    let times = try Self.children(of: next("validity"), .sequence, "validity")
    guard times.count == 2 else { throw CertificateError(.malformed, "validity") }
    return (try Self.time(times[0]), try Self.time(times[1]))
  }

  private static func time(_ node: ASN1Node) throws(CertificateError) -> Date {
    var parts = DateComponents()
    do {
      if node.identifier == .utcTime {
        let time = try UTCTime(derEncoded: node)
        (parts.year, parts.month, parts.day) = (time.year, time.month, time.day)
        (parts.hour, parts.minute, parts.second) = (time.hours, time.minutes, time.seconds)
      } else {
        let time = try GeneralizedTime(derEncoded: node)
        (parts.year, parts.month, parts.day) = (time.year, time.month, time.day)
        (parts.hour, parts.minute, parts.second) = (time.hours, time.minutes, time.seconds)
      }
    } catch {
      throw CertificateError(.malformed, "validity")
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    guard let date = calendar.date(from: parts) else { throw CertificateError(.malformed, "validity") }
    return date
  }

  // MARK: Nodes

  static func parse(_ bytes: [UInt8], _ field: String) throws(CertificateError) -> ASN1Node {
    do { return try DER.parse(bytes) } catch { throw CertificateError(.malformed, field) }
  }

  static func children(
    of node: ASN1Node, _ identifier: ASN1Identifier, _ field: String
  ) throws(CertificateError) -> [ASN1Node] {
    guard node.identifier == identifier, case .constructed(let nodes) = node.content else {
      throw CertificateError(.malformed, field)
    }
    return Array(nodes)
  }

  static func primitive(
    _ node: ASN1Node, _ identifier: ASN1Identifier, _ field: String
  ) throws(CertificateError) -> [UInt8] {
    guard node.identifier == identifier, case .primitive(let bytes) = node.content else {
      throw CertificateError(.malformed, field)
    }
    return Array(bytes)
  }

  static func objectIdentifier(_ node: ASN1Node, _ field: String) throws(CertificateError) -> ASN1ObjectIdentifier {
    do { return try ASN1ObjectIdentifier(derEncoded: node) } catch { throw CertificateError(.malformed, field) }
  }

  /// The bits of a BIT STRING of whole bytes.
  static func bits(_ node: ASN1Node, _ field: String) throws(CertificateError) -> [UInt8] {
    let bytes = try primitive(node, .bitString, field)
    guard bytes.first == 0 else { throw CertificateError(.malformed, field) }
    return Array(bytes.dropFirst())
  }
}
