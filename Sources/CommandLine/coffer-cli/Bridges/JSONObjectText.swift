internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A member of the JSON object that is another program's configuration.
struct JSONMemberSetting: BridgeSetting {
  let file: UserFile
  let key: String
  let wanted: String

  var place: String { "\(key) = \(wanted) in \(file.path)" }

  func current() throws(VaultError) -> String? {
    try read()?[key] == .string(wanted) ? wanted : nil
  }

  func checkIsFree() throws(VaultError) {
    guard let other = try read()?[key], other != .string(wanted) else { return }
    let name = if case .string(let text) = other { text.sanitizedForTerminal() } else { "no text" }
    throw VaultError(
      .invalidArgument, "\(key) in \(file.path.sanitizedForTerminal(limit: .max)) is \(name); nothing was changed",
      recoverySuggestion: "remove the entry \(key) from \(file.path.shellWord), then try again")
  }

  func write() throws(VaultError) {
    let object = try read() ?? JSONObjectText.empty
    if object[key] == nil { try file.write(object.adding(key, wanted)) }
  }

  func remove() throws(VaultError) {
    guard let object = try read(), object[key] == .string(wanted) else { return }
    let text = object.removing(key)
    if JSONObjectText(text)?.isEmpty ?? true { try file.clear(leaving: "{}\n") } else { try file.write(text) }
  }

  /// Reads the file; nil if there is none, or it has nothing.
  private func read() throws(VaultError) -> JSONObjectText? {
    guard let text = try file.read(), !text.isEmpty else { return nil }
    guard let object = JSONObjectText(text) else { throw file.unusable("is no JSON object") }
    return object
  }
}

/// The text of a JSON object, of which members are added and removed while everything else stays as it is: the order of
/// its keys, its numbers and its white space.
struct JSONObjectText {
  private struct Member {
    let name: String
    let value: JSONValue
    /// From the quote before the name to the end of the value.
    let range: Range<Int>
  }

  private let bytes: [UInt8]
  /// The place after the brace.
  private let start: Int
  private let members: [Member]

  /// An object without members.
  static let empty = JSONObjectText()

  private init() {
    bytes = Array("{}\n".utf8)
    start = 1
    members = []
  }

  /// Reads a text; nil for anything else than an object.
  init?(_ text: String) {
    bytes = Array(text.utf8)
    guard case .object? = JSONValue(json: bytes), let brace = bytes.firstIndex(of: UInt8(ascii: "{")) else {
      return nil
    }
    start = brace + 1
    var members: [Member] = []
    var place = start
    while let quote = bytes[place...].firstIndex(where: { !Self.isSpace($0) && $0 != UInt8(ascii: ",") }),
      bytes[quote] == UInt8(ascii: "\"")
    {
      let nameEnd = Self.end(of: bytes[quote...])
      guard let colon = bytes[nameEnd...].firstIndex(of: UInt8(ascii: ":")),
        let begin = bytes[(colon + 1)...].firstIndex(where: { !Self.isSpace($0) }),
        let name = JSONValue(json: bytes[quote..<nameEnd])?.text
      else { return nil }
      place = Self.end(of: bytes[begin...])
      guard let value = JSONValue(json: bytes[begin..<place]) else { return nil }
      members.append(Member(name: name, value: value, range: quote..<place))
    }
    self.members = members
  }

  var isEmpty: Bool { members.isEmpty }

  /// The member with a name: of two, the last one counts.
  subscript(_ name: String) -> JSONValue? { members.last { $0.name == name }?.value }

  /// Returns the text with another member at its end, written as the one before it.
  func adding(_ name: String, _ value: String) -> String {
    let member = "\(Self.quoted(name)): \(Self.quoted(value))"
    guard let last = members.last else { return "{\n  \(member)\n}\n" }
    let before = members.count > 1 ? members[members.count - 2].range.upperBound : start
    let comma = [UInt8(ascii: ",")] + bytes[before..<last.range.lowerBound].filter(Self.isSpace)
    let end = last.range.upperBound
    return text([bytes[..<end], comma[...], Array(member.utf8)[...], bytes[end...]])
  }

  /// Returns the text without the members of a name, each with the comma and the white space before it.
  func removing(_ name: String) -> String {
    var kept = bytes[..<start]
    // What is before the first member stays before the one that becomes the first.
    let first = members.first.map { bytes[start..<$0.range.lowerBound] } ?? []
    var end = start
    var hasMember = false
    for member in members {
      if member.name != name {
        kept += hasMember ? bytes[end..<member.range.lowerBound] : first
        kept += bytes[member.range]
        hasMember = true
      }
      end = member.range.upperBound
    }
    return text([kept, bytes[end...]])
  }

  private func text(_ parts: [ArraySlice<UInt8>]) -> String { String(decoding: parts.joined(), as: UTF8.self) }

  /// A word of letters in quotes.
  private static func quoted(_ word: String) -> String { "\"\(word)\"" }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }

  /// Returns where a value ends that begins a text: after its last quote or brace, or before the comma, brace or white
  /// space.
  private static func end(of text: ArraySlice<UInt8>) -> Int {
    var depth = 0
    var isInString = false
    var isEscaped = false
    for place in text.indices {
      let byte = text[place]
      if isInString {
        if !isEscaped, byte == UInt8(ascii: "\"") {
          isInString = false
          if depth == 0 { return place + 1 }
        }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return place }
        depth -= 1
        if depth == 0 { return place + 1 }
      default:
        if depth == 0, byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") || isSpace(byte) { return place }
      }
    }
    return text.endIndex
  }
}
