internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferInspection
internal import CofferOneTimeCodes
internal import CofferPlatform
internal import CofferQRCode
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct OTPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "otp", abstract: "Print the one-time code of an account, or change its seed.",
    discussion: """
      The seed of the codes belongs to a password, with which it is sealed, synced, renamed, moved and deleted. \
      `coffer list` and `coffer show` never print it.

      Without a subcommand, prints the code: `coffer otp github.com jane`, `coffer otp github.com jane --clip`; all options are \
      listed by: coffer otp code --help
      """,
    subcommands: [OTPCodeCommand.self, OTPAddCommand.self, OTPURICommand.self, OTPRemoveCommand.self],
    defaultSubcommand: OTPCodeCommand.self)
}

struct OTPCodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "code", abstract: "Print the one-time code of an account.",
    discussion: """
      Finds the password as `coffer get` does, or takes a reference: coffer otp coffer://GROUP/SERVICE/ACCOUNT. Codes depend on \
      the clock of this machine.
      """)
  @OptionGroup var choice: OneTimePasswordChoice
  @OptionGroup var clipboard: ClipboardOptions
  @Flag(help: "Print JSON: the code, how long it is valid, and the item.")
  var json = false

  func validate() throws {
    if clipboard.clip && json { throw ValidationError("--clip and --json exclude each other") }
  }

  func run() throws {
    // Before anybody types a passphrase in vain.
    let clipboard = try clipboard.find()
    let (item, seed) = try choice.find()
    let code = seed.code()
    if let clipboard { return try self.clipboard.copy(Data(code.text.utf8), to: clipboard) }
    try json ? Output.json(item.json(code, of: seed)) : Output.line(code.text)
  }
}

struct OTPURICommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uri", abstract: "Print the address with the seed, or its QR code, for another program or a phone.",
    discussion: "Whoever has the address can compute all codes.")
  @OptionGroup var choice: OneTimePasswordChoice
  @Flag(help: "Show it as a QR code on the terminal.")
  var qr = false
  @Flag(help: "Print JSON: the address and the item.")
  var json = false

  func validate() throws {
    if qr && json { throw ValidationError("--qr and --json exclude each other") }
  }

  func run() throws {
    let (item, seed) = try choice.find()
    if json { return try Output.json((["uri": seed.uri] as JSONObject).including(item.json())) }
    guard qr else { return try Output.line(seed.uri) }
    let uri = SecretText(copying: Array(seed.uri.utf8))
    guard try TerminalQRCode.print(uri) else {
      throw VaultError(
        .io, "standard output is no terminal that can show a QR code of this size",
        recoverySuggestion: "use a wider terminal, or print the address without --qr")
    }
  }
}

struct OTPRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove the seed of an account's one-time codes; the password stays.",
    discussion: "Earlier versions in the history of the item keep the seed.", aliases: ["rm"])
  @OptionGroup var password: PasswordChoice
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws { try password.checkNames() }

  func run() throws {
    let vault = try actor.open(for: .changing(group.group), to: .use)
    let found = try password.findOne(in: vault, group: group, as: actor)
    guard found.hasOneTimeCodes else { throw found.withoutOneTimeCodes(app: actor.app) }
    try vault.check(.changing(found.group))
    try found.setOneTimePassword(nil, replacing: true, in: vault)
    try Output.line("Removed the one-time codes of \(Output.cell(found.title)) in \(found.group)")
  }
}

/// The password whose one-time codes a command reads: by its names, by the reference of files, or by that of the item.
struct OneTimePasswordChoice: ParsableArguments {
  @OptionGroup var password: PasswordChoice
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    try password.checkNames()
    if secretReference != nil && (password.account != nil || password.kind != nil || group.group != nil) {
      throw ValidationError("a reference coffer://… replaces the account, --class and --group")
    }
  }

  /// The text of the reference if one is given in the place of the service.
  private var secretReference: String? {
    password.service.flatMap { $0.hasPrefix(SecretReference.scheme) ? $0 : nil }
  }

  /// Returns the password, and the seed of its codes. Throws `itemNotFound` if it has none.
  func find() throws(VaultError) -> (item: FoundPassword, seed: OneTimePassword) {
    let (vault, item) = try findPassword()
    return (item, try item.seed(in: vault, app: actor.app))
  }

  private func findPassword() throws(VaultError) -> (Vault, FoundPassword) {
    if let secretReference {
      let found = try SecretReader(actor).password(of: SecretReference(secretReference))
      return (found.vault, found.item)
    }
    let vault = try actor.open(for: .reading(group.group))
    return (vault, try password.findOne(in: vault, group: group, as: actor))
  }
}

/// A QR code on the terminal, for a camera. The text that it stands for is printed as well: many cannot scan it.
enum TerminalQRCode {
  /// Draws the QR code of a text, which may be a secret, if the output is a terminal that shows UTF-8 and is wide
  /// enough. Returns whether the code is on the terminal; if not, nothing was written. Throws `io` if the terminal was
  /// closed meanwhile.
  @discardableResult
  static func print(
    _ text: SecretText, on descriptor: Int32 = STDOUT_FILENO, environment: [String: String] = CurrentProcess.environment
  ) throws(VaultError) -> Bool {
    guard let window = TerminalWindow.find(on: descriptor, environment: environment), window.showsUnicode,
      // A text that is too long for a code is an address of a remote: the text alone serves as well.
      let code = try? QRCode(text), code.columns <= window.columns
    else { return false }
    let drawing = code.terminalDrawing()
    guard unsafe drawing.withBytes({ unsafe Terminal.writeAll($0, to: descriptor) }) else {
      throw VaultError(.io, "the terminal was closed")
    }
    return true
  }
}
