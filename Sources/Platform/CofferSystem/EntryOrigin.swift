/// What the comment of an imported item says about the entry of the other program: lines of a key, a colon and a text. It
/// is not secret. By it, an export puts the items of an entry together again.
package struct EntryOrigin: Equatable, Sendable {
  /// The program or format, as `coffer import` names it.
  package var source: String
  /// The identifier of the entry, unique in the source.
  package var entry: String
  /// Which part of the entry the item is; empty for the password.
  package var part = ""
  package var title = ""
  /// The folder, with slashes between names. In a name, a slash is %2F and a percent sign %25.
  package var folder = ""
  package var tags: [String] = []
  /// When the entry was created and changed there, as ISO 8601 in UTC.
  package var created: String?
  package var modified: String?

  package init(source: String, entry: String) {
    self.source = source
    self.entry = entry
  }

  /// Reads a comment; nil for one that an import has not written.
  package init?(comment: String) {
    var fields: [(key: String, text: String)] = []
    // As bytes: an accent after the space would make one character with it.
    for line in comment.utf8.split(separator: UInt8(ascii: "\n")) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let key = String(line[..<colon]),
        let escaped = String(line[colon...].dropFirst(2)),
        let text = PercentEscapes.decode(escaped).flatMap({ String(validating: $0, as: UTF8.self) })
      else { return nil }
      fields.append((key, text))
    }
    guard fields.count >= 2, fields[0].key == "imported from", fields[1].key == "entry" else { return nil }
    self.init(source: fields[0].text, entry: fields[1].text)
    for (key, text) in fields.dropFirst(2) {
      switch key {
      case "part": part = text
      case "title": title = text
      case "folder": folder = text
      case "tag": tags.append(text)
      case "created": created = text
      case "modified": modified = text
      default: return nil
      }
    }
  }

  /// The text of the comment.
  package var comment: String {
    var lines = [("imported from", source), ("entry", entry)]
    if !part.isEmpty { lines.append(("part", part)) }
    if !title.isEmpty { lines.append(("title", title)) }
    if !folder.isEmpty { lines.append(("folder", folder)) }
    lines += tags.map { ("tag", $0) }
    if let created { lines.append(("created", created)) }
    if let modified { lines.append(("modified", modified)) }
    return lines.map { "\($0.0): \(Self.escaped($0.1))" }.joined(separator: "\n")
  }

  /// Control characters and percent signs, as in a URL.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      if scalar.value < 32 || scalar.value == 127 || scalar == "%" {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        escaped += "%" + (digits.count < 2 ? "0" : "") + digits
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
