internal import CofferSystem

/// The text of an entry of pass.
enum PasswordStoreContents {
  /// Returns the contents: those of an imported entry as they were, and otherwise the password, the fields that pass's
  /// extensions know, and the notes.
  static func bytes(of entry: ExportedEntry) -> [UInt8] {
    let value = entry.password?.value ?? []
    let newline = UInt8(ascii: "\n")
    // A file that is no text has nothing but itself.
    if entry.notes == nil, value.contains(0) || entry.password?.text == nil { return value }
    if let source = entry.origin?.source, ["pass", "gopass", "passage"].contains(source) {
      return value + [newline] + (entry.notes?.value ?? [])
    }
    var bytes = value + [newline]
    if !entry.username.isEmpty { bytes += Array("login: \(entry.username)\n".utf8) }
    for address in entry.addresses { bytes += Array("url: \(address)\n".utf8) }
    if let code = entry.oneTimeCodeText { bytes += Array("\(code)\n".utf8) }
    return bytes + (entry.notes?.value ?? [])
  }
}
