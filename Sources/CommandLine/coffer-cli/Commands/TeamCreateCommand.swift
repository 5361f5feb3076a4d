internal import ArgumentParser
internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct TeamCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a team key in a new file.",
    discussion: """
      The file (mode 0600) is the vendor's: it belongs where the vendor signs its packages, and into no package. Whoever has \
      it can sign a plist that shares the groups of the vendor's apps. If it is lost, later plists are those of another team.
      """)
  @Argument(help: "The new file.", completion: .file())
  var file: String
  @Flag(help: "Print JSON.")
  var json = false

  private struct Report: Encodable {
    let team: String
    let publicKey: String
    let file: String
  }

  func run() throws {
    let new = try NewSecretFile.create(file, what: "a team key")
    let key = TeamKey.random()
    do {
      try new.write(SecretText(line: key.text))
    } catch {
      new.remove()
      throw error
    }
    let publicKey = try key.signing().publicKey
    let team = TeamID(vendor: publicKey).description
    guard !json else {
      let encoded = String(decoding: Base64.encode(publicKey.raw.bytes), as: UTF8.self)
      return try Output.json(Report(team: team, publicKey: encoded, file: file))
    }
    try Output.line(
      """
      The key of the team \(team) is in \(Output.cell(file)). Keep it, and a copy in another place.
      Next: coffer app sign FILE.entitlements --team-key \(file.shellWord)
      """)
  }
}
