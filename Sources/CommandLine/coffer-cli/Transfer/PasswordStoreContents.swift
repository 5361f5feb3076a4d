internal import CofferSystem

/// The text of an entry of pass.
enum PasswordStoreContents {
  /// Returns the contents: those of an imported entry as they were, and otherwise the password, the fields that pass's
  /// extensions know, and the notes. Nil if a file would read back as another password. `skip` receives what is left out.
  static func bytes(of entry: ExportedEntry, skip: (String, String) -> Void) -> [UInt8]? {
    let value = entry.password?.value ?? []
    let newline = UInt8(ascii: "\n")
    let parts = [entry.notes, entry.oneTimeCode].compactMap(\.self)
    if let password = entry.password, !isText(password) {
      // A file that is no text has nothing but itself.
      for item in parts { skip(item.name, "the value beside it is no text, and fills its file; \(elsewhere)") }
      return value
    }
    if let password = entry.password, value.contains(newline) {
      for item in [password] + parts {
        skip(item.name, "pass reads a password up to its first newline; \(elsewhere)")
      }
      return nil
    }
    var notes = entry.notes?.value ?? []
    if let item = entry.notes, !isText(item) {
      skip(item.name, "it is no text, and the password of its file would not be read; \(elsewhere)")
      notes = []
    }
    if let source = entry.origin?.source, ["pass", "gopass", "passage"].contains(source) {
      return value + [newline] + notes
    }
    var bytes = value + [newline]
    if !entry.username.isEmpty, !entry.username.utf8.contains(newline) {
      bytes += Array("login: \(entry.username)\n".utf8)
    }
    for address in entry.addresses { bytes += Array("url: \(address)\n".utf8) }
    if let code = entry.oneTimeCodeText { bytes += Array("\(code)\n".utf8) }
    return bytes + notes
  }

  private static let elsewhere = "coffer export json has it"

  /// Whether pass's readers take it as text.
  private static func isText(_ item: ExportedItem) -> Bool { item.text != nil && !item.value.contains(0) }
}
