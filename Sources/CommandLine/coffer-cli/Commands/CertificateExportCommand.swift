internal import ArgumentParser
internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal

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
