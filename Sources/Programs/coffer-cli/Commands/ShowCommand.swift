internal import ArgumentParser
internal import Coffer
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault
internal import Foundation

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show all attributes of an item, without its value.",
    discussion: """
      Names a generic password by its service and account. With --class, an internet password by its server and account, \
      and a certificate, key or identity by its label. With --reference, any item by what `coffer list --tree --json` \
      prints.

      `coffer get` prints the value of a generic password.
      """)
  @Argument(help: ArgumentHelp("The service and the account; for other classes see above.", valueName: "name"))
  var names: [String] = []
  @Option(
    name: .customLong("class"),
    help: ArgumentHelp("The class of the item.", discussion: "Default: generic-password.", valueName: "class"))
  var kind: ItemKindArgument?
  @Option(
    help: ArgumentHelp("The item's reference, which stays when it is renamed or moved.", valueName: "reference"))
  var reference: String?
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if reference != nil {
      guard names.isEmpty, kind == nil else {
        throw ValidationError("--reference replaces the names and --class")
      }
      guard itemReference != nil else {
        throw ValidationError("a reference is a class and 32 hexadecimal digits, such as genp/…")
      }
      return
    }
    let expected = (kind ?? .genericPassword).nameWords
    guard names.count == expected.count else {
      throw ValidationError("name the item by its \(expected.joined(separator: " and its "))")
    }
  }

  private var itemReference: ItemReference? {
    let parts = reference?.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false) ?? []
    return parts.count == 2 ? ItemReference(code: String(parts[0]), text: String(parts[1])) : nil
  }

  func run() throws {
    let opened = try actor.open(for: .reading(group.group))
    let vault = InspectedVault(vault: opened, local: opened.local)
    let details = try find(in: vault)
    if json {
      try Output.json(ItemReport(details))
    } else {
      let facts = details.facts()
      let width = facts.map(\.name.count).max() ?? 0
      for fact in facts {
        let name = fact.name.padding(toLength: width, withPad: " ", startingAt: 0)
        try Output.line("\(name)  \(Output.cell(fact.text))")
      }
    }
    for damage in details.damaged { Terminal.printError(damage.description) }
    if let first = details.damaged.first { throw ExitCode(first.exitCode) }
  }

  private func find(in vault: InspectedVault) throws -> ItemDetails {
    if let reference = itemReference { return try vault.details(of: reference, in: group.group) }
    let kind = kind ?? .genericPassword
    let rows = try vault.items(named: names, of: kind.kind, in: group.group)
    guard let row = rows.first else {
      throw VaultError(
        .itemNotFound, "there is no such item in the groups searched",
        recoverySuggestion: "list the items with: "
          + NextCommand.line("list --tree", app: actor.app, group: group.group))
    }
    guard rows.count == 1 else {
      let list = rows.prefix(10).map { "\($0.reference.path) in \($0.group)" }.joined(separator: ", ")
      throw VaultError(
        .invalidArgument, "\(rows.count) items have these names: \(list)",
        recoverySuggestion: "name one with --group or --reference")
    }
    return try vault.details(of: row.reference, in: row.group)
  }
}

/// The classes of items, as arguments name them.
enum ItemKindArgument: String, ExpressibleByArgument, CaseIterable {
  case genericPassword = "generic-password"
  case internetPassword = "internet-password"
  case certificate
  case key
  case identity

  var kind: ItemKind {
    switch self {
    case .genericPassword: .genericPassword
    case .internetPassword: .internetPassword
    case .certificate: .certificate
    case .key: .key
    case .identity: .identity
    }
  }

  /// The names by which an item of this class is found.
  var nameWords: [String] {
    switch self {
    case .genericPassword: ["service", "account"]
    case .internetPassword: ["server", "account"]
    case .certificate, .key, .identity: ["label"]
    }
  }
}
