internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal

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
