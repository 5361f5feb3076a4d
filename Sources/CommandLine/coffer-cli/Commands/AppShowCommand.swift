internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct AppShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show an app's access groups and its registered plist.")
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let local = try LocalVault.openForReading(warn: Terminal.printError)
    guard let app = try VaultStatus.read(from: local).application(local.application(named: app)) else { return }
    guard !json else { return try Output.json(app.json) }
    try Output.line("\(app.id), registered \(Output.date(app.registered))")
    try Output.line(
      app.hasCredentialHere
        ? "It has a credential on this machine\(app.isSealedHere ? ", protected by the machine's passphrase" : "")."
        : "It has no credential on this machine; give it one with: coffer app install \(app.bundleID)")
    if app.hasCredentialHere {
      let evidence = try AccessFacts.read(from: local, withActivity: false).evidence(named: app.id)
      if let evidence {
        try Output.line("Enforced between programs of this user: \(evidence.enforcement.words). \(evidence.sentence)")
        if let advice = evidence.advice { try Output.line(advice) }
      }
    }
    if let program = app.desktop, !app.hasCredentialHere { try Output.line(program.sentence) }
    try Output.line("Access groups (the first is the default):")
    try Output.table(app.groups.map { ["    \($0.name)", $0.isWritable ? "read and write" : "read only"] })
    try Output.line("Registered entitlements:")
    let registered = try local.settledMembership().apps.values.first { $0.id.description == app.id }
    for problem in registered.map(PlistSpelling.problems(of:)) ?? [] { Terminal.printNote(problem.description) }
    for line in String(decoding: app.entitlements, as: UTF8.self).split(separator: "\n") {
      try Output.line("    \(Output.cell(String(line).replacing("\t", with: "  ")))")
    }
  }
}
