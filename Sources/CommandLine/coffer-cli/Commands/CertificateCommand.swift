internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct CertificateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certificate", abstract: "Import certificates, or export one.",
    subcommands: [CertificateImportCommand.self, CertificateExportCommand.self])
}

struct CertificateImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Store the certificates of a file, all or none.",
    discussion: """
      The file has certificates in PEM, one or a chain, or one in DER. They are not verified. Their names are those of their \
      subjects.
      """)
  @Argument(help: "The file; - for standard input.", completion: .file())
  var file: String
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func run() throws {
    let bytes = [UInt8](
      try SecretInput.contents(of: file, what: "certificates", limit: InspectedVault.maximumPEMByteCount))
    let vault = InspectedVault(try actor.open(for: .writing(group.group), to: .use))
    let destination = try group.destination(in: vault.vault)
    for reference in try vault.importCertificates(bytes, in: destination) {
      let row = try vault.details(of: reference, in: destination).row
      try Output.line("Stored \(Output.cell(row.title)) in \(row.group) as \(row.reference.path)")
    }
  }
}

struct CertificateExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print a certificate in PEM or DER.")
  @OptionGroup var item: LabelledItemOptions
  @Flag(help: "Print DER instead of PEM.")
  var der = false

  func run() throws {
    let vault = try item.actor.open(for: .reading(item.group.group))
    let found = try item.find("certificate", in: vault, ItemQuery<KeychainCertificate>(in: item.group.group))
    let value = try item.value(of: found, "certificate", in: vault)
    if der { return try Terminal.write(value) }
    try Terminal.write(Data(InspectedVault.pem(ofCertificate: [UInt8](value)).utf8))
  }
}

/// A certificate or a key, by its label or its reference.
struct LabelledItemOptions: ParsableArguments {
  @Argument(help: "The label, as `coffer list --tree` prints it.")
  var label: String?
  @Option(
    help: ArgumentHelp("The item's reference, as `coffer search` prints it.", valueName: "reference"),
    transform: ItemReference.argument)
  var reference: [ItemReference]?
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    guard (label == nil) != (reference == nil) else { throw ValidationError("give the label, or --reference") }
  }

  /// Returns the only item of a class, whose name is `what` in errors, that a query also finds. Throws `itemNotFound`
  /// if there is none, and `invalidArgument` if there are several.
  func find<Item: KeychainItem>(
    _ what: String, in vault: Vault, _ query: ItemQuery<Item>
  ) throws(VaultError) -> StoredItem<Item> {
    let queries = label.map { [query.matching(.label, $0)] } ?? reference?.map { query.reference($0.persistent) } ?? []
    var lists: [ItemList<Item>] = []
    for query in queries { lists.append(try vault.list(query)) }
    let found = lists.flatMap(\.items)
    guard let first = found.first else {
      if let damaged = lists.flatMap(\.damaged).first { throw damaged }
      throw VaultError(
        .itemNotFound, "there is no such \(what) in the groups searched", recoverySuggestion: advice)
    }
    guard found.count == 1 else {
      let list = found.prefix(10).compactMap { ItemReference($0.reference)?.path }.joined(separator: ", ")
      throw VaultError(
        .invalidArgument, "\(found.count) \(what)s have this label",
        recoverySuggestion: "choose one with --reference: \(list)")
    }
    return first
  }

  /// Returns the value of an item that was found.
  func value<Item: KeychainItem>(
    of found: StoredItem<Item>, _ what: String, in vault: Vault
  ) throws(VaultError) -> Data {
    guard let value = try vault.value(for: found.item, in: found.accessGroup) else {
      throw VaultError(.itemChanged, "the \(what) was deleted in the meantime", recoverySuggestion: advice)
    }
    return value
  }

  private var advice: String {
    "list the items with: " + NextCommand.line("list --tree", app: actor.app, group: group.group)
  }
}
