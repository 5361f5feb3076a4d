internal import ArgumentParser
internal import Coffer
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print an item's value.",
    discussion: """
      The value is written to standard output unchanged. On a terminal a newline follows, and characters that could \
      control the terminal are shown as escapes.

      Finds a generic password by its service and account or, if there is none, an internet password by its server and \
      account. If several groups have the item, prints that of the first group in the order of `coffer list --tree`, as \
      `coffer show` does. --group names another.
      """)
  @OptionGroup var password: PasswordChoice
  @OptionGroup var group: GroupOption
  @Flag(help: "Write the value unchanged on a terminal too.")
  var raw = false
  @Option(
    help: ArgumentHelp(
      "Print an attribute instead of the value: a name of `coffer show` in lower case, with hyphens, or its code.",
      valueName: "attribute"))
  var field: String?
  @OptionGroup var clipboard: ClipboardOptions
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Print JSON: the item with its value.")
  var json = false

  func validate() throws {
    try password.checkNames()
    if raw && json { throw ValidationError("--raw and --json exclude each other") }
    if clipboard.clip && (raw || json) { throw ValidationError("--clip excludes --raw and --json") }
    if field != nil && json { throw ValidationError("--field and --json exclude each other; use coffer show --json") }
  }

  func run() throws {
    // Before anybody types a passphrase in vain.
    let clipboard = try clipboard.find()
    let vault = try actor.open(for: .reading(group.group))
    if json {
      let found = try found(in: vault)
      guard let value = try found.value(in: vault) else { throw password.notFound(in: vault, group: group, as: actor) }
      return try Output.json(found.json(value: value))
    }
    if let field {
      return try show(Data(found(in: vault).attribute(named: field, in: vault).utf8), in: clipboard)
    }
    try show(value(in: vault), in: clipboard)
  }

  /// Prints a value, or copies it to the clipboard if there is one.
  private func show(_ value: Data, in clipboard: Clipboard?) throws {
    guard let clipboard else { return try TerminalValue.show(value, isRaw: raw) }
    try self.clipboard.copy(value, to: clipboard)
  }

  private func value(in vault: Vault) throws(VaultError) -> Data {
    // The usual case, by the item's identifier: no list is searched.
    if !password.namesExisting, let value = try vault.value(for: password.genericPassword, in: group.group) {
      return value
    }
    let found = try found(in: vault)
    guard let value = try found.value(in: vault) else { throw password.notFound(in: vault, group: group, as: actor) }
    return value
  }

  private func found(in vault: Vault) throws(VaultError) -> FoundPassword {
    try password.findOne(in: vault, group: group, as: actor)
  }
}

/// An item's value in a form that a terminal can show. Any app that may write the item chooses its bytes.
enum TerminalValue {
  /// Writes a value to standard output: byte for byte, or on a terminal, unless `isRaw` is true, with escapes and a
  /// newline.
  static func show(_ value: Data, isRaw: Bool) throws {
    guard Terminal.isOutput && !isRaw else { return try Terminal.write(value) }
    let (text, isEscaped) = text(of: value)
    try Output.line(text)
    if isEscaped {
      Terminal.printNote(
        "The value has control characters or is not text, so it is shown with escapes; to get it as it is, use --raw")
    }
  }

  /// Returns a value as text that cannot control the terminal, and whether it has escapes. Line feeds and tabs are
  /// kept: a value can have lines. If it is not UTF-8, every byte that is no printable ASCII is escaped: `\xFF`.
  static func text(of value: Data) -> (text: String, isEscaped: Bool) {
    guard let known = String(validating: value, as: UTF8.self) else { return (bytewise(value), true) }
    var text = ""
    var isEscaped = false
    for scalar in known.unicodeScalars {
      if scalar.isSafeForTerminal || scalar == "\n" || scalar == "\t" {
        text.unicodeScalars.append(scalar)
      } else {
        text += String(scalar).sanitizedForTerminal()
        isEscaped = true
      }
    }
    return (text, isEscaped)
  }

  private static func bytewise(_ value: Data) -> String {
    var text = ""
    for byte in value {
      switch byte {
      case 9, 10, 32...126: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
      }
    }
    return text
  }
}
