internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault
internal import CofferX509

struct KeyImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Store the private key of a file.",
    discussion: """
      The file has one key in PEM or DER: RSA of 1024 to 8192 bits, P-256, P-384 or P-521, in PKCS #8, PKCS #1 or SEC 1, and \
      not encrypted. A certificate of the key is found by both.
      """)
  @Argument(help: "The file; - for standard input.", completion: .file())
  var file: String
  @Option(help: ArgumentHelp("The label. Default: the name of the file without its last part.", valueName: "text"))
  var label: String?
  @Option(help: ArgumentHelp("The application tag, by which an app finds the key.", valueName: "text"))
  var tag: String?
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    if file == "-" && label == nil { throw ValidationError("give --label for a key from standard input") }
    if label?.isEmpty == true { throw ValidationError("the label is empty") }
  }

  func run() throws {
    var contents = try SecretInput.contents(
      of: file, what: "private key", limit: PrivateKeyFile.maximumByteCount)
    defer { contents.resetBytes(in: contents.startIndex..<contents.endIndex) }
    var bytes = [UInt8](contents)
    defer { bytes.wipe() }
    var key = try PrivateKeyFile.read(bytes)
    defer { key.externalRepresentation.wipe() }
    let vault = InspectedVault(try actor.open(for: .writing(group.group), to: .use))
    let destination = try group.destination(in: vault.vault)
    let reference = try vault.addKey(key, label: label ?? Self.name(of: file), tag: tag ?? "", in: destination)
    let row = try vault.details(of: reference, in: destination).row
    try Output.line("Stored \(Output.cell(row.title)) in \(row.group) as \(row.reference.path)")
  }

  /// The name of a file without its last extension.
  private static func name(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}
