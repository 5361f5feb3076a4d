internal import CofferPlatform
internal import Crypto
internal import SwiftASN1

/// The public key of a certificate: its algorithm, and the key in the algorithm's encoding.
package struct SubjectPublicKeyInfo: Sendable, Hashable {
  /// The content bytes of the algorithm's object identifier.
  package let algorithm: [UInt8]
  /// The algorithm's parameters as DER; nil if there are none.
  package let parameters: [UInt8]?
  /// The content of the BIT STRING: a PKCS#1 public key for RSA, an X9.63 point for elliptic curves.
  package let keyBits: [UInt8]
  /// The kind of the key. `other` also if the bits are not a valid encoding for the algorithm.
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

  /// The SHA-1 hash of `keyBits`, by which the Keychain matches a certificate with its private key:
  /// `kSecAttrPublicKeyHash` of the certificate, `kSecAttrApplicationLabel` of the key.
  package var hash: [UInt8] { Array(Insecure.SHA1.hash(data: keyBits)) }
}
