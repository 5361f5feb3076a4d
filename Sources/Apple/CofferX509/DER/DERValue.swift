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
