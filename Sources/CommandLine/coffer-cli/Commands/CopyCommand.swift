internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy a password under other names, or to another access group.",
    discussion: """
      The copy has the value and the attributes of the password, apart from those that are given, and is an item of its own \
      from then on.
      """)
  @OptionGroup var password: PasswordChoice
  @Option(
    help: ArgumentHelp("The access group of the copy. Default: that of the password.", valueName: "group"),
    completion: .custom(VaultCompletion.groups))
  var to: String?
  @OptionGroup var attributes: AttributeOptions
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    try password.checkNames()
    guard to != nil || !attributes.isEmpty else {
      throw ValidationError("give the copy another group with --to, or other names with --service or --account")
    }
  }

  func run() throws {
    let vault = InspectedVault(try actor.open(for: .reading(group.group), to: .use))
    let details = try vault.details(of: password.findOne(in: vault.vault, group: group, as: actor))
    let copy = try vault.copy(
      details.revision, attributes.changes(of: InspectedVault.newFields(of: details.row.kind)),
      to: to ?? details.row.group)
    let row = try vault.details(of: copy).row
    try Output.line(
      "Copied \(Output.cell(details.row.title)) in \(details.row.group) to \(Output.cell(row.title)) in \(row.group)")
  }
}

struct MoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move a password to another access group.",
    discussion: """
      Whoever could read the old group keeps what it has read: move a password before it is used, or replace its value as \
      well. The history stays in the old group.
      """)
  @OptionGroup var password: PasswordChoice
  @Option(
    help: ArgumentHelp("The new access group.", valueName: "group"), completion: .custom(VaultCompletion.groups))
  var to: String
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws { try password.checkNames() }

  func run() throws {
    let vault = InspectedVault(try actor.open(for: .changing(group.group), to: .use))
    let details = try vault.details(of: password.findOne(in: vault.vault, group: group, as: actor))
    try vault.move(details.revision, to: to)
    let name = try vault.groups(named: to).first ?? to
    try Output.line("Moved \(Output.cell(details.row.title)) from \(details.row.group) to \(Output.cell(name))")
  }
}

/// Texts of an item's attributes.
struct AttributeOptions: ParsableArguments {
  @Option(name: .customLong("service"), help: .text("The service, of a generic password."))
  var service: String?
  @Option(name: .customLong("server"), help: .text("The server, of an internet password."))
  var server: String?
  @Option(name: .customLong("account"), help: .text("The account."))
  var account: String?
  @Option(help: .text("The label, a name for people."))
  var label: String?
  @Option(help: .text("The comment."))
  var comment: String?
  @Option(help: .text("The description, such as a kind of password."))
  var description: String?
  @Option(name: .customLong("protocol"), help: .text("Such as HTTPS or IMAPS."))
  var internetProtocol: String?
  @Option(help: .text("The port of the server, a number."))
  var port: String?
  @Option(help: .text("The path on the server."))
  var path: String?
  @Option(help: .text("The security domain of the server."))
  var securityDomain: String?
  @Option(help: .text("How the server authenticates, such as HTTP Basic."))
  var authentication: String?
  @Option(
    help: ArgumentHelp(
      "Any other attribute that can be changed: its name as `coffer show` prints it, in lower case and with hyphens.",
      valueName: "name=text"))
  var attribute: [String] = []

  /// The given texts, by the names of the attributes.
  private var texts: [(name: String, text: String)] {
    let all: [(String, String?)] = [
      ("service", service), ("server", server), ("account", account), ("label", label), ("comment", comment),
      ("description", description), ("protocol", internetProtocol), ("port", port), ("path", path),
      ("security-domain", securityDomain), ("authentication", authentication),
    ]
    var given: [(name: String, text: String)] = []
    for (name, text) in all { if let text { given.append((name: name, text: text)) } }
    for assignment in attribute {
      let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      given.append((name: parts[0], text: parts.count == 2 ? parts[1] : ""))
    }
    return given
  }

  /// The options of a command line that has at most a label.
  static func only(label: String?) -> AttributeOptions {
    var options = AttributeOptions()
    (options.service, options.server, options.account, options.label) = (nil, nil, nil, label)
    (options.comment, options.description, options.internetProtocol, options.port) = (nil, nil, nil, nil)
    (options.path, options.securityDomain, options.authentication, options.attribute) = (nil, nil, nil, [])
    return options
  }

  func validate() throws {
    // What was given may be a text, and is not shown.
    if !attribute.allSatisfy({ $0.contains("=") }) {
      throw ValidationError("--attribute takes a name and a text: NAME=TEXT")
    }
  }

  var isEmpty: Bool { texts.isEmpty }

  /// Whether the options name a password as the two arguments of a command do.
  var namesPassword: Bool { service != nil || server != nil || account != nil }

  /// Whether `--attribute` has a name or the label, for which there are options.
  var assignsNames: Bool {
    let names = ["service", "server", "account", "label", "svce", "srvr", "acct", "labl"]
    return attribute.contains { assignment in names.contains { assignment.hasPrefix("\($0)=") } }
  }

  /// Whether there is more than the names and the label.
  var hasMoreThanNames: Bool { texts.contains { !["service", "server", "account", "label"].contains($0.name) } }

  /// Returns the password that the arguments or, if there are none, the options name. A server makes it an internet
  /// password.
  func naming(_ password: PasswordChoice) -> PasswordChoice {
    guard password.service == nil, password.reference == nil, let place = service ?? server else { return password }
    var named = password
    named.service = place
    named.account = account
    if server != nil, named.kind == nil { named.kind = .internet }
    return named
  }

  /// Returns the changes to an item with these fields, by code. A choice is given by its name or its code. Throws
  /// `invalidArgument` for an attribute that the class has not.
  func changes(of fields: [ItemAttributeRow]) throws(VaultError) -> [String: String] {
    var changes: [String: String] = [:]
    for (name, text) in texts {
      guard let field = fields.first(where: { $0.argument == name || $0.code == name }) else {
        throw VaultError(
          .invalidArgument, "an item of this class has no --\(name.sanitizedForTerminal())",
          recoverySuggestion: "choose among: \(fields.map(\.argument).joined(separator: ", "))")
      }
      changes[field.code] = try field.value(of: text, named: "--\(name)")
    }
    return changes
  }
}

extension ArgumentHelp {
  fileprivate static func text(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "text") }
}
