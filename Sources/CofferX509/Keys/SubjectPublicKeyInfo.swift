internal import Crypto
internal import SwiftASN1

#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

/// The public key of a certificate: its algorithm, and the key as the algorithm encodes it.
package struct SubjectPublicKeyInfo: Sendable, Hashable {
  /// The content bytes of the algorithm's object identifier.
  package let algorithm: [UInt8]
  /// The algorithm's parameters as DER; nil where there are none.
  package let parameters: [UInt8]?
  /// The content of the BIT STRING: a PKCS#1 public key for RSA, an X9.63 point for elliptic curves.
  package let keyBits: [UInt8]
  /// What kind of key it is; `other` too for a key that its algorithm could not have encoded so.
  package let kind: KeyKind

  init(_ node: ASN1Node) throws(CertificateError) {
    var fields = try DERFields(of: node, "the subject's public key")
    let identifier = try AlgorithmIdentifier(fields.required(), "the public key's algorithm")
    algorithm = identifier.algorithm
    parameters = identifier.parameters.map { Array($0.encodedBytes) }
    keyBits = Array(try fields.required().wholeBytes("the public key"))
    try fields.end()
    kind = KeyKind(identifier, keyBits: keyBits)
  }

  /// The SHA-1 hash of `keyBits`, by which the Keychain joins a certificate with its private key:
  /// `kSecAttrPublicKeyHash` of the one, `kSecAttrApplicationLabel` of the other.
  package var hash: [UInt8] { Array(Insecure.SHA1.hash(data: keyBits)) }
}

/// An algorithm and its parameters.
struct AlgorithmIdentifier {
  let algorithm: [UInt8]
  let parameters: ASN1Node?

  init(_ node: ASN1Node, _ part: String) throws(CertificateError) {
    var fields = try DERFields(of: node, part)
    algorithm = try fields.required().objectIdentifier(part)
    parameters = fields.next()
    try fields.end()
  }
}
