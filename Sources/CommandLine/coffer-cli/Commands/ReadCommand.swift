internal import ArgumentParser
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

struct ReadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Print what a reference names.",
    discussion: """
      A reference is coffer://GROUP/SERVICE/ACCOUNT, or coffer://GROUP/SERVICE/ACCOUNT#attribute for an attribute. GROUP may \
      be empty, which means all groups. Characters other than letters, digits and -._~!$&'()*+,;=:@ are percent-encoded. \
      `coffer list --references` prints the references of all passwords.

      The value is written to standard output unchanged. On a terminal a newline follows, and characters that could control \
      the terminal are shown as escapes.
      """)
  @Argument(
    help: ArgumentHelp("The reference.", valueName: "reference"), completion: .custom(VaultCompletion.references))
  var text: String
  @OptionGroup var references: ReferenceOptions
  @Flag(help: "Write the value unchanged on a terminal too.")
  var raw = false
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Print JSON: the item with its value, or with the attribute as its text.")
  var json = false

  func validate() throws {
    if raw && json { throw ValidationError("--raw and --json exclude each other") }
  }

  func run() throws {
    let reference = try references.readMap().reference(text)
    let reader = SecretReader(actor)
    guard json else {
      let data = try reader.read([SecretReader.Request(reference: reference, place: nil)])
      return try TerminalValue.show(data[0], isRaw: raw)
    }
    guard let attribute = reference.attribute else {
      let (item, value) = try reader.item(of: reference)
      return try Output.json(item.json(value: value))
    }
    let text = try reader.read([SecretReader.Request(reference: reference, place: nil)])[0]
    let plain = SecretReference(group: reference.group, service: reference.service, account: reference.account)
    let object: JSONObject = ["attribute": attribute, "text": String(decoding: text, as: UTF8.self)]
    try Output.json(object.including(reader.item(of: plain).item.json()))
  }
}
