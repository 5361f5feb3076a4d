internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferAgent
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", abstract: "Explain why an app can or cannot read an access group, or an item, on this machine.",
    usage: "coffer why <app> [<group> | <service> <account>] [--entitlements <file>] [--json]",
    discussion: """
      Walks from the app's entitlements plist over its registration, its keys on this machine and the group's key to the \
      record, and says at which link access ends and what to do. With the app alone, prints a line for each of its groups.

      With --entitlements, the plist that the app presents is compared with the registered one: a program that presents \
      more than was registered cannot open the vault.

      An item is looked for with the app's own credential; if that does not find it, in all groups, for which the machine's \
      passphrase is needed. Nothing else needs it.

      Exit codes: 0 if the app can read everything that was asked, 4 if access ends, 3 if there is no such item. --json \
      prints a list with an element for each group.
      """)
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String
  @Argument(
    help: ArgumentHelp(
      "An access group, by its full name or without the team prefix; or the service and the account of an item.",
      valueName: "name"))
  var names: [String] = []
  @Option(
    name: .customLong("entitlements"),
    help: ArgumentHelp("The plist that the app presents when it opens the vault.", valueName: "file"),
    completion: .file())
  var plist: String?
  @Option(
    help: ArgumentHelp("The group to look for the item in. Default: all groups.", valueName: "group"))
  var group: String?
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var output: ReportOptions

  func validate() throws {
    guard names.count <= 2 else { throw ValidationError("name a group, or the service and the account of an item") }
    if group != nil && names.count < 2 { throw ValidationError("--group requires a service and an account") }
    if plist != nil && names.count == 2 { throw ValidationError("--entitlements is for groups, not for an item") }
  }

  func run() throws {
    let explanations = try names.count == 2 ? explainItem() : explainGroups()
    if output.json {
      try Output.json(explanations)
    } else if names.isEmpty {
      try printList(explanations)
    } else {
      for (index, explanation) in explanations.enumerated() {
        if index > 0 { try Output.line("") }
        try Self.printLinks(explanation)
      }
    }
    guard explanations.allSatisfy(\.canRead) else { throw ExitCode(Self.notReadable) }
  }

  private func explainGroups() throws(VaultError) -> [AccessExplanation] {
    try Vault.explainAccess(
      of: app, to: names.first, presenting: plist.map { .file(URL(fileURLWithPath: $0)) },
      in: LocalVault.openForReading(warn: Terminal.printError))
  }

  private func explainItem() throws(VaultError) -> [AccessExplanation] {
    let item = GenericPassword(service: names[0], account: names[1])
    if let headless = try HeadlessVault.openNamed() { return try explain(item, in: headless) }
    let local = try LocalVault.open(VaultFolder(.standard()))
    _ = try local.application(named: app)
    if let found = try explainOwnItem(item) { return found }
    let source = passphrase.source(of: local, note: "to look in all groups")
    let owner = try Vault.open(
      asOwnerOf: local, passphrase: source, keeper: passphrase.agent(for: .use), for: .reading(group))
    let explanations = try owner.explainAccess(of: app, to: item, in: group)
    guard !explanations.isEmpty else {
      throw VaultError(
        .itemNotFound, "there is no such item in the groups searched",
        recoverySuggestion: "list the items with: \(NextCommand.line("list", app: nil, group: group))")
    }
    return explanations
  }

  /// Explains an item that the app finds with a headless credential, which has no owner's keys.
  private func explain(
    _ item: GenericPassword, in headless: HeadlessVault
  ) throws(VaultError) -> [AccessExplanation] {
    ([headless.state] + headless.warnings).forEach(Terminal.printError)
    let found = try headless.vault(ofApp: app).explainAccess(of: app, to: item, in: group)
    guard found.isEmpty else { return found }
    throw VaultError(
      .itemNotFound, "there is no such item in the groups that the credential reads",
      recoverySuggestion: "list the items with: \(NextCommand.line("list", app: app, group: group))")
  }

  /// Explains an item that the app itself finds; nil if it cannot open the vault without a passphrase, or finds none.
  private func explainOwnItem(_ item: GenericPassword) throws(VaultError) -> [AccessExplanation]? {
    do throws(VaultError) {
      let vault = try Vault.open(applicationNamed: app, in: VaultFolder(.standard())).vault
      guard !vault.isLocked else { return nil }
      let found = try vault.explainAccess(of: app, to: item, in: group)
      return found.isEmpty ? nil : found
    } catch {
      // What keeps the app from the vault is explained by the owner's view of the item.
      guard error.code == .notEntitled else { throw error }
      return nil
    }
  }

  /// The exit code if access ends at a link: that of the code `notEntitled`.
  private static let notReadable = VaultError.Code.notEntitled.exitCode

  private func printList(_ explanations: [AccessExplanation]) throws(VaultError) {
    try Output.table(
      explanations.map { explanation in
        [
          explanation.canRead ? Self.mark(.holds) : Self.mark(.ends), Output.cell(explanation.group),
          explanation.end.map { Output.cell("\($0.title): \($0.advice ?? $0.sentence)") }
            ?? (explanation.canWrite ? "read and write" : "read only"),
        ]
      })
  }

  private static func printLinks(_ explanation: AccessExplanation) throws(VaultError) {
    try Output.line(Output.cell(explanation.conclusion))
    for link in explanation.links {
      guard link.state != .notReached else {
        try Output.line("\(mark(link.state))  \(link.title): not reached")
        continue
      }
      try Output.line("\(mark(link.state))  \(link.title)")
      try Output.line("        \(Output.cell(link.sentence))")
      if let advice = link.advice { try Output.line("        -> \(Output.cell(advice))") }
    }
  }

  /// A mark for a link, in ASCII: pipes and all terminals show it. All are of one width.
  private static func mark(_ state: AccessExplanation.Link.State) -> String {
    switch state {
    case .holds: "[ok]  "
    case .ends: "[ends]"
    case .notReached: "[-]   "
    }
  }
}

struct GraphCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph", abstract: "Print a picture of who reads what as SVG: coffer graph > vault.svg",
    discussion: """
      The picture shows the registered apps, the machines on which they have keys, and what each may do in each access \
      group. It contains names and numbers of items, but no item.

      Without an option, it is a graph or, if that would not be legible, a matrix. Needs no passphrase.
      """)
  @Flag(help: "Draw a matrix: apps in rows, access groups in columns.")
  var matrix = false
  @Flag(help: "Draw a graph, also if it has many lines.")
  var graph = false
  @Flag(help: "Print the facts as JSON instead of a picture.")
  var json = false
  @Flag(help: "Print the picture even if standard output is a terminal.")
  var force = false

  func validate() throws {
    guard [matrix, graph, json].filter({ $0 }).count <= 1 else {
      throw ValidationError("give only one of --matrix, --graph and --json")
    }
  }

  func run() throws {
    guard json || force || !Terminal.isOutput else {
      throw VaultError(
        .invalidArgument, "standard output is a terminal, and the picture is an SVG file",
        recoverySuggestion: "write it to a file with: coffer graph > vault.svg")
    }
    let local = try LocalVault.openForReading(warn: Terminal.printError)
    let facts = try AccessFacts.read(from: local, withActivity: false)
    guard !json else { return try Output.json(facts.graph) }
    let form: AccessDrawing.Form = matrix ? .matrix : graph ? .graph : .automatic
    try Terminal.write(Data(AccessDrawing(of: facts.graph, as: form).svg.utf8))
  }
}
