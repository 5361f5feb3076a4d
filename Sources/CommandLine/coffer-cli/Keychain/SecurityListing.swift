internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform

/// An item as macOS's `security` prints it.
enum SecurityListing {
  /// Returns the lines of an item without its password. The keychain is the folder of the vault.
  static func lines<Item: PasswordItem>(of found: StoredItem<Item>, in folder: String) -> [String] {
    let attributes = found.item._fields.attributes
    var lines = [
      "keychain: \(buffer(Array(folder.utf8)))", "version: 512", "class: \"\(Item._classCode)\"", "attributes:",
      line("0x00000007 ", "blob", blob(attributes[.label])), line("0x00000008 ", "blob", none),
    ]
    let dates = ["cdat": found.created, "mdat": found.modified]
    for (code, type, attribute) in columns[Item._classCode] ?? [] {
      let text =
        if let date = dates[code] {
          buffer(Array(timestamp(date).utf8) + [0])
        } else if let attribute {
          words(attribute, attributes[attribute], of: type)
        } else {
          none
        }
      lines.append(line("\"\(code)\"", type, text))
    }
    return lines
  }

  private static let none = "<NULL>"

  private static func line(_ name: String, _ type: String, _ text: String) -> String { "    \(name)<\(type)>=\(text)" }

  private typealias Column = (code: String, type: String, attribute: AttributeCode?)

  /// The attributes of each class in their order. A vault has no value for some.
  private static let columns: [String: [Column]] = [
    "genp": [
      ("acct", "blob", .account), ("cdat", "timedate", nil), ("crtr", "uint32", .creator), ("cusi", "sint32", nil),
      ("desc", "blob", .itemDescription), ("gena", "blob", .generic), ("icmt", "blob", .comment),
      ("invi", "sint32", .isInvisible), ("mdat", "timedate", nil), ("nega", "sint32", .isNegative),
      ("prot", "blob", nil), ("scrp", "sint32", nil), ("svce", "blob", .service), ("type", "uint32", .type),
    ],
    "inet": [
      ("acct", "blob", .account), ("atyp", "blob", .authenticationType), ("cdat", "timedate", nil),
      ("crtr", "uint32", .creator), ("cusi", "sint32", nil), ("desc", "blob", .itemDescription),
      ("icmt", "blob", .comment), ("invi", "sint32", .isInvisible), ("mdat", "timedate", nil),
      ("nega", "sint32", .isNegative), ("path", "blob", .path), ("port", "uint32", .port), ("prot", "blob", nil),
      ("ptcl", "uint32", .protocol), ("scrp", "sint32", nil), ("sdmn", "blob", .securityDomain),
      ("srvr", "blob", .server), ("type", "uint32", .type),
    ],
  ]

  private static func words(_ code: AttributeCode, _ value: AttributeValue?, of type: String) -> String {
    switch code {
    case .port: buffer(bigEndian(value?.number ?? 0))
    case .protocol: buffer(value?.text.map { Array($0.utf8) } ?? bigEndian(0))
    default: type == "blob" ? blob(value) : value?.number.map { buffer(bigEndian($0)) } ?? none
    }
  }

  private static func blob(_ value: AttributeValue?) -> String {
    guard let bytes = value?.matchBytes, !bytes.isEmpty else { return none }
    return buffer(bytes)
  }

  private static func bigEndian(_ number: Int64) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * Int64($0))) }
  }

  /// Returns a date as a keychain stores it: `20261124130709Z`.
  private static func timestamp(_ date: Date) -> String {
    date.formatted(.iso8601).filter { $0.isNumber || $0 == "Z" }
  }

  /// Returns bytes in quotes, with escapes in octal; if there is any, in hexadecimal first.
  static func buffer(_ bytes: some Collection<UInt8>) -> String {
    func isPlain(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\") }
    let hasText = bytes.contains(where: isPlain)
    var text = ""
    if !bytes.allSatisfy(isPlain) {
      text = "0x" + hexadecimal(Array(bytes)).uppercased() + (hasText ? "  " : " ")
    }
    guard hasText else { return text }
    let escaped = bytes.map { byte in
      isPlain(byte) ? String(Unicode.Scalar(byte)) : "\\\(byte >> 6 & 7)\(byte >> 3 & 7)\(byte & 7)"
    }
    return "\(text)\"\(escaped.joined())\""
  }

  /// Returns a password as `-w` prints it: as text or, if a byte is not printable, in hexadecimal.
  static func password(_ value: Data) -> String {
    value.allSatisfy { (0x20...0x7E).contains($0) } ? String(decoding: value, as: UTF8.self) : hexadecimal(Array(value))
  }
}
