internal import ArgumentParser
internal import CofferCrypto
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

struct InjectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inject", abstract: "Fill a template with secrets.",
    discussion: """
      Puts values in the place of references in double braces: {{ coffer://GROUP/SERVICE/ACCOUNT }}, and with --map those of \
      1Password: {{ op://VAULT/ITEM/FIELD }}, also without braces if it has no space. Everything else stays as it is, byte \
      for byte, also other text in braces. A reference of Coffer without braces is refused.

      The output gets mode 0600 and replaces a regular file, completely or not at all: if a reference names nothing, nothing \
      is written.
      """)
  @Option(
    name: [.short, .customLong("in")],
    help: ArgumentHelp("The template; - for standard input.", valueName: "template"), completion: .file())
  var input: String
  @Option(
    name: [.short, .customLong("out")],
    help: ArgumentHelp("The file to write; - for standard output.", valueName: "file"), completion: .file())
  var output: String
  @OptionGroup var references: ReferenceOptions
  @OptionGroup var actor: ActorOptions

  func run() throws {
    let map = try references.readMap()
    let text = try SecretInput.contents(of: input, what: "template")
    let template = try SecretTemplate(Array(text), path: input, map)
    let requests = template.requests
    let values = requests.isEmpty ? [] : try SecretReader(actor).read(requests)
    var filled = template.filled(with: values)
    defer { filled.wipe() }
    if output == "-" {
      try Terminal.write(Data(filled))
    } else {
      try ReplacedFile.write(filled, to: output)
    }
  }
}
