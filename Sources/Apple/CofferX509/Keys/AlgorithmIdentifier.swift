internal import SwiftASN1

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
