internal import ArgumentParser

struct CertificateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certificate", abstract: "Import certificates, or export one.",
    subcommands: [CertificateImportCommand.self, CertificateExportCommand.self])
}
