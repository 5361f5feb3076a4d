internal import ArgumentParser
internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct TeamCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "team", abstract: "Create the key of a vendor's team.",
    discussion: """
      A vendor signs the plists of its apps with one team key (coffer app sign). At their first launch, apps share access \
      groups only with apps of the same team.
      """,
    subcommands: [TeamCreateCommand.self])
}

struct TeamCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a team key in a new file.",
    discussion: """
      The file (mode 0600) is the vendor's: it belongs where the vendor signs its packages, and into no package. Whoever has \
      it can sign a plist that shares the groups of the vendor's apps. If it is lost, later plists are those of another team.
      """)
  @Argument(help: "The new file.", completion: .file())
  var file: String
  @OptionGroup var output: ReportOptions

  func run() throws {
    let publicKey = try VendorKey.create(.team, in: file)
    let team = TeamID(vendor: publicKey).description
    guard !output.json else {
      return try Output.json(object: ["team": team, "publicKey": publicKey.base64, "file": file])
    }
    try Output.line(
      """
      The key of the team \(team) is in \(Output.cell(file)). Keep it, and a copy in another place.
      Next: coffer app sign FILE.entitlements --team-key \(file.shellWord)
      """)
  }
}

struct AppSignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign", abstract: "Sign an app's plist with the key of the vendor's team.",
    discussion: """
      Writes the team's public key and its signature into the plist, an XML file that spells out application-identifier. The \
      signature covers the identifier and the groups: sign again after each change of these. The app's package installs the \
      plist as root, as /usr/share/coffer/apps/IDENTIFIER.entitlements.
      """)
  @Argument(help: ArgumentHelp("The app's entitlements plist.", valueName: "file.entitlements"), completion: .file())
  var file: String
  @Option(
    help: ArgumentHelp("The file with the team key, from: coffer team create", valueName: "file"), completion: .file())
  var teamKey: String

  func run() throws {
    let plist = try readEntitlements(at: URL(fileURLWithPath: file), missing: .invalidArgument)
    let key = try VendorKey.read(.team, from: teamKey)
    let (signing, signed) = try translatingErrors {
      let signing = try key.signing()
      return (signing, try EntitlementsDocument.signed(plist, source: file, by: signing))
    }
    do {
      try Data(signed).write(to: URL(fileURLWithPath: file), options: .atomic)
    } catch {
      throw VaultError(
        .io, "cannot write \(Output.cell(file))", recoverySuggestion: "check the owner and the mode of the file")
    }
    let document = try translatingErrors { try EntitlementsDocument(bytes: signed, source: file) }
    let team = TeamID(vendor: signing.publicKey)
    try Output.line("\(Output.cell(file)) is signed by the team \(team): \(document.applicationIdentifier ?? "").")
  }
}

/// The files in which a vendor keeps its keys.
extension VendorKey {
  /// Writes a new key into a new file (mode 0600) and returns its public half.
  static func create(_ purpose: Purpose, in file: String) throws -> VerifyingKey {
    let new = try NewSecretFile.create(file, what: "a \(purpose.words)")
    do {
      let key = VendorKey.random(purpose)
      try new.write(SecretText(line: key.text))
      return try key.signing().publicKey
    } catch {
      new.remove()
      throw error
    }
  }

  static func read(_ purpose: Purpose, from file: String) throws(VaultError) -> VendorKey {
    let text = try SecretInput.file(file, limit: 256, what: purpose.words)
    do throws(VendorKey.ParseError) {
      return try VendorKey(purpose, parsing: text)
    } catch {
      throw VaultError(
        .invalidArgument, "the file \(Output.cell(file)) does not contain a \(purpose.words)",
        recoverySuggestion: purpose.suggestion)
    }
  }
}

extension VendorKey.Purpose {
  fileprivate var words: String {
    switch self {
    case .team: "team key"
    case .shop: "shop key"
    }
  }

  fileprivate var suggestion: String {
    switch self {
    case .team: "name the file that `coffer team create` has written"
    case .shop: "name the file that `coffer receipt key` has written"
    }
  }
}

extension VerifyingKey {
  /// The key as a plist names it.
  var base64: String { String(decoding: Base64.encode(raw.bytes), as: UTF8.self) }
}
