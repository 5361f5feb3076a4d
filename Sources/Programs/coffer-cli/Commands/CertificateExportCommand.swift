internal import ArgumentParser
internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct CertificateExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print a certificate in PEM or DER.")
  @Argument(help: "The label, as `coffer list --tree` prints it.")
  var label: String?
  @Option(help: ArgumentHelp("The item's reference, as `coffer search` prints it.", valueName: "reference"))
  var reference: String?
  @Flag(help: "Print DER instead of PEM.")
  var der = false
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    guard (label == nil) != (reference == nil) else { throw ValidationError("give the label, or --reference") }
    guard reference == nil || !references.isEmpty else {
      throw ValidationError("a reference has 32 hexadecimal digits, with or without a class before them: cert/…")
    }
  }

  private var references: [ItemReference] { reference.map { ItemReference.references(argument: $0) } ?? [] }

  func run() throws {
    let vault = try actor.open(for: .reading(group.group))
    let query = ItemQuery<KeychainCertificate>(in: group.group)
    let queries = label.map { [query.matching(.label, $0)] } ?? references.map { query.reference($0.persistent) }
    let found = try queries.flatMap { try vault.list($0).items }
    guard let first = found.first else {
      throw VaultError(
        .itemNotFound, "there is no such certificate in the groups searched",
        recoverySuggestion: "list the items with: "
          + NextCommand.line("list --tree", app: actor.app, group: group.group))
    }
    guard found.count == 1 else {
      let list = found.prefix(10).compactMap { ItemReference($0.reference)?.path }.joined(separator: ", ")
      throw VaultError(
        .invalidArgument, "\(found.count) certificates have this label",
        recoverySuggestion: "choose one with --reference: \(list)")
    }
    guard let value = try vault.value(for: first.item, in: first.accessGroup) else {
      throw VaultError(
        .itemChanged, "the certificate was deleted in the meantime",
        recoverySuggestion: "list the items with: coffer list --tree")
    }
    if der { return try Terminal.write(value) }
    try Terminal.write(Data(InspectedVault.pem(ofCertificate: [UInt8](value)).utf8))
  }
}
