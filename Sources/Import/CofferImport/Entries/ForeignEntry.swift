internal import CofferPlatform
internal import CofferSystem
internal import Crypto

/// An entry of another program.
struct ForeignEntry {
  /// Another field of an entry.
  struct Field: Equatable {
    var name: String
    var value: [UInt8]
    var isProtected = false
  }

  /// A file that belongs to an entry.
  struct Attachment: Equatable {
    var name: String
    var contents: [UInt8]
  }

  /// The identifier in the source; nil if it has none.
  var identifier: String?
  /// The names of the folders that contain the entry, from the outermost.
  var folder: [String] = []
  var title = ""
  var username = ""
  /// Nil if the entry has no password.
  var password: [UInt8]?
  /// The addresses, of which the first one gives the server.
  var addresses: [String] = []
  var notes: [UInt8] = []
  /// The `otpauth:` URL of the one-time codes.
  var oneTimeCode: String?
  var fields: [Field] = []
  var attachments: [Attachment] = []
  var tags: [String] = []
  var created: Date?
  var modified: Date?
  /// Credentials that are no passwords, such as passkeys, in the words of FIDO's Credential Exchange Format.
  var credentials: [JSONValue] = []
  /// Earlier versions, the newest one last.
  var history: [JSONValue] = []
  /// What else the source says of the entry, in its own words.
  var extra: [String: JSONValue] = [:]
  /// What the item of the password has as `kSecAttrGeneric`.
  var generic: [UInt8]?
  /// The service in place of the title: the whole path of an entry of pass.
  var service: String?

  private static let maximumAttachmentCount = 1_000
  private static let maximumAttachmentByteCount = 256 << 20

  /// Whether the entry can have another attachment: a file may name the same contents again and again. `room` is what
  /// the items of the whole file may still have.
  func hasRoom(forAttachment byteCount: Int, within room: Int) -> Bool {
    attachments.count < Self.maximumAttachmentCount
      && attachments.reduce(byteCount) { $0 + $1.contents.count } <= min(Self.maximumAttachmentByteCount, room)
  }

  /// Returns the `otpauth:` URL for a seed in Base32 alone, which means a code of six digits every 30 seconds; nil for
  /// another text.
  func codeURL(ofSeed text: String) -> String? {
    let seed = text.filter { !$0.isWhitespace && $0 != "-" }
    let digits = seed.uppercased().utf8.reversed().drop { $0 == UInt8(ascii: "=") }
    guard !digits.isEmpty, digits.allSatisfy(Self.base32.contains) else { return nil }
    return codeURL(secret: seed)
  }

  /// Returns the `otpauth:` URL for a seed, which no other text is in.
  func codeURL(secret: String) -> String {
    "otpauth://totp/\(PercentEscapes.encode(title))?secret=\(PercentEscapes.encode(secret))"
  }

  private static let base32 = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// An identifier for a source that has none: the same for the same names.
  var derivedIdentifier: String {
    var names: [UInt8] = []
    for name in [title, username] + addresses + folder { names += Array(name.utf8) + [0] }
    var text = ""
    for byte in SHA256.hash(data: names).prefix(16) {
      text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    return text
  }
}

extension Date {
  /// ISO 8601 in UTC, to the second.
  var iso8601Text: String { formatted(.iso8601) }
}
