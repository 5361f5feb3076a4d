internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List items and their attributes, without values.",
    discussion: """
      Lists the generic passwords and the internet passwords, and with --tree the items of all classes.

      The items that were created first come first. On a terminal, names have no team and are shortened to fit its width; \
      in a pipe and with --json they are whole.
      """,
    aliases: ["ls"])
  @Argument(help: "List only the items of this service or server.", completion: .custom(VaultCompletion.services))
  var service: String?
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions
  @Flag(help: "List items of all classes, by access group and class.")
  var tree = false
  @Flag(help: "List the references of the passwords, a line each, as `coffer read` and `coffer run` take them.")
  var references = false
  @OptionGroup var output: ReportOptions

  func validate() throws {
    if tree && service != nil { throw ValidationError("--tree and a service exclude each other") }
    if references && (tree || output.json) { throw ValidationError("--references excludes --tree and --json") }
  }

  func run() throws {
    guard !tree else { return try runTree() }
    let vault = try actor.open(for: .reading(group.group), to: .use)
    let (passwords, damaged) = try passwords(in: vault)
    if references {
      try Output.lines(passwords.lazy.compactMap { $0.secretReference?.text })
      return try damaged.report()
    }
    if output.json {
      try Output.json(passwords.map { $0.json() })
    } else if !passwords.isEmpty {
      try print(passwords, ShownNames(vault.local))
    } else if Terminal.isOutput {
      Terminal.printNote(service == nil ? "no passwords" : "no passwords of this service or server")
    }
    if !output.json, service == nil, Terminal.isOutput {
      let others =
        try vault.count(KeychainCertificate.self, in: group.group) + vault.count(KeychainKey.self, in: group.group)
      if others > 0 {
        let tree = NextCommand.line("list --tree", app: actor.app, group: group.group)
        Terminal.printNote(
          "\(counted(others, "certificate or key", "certificates and keys")) not shown; list all classes with: \(tree)")
      }
    }
    try damaged.report()
  }

  /// Returns the passwords of both classes, oldest first, and errors of damaged ones.
  private func passwords(in vault: Vault) throws(VaultError) -> ([FoundPassword], [VaultError]) {
    let (passwords, damaged) = try FoundPassword.list(in: vault, group: group.group, place: service)
    // Sorting is stable: items of one class that were created at the same time stay in their order.
    let hasClasses = passwords.last?.kind == .internet
    return (hasClasses ? passwords.sorted { $0.created < $1.created } : passwords, damaged)
  }

  private func print(_ passwords: [FoundPassword], _ names: ShownNames) throws {
    // The class is only worth a column if there are two.
    let hasClasses = passwords.contains { $0.kind == .internet }
    try Output.table(
      [["GROUP"] + (hasClasses ? ["CLASS"] : []) + ["SERVICE", "ACCOUNT", "LABEL", "MODIFIED", "WRITTEN BY"]]
        + passwords.map { password in
          [names.group(password.group)] + (hasClasses ? [Self.words(for: password)] : []) + [
            Output.name(password.place), Output.name(password.account), Output.name(password.label ?? "-"),
            Output.date(password.modified),
            names.writer(password.writer) + (password.hasConflict ? " (conflict)" : ""),
          ]
        }, fitting: [.ending] + (hasClasses ? [.whole] : []) + [.name, .name, .name, .date, .ending])
  }

  /// Returns the class of a password for its column, with what tells internet passwords apart: "internet, IMAPS".
  private static func words(for password: FoundPassword) -> String {
    switch password.kind {
    case .generic: "generic"
    case .internet: (["internet"] + (password.detail.map { [Output.name($0)] } ?? [])).joined(separator: ", ")
    }
  }

  private func runTree() throws {
    let opened = try actor.open(for: .reading(group.group), to: .use)
    let vault = InspectedVault(vault: opened, local: opened.local)
    let tree = ItemTree(vault: vault, groups: try vault.groups(named: group.group))
    let damaged = try output.json ? tree.printJSON() : tree.print()
    if tree.groups.isEmpty && !output.json {
      // In a pipe too: an empty output would not tell an empty vault from a vault without groups.
      Terminal.printNote("no groups; register an app, which brings its groups, with: coffer app add FILE.entitlements")
    }
    try damaged.report()
  }
}

/// The items of a vault by group and kind, for `coffer list --tree`.
struct ItemTree {
  let vault: InspectedVault
  let groups: [String]

  /// Prints the tree as indented lines. Few items are in memory at a time. Returns errors of damaged items.
  func print() throws -> [VaultError] {
    var damaged: [VaultError] = []
    for group in groups {
      try Output.line(Output.cell(group))
      var isEmpty = true
      for kind in ItemKind.allCases {
        var isFirst = true
        let errors = try vault.forEachItem(of: kind, in: group) { row in
          if isFirst { try Output.line("  \(kind.pluralName)") }
          (isFirst, isEmpty) = (false, false)
          try Output.line("    \(Self.line(row))")
        }
        // An identity is damaged if its certificate is, which was named before.
        if kind != .identity { damaged += errors }
      }
      if isEmpty { try Output.line("  no items") }
    }
    return damaged
  }

  /// Prints the tree as JSON. Returns errors of damaged items.
  func printJSON() throws -> [VaultError] {
    var damaged: [VaultError] = []
    let tree = try groups.map { group in
      let classes = try ItemKind.allCases.compactMap { kind -> JSONObject? in
        var items: [JSONObject] = []
        let errors = try vault.forEachItem(of: kind, in: group) { items.append($0.json) }
        if kind != .identity { damaged += errors }
        return items.isEmpty ? nil : ["class": kind.argument, "items": items]
      }
      return ["group": group, "classes": classes] as JSONObject
    }
    try Output.json(tree)
    return damaged
  }

  /// Returns an item's names in one line.
  private static func line(_ row: ItemRow) -> String {
    var parts = [row.title, row.subtitle]
    if let label = row.label, label != row.title { parts.append(label) }
    if let detail = row.detail { parts.append(detail) }
    var line = parts.filter { !$0.isEmpty }.map { Output.name($0) }.joined(separator: "  ")
    if let expires = row.expires { line += "  until \(Output.date(expires))" }
    return row.hasConflict ? "\(line)  (conflict)" : line
  }
}

/// The names of access groups and writers in tables: whole in a pipe, and on a terminal without the vault's team, with
/// which all of them begin.
struct ShownNames {
  private let team: TeamNames?

  init(_ local: LocalVault) throws(VaultError) {
    team = Terminal.isOutput ? TeamNames(team: try local.membership().team.description) : nil
  }

  /// Returns the name of an access group.
  func group(_ name: String) -> String { team?.short(name) ?? name }

  /// Returns who wrote a version, and on which machine.
  func writer(_ writer: ItemWriter) -> String { writer.words(application: group, machine: Output.name) }
}
