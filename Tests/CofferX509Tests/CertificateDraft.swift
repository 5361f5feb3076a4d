/// A certificate assembled field by field, to contain what no issuer would sign. Its signature is not valid.
struct CertificateDraft {
  /// 65 bytes in the form of a P-256 point; they need not lie on the curve.
  static let point: [UInt8] = [4] + Array(repeating: 7, count: 64)
  static let ecPublicKey: [UInt8] = tlv(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1])
  static let p256: [UInt8] = tlv(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7])
  static let algorithm = tlv(0x30, tlv(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2]))

  var version: [UInt8] = tlv(0xA0, tlv(0x02, [2]))
  var serialNumber: [UInt8] = tlv(0x02, [1])
  var issuer = name((commonName, utf8String("issuer")))
  var notBefore = utcTime("200101000000Z")
  var notAfter = utcTime("300101000000Z")
  var subject = name((commonName, utf8String("subject")))
  var publicKey = tlv(0x30, tlv(0x30, ecPublicKey + p256) + tlv(0x03, [0] + point))
  /// The unique identifiers.
  var identifiers: [UInt8] = []
  /// The extensions, each with its SEQUENCE; if empty, the field is left out.
  var extensions: [[UInt8]] = []
  /// The bytes after the last known field.
  var surplus: [UInt8] = []
  var signature = tlv(0x03, [0, 1, 2, 3])

  var der: [UInt8] {
    let list =
      extensions.isEmpty ? [] : tlv(0xA3, tlv(0x30, Array(extensions.joined())))
    let validity = tlv(0x30, notBefore + notAfter)
    let fields = [
      version, serialNumber, Self.algorithm, issuer, validity, subject, publicKey, identifiers, list, surplus,
    ]
    let body = tlv(0x30, Array(fields.joined()))
    return tlv(0x30, body + Self.algorithm + signature)
  }

  /// Returns an extension of id-ce.
  static func `extension`(_ number: UInt8, _ value: [UInt8], critical: [UInt8] = []) -> [UInt8] {
    tlv(
      0x30, tlv(0x06, [0x55, 0x1D, number]) + critical + tlv(0x04, value))
  }
}

/// Returns one DER value.
func tlv(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
  switch content.count {
  case ..<0x80: [tag, UInt8(content.count)] + content
  case ..<0x100: [tag, 0x81, UInt8(content.count)] + content
  case ..<0x10000: [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
  default:
    [tag, 0x83, UInt8(content.count >> 16), UInt8(content.count >> 8 & 0xFF), UInt8(content.count & 0xFF)] + content
  }
}

let commonName: [UInt8] = [0x55, 4, 3]
let organization: [UInt8] = [0x55, 4, 10]
let organizationalUnit: [UInt8] = [0x55, 4, 11]
let descriptionAttribute: [UInt8] = [0x55, 4, 13]
let country: [UInt8] = [0x55, 4, 6]
let locality: [UInt8] = [0x55, 4, 7]
let emailAddress: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]

/// Returns a name of relative names of one attribute each.
func name(_ attributes: ([UInt8], [UInt8])...) -> [UInt8] {
  tlv(0x30, attributes.flatMap { tlv(0x31, attribute($0.0, $0.1)) })
}

func attribute(_ type: [UInt8], _ value: [UInt8]) -> [UInt8] { tlv(0x30, tlv(0x06, type) + value) }
func utf8String(_ text: String) -> [UInt8] { tlv(0x0C, Array(text.utf8)) }
func printableString(_ text: String) -> [UInt8] { tlv(0x13, Array(text.utf8)) }
func ia5String(_ text: String) -> [UInt8] { tlv(0x16, Array(text.utf8)) }
func utcTime(_ text: String) -> [UInt8] { tlv(0x17, Array(text.utf8)) }
func generalizedTime(_ text: String) -> [UInt8] { tlv(0x18, Array(text.utf8)) }
