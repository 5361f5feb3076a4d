internal import ArgumentParser
internal import CofferInspection
internal import CofferSystem
internal import CofferVault

/// New texts of a password's attributes.
struct AttributeOptions: ParsableArguments {
  @Option(
    name: .customLong("service"), help: ArgumentHelp("The new service, of a generic password.", valueName: "text"))
  var service: String?
  @Option(
    name: .customLong("server"), help: ArgumentHelp("The new server, of an internet password.", valueName: "text"))
  var server: String?
  @Option(name: .customLong("account"), help: ArgumentHelp("The new account.", valueName: "text"))
  var account: String?
  @Option(help: ArgumentHelp("The label, a name for people.", valueName: "text"))
  var label: String?
  @Option(help: ArgumentHelp("The comment.", valueName: "text"))
  var comment: String?
  @Option(help: ArgumentHelp("The description, such as a kind of password.", valueName: "text"))
  var description: String?
  @Option(name: .customLong("protocol"), help: ArgumentHelp("Such as HTTPS or IMAPS.", valueName: "protocol"))
  var internetProtocol: String?
  @Option(help: ArgumentHelp("The port of the server.", valueName: "number"))
  var port: String?
  @Option(help: ArgumentHelp("The path on the server.", valueName: "text"))
  var path: String?
  @Option(help: ArgumentHelp("The security domain of the server.", valueName: "text"))
  var securityDomain: String?
  @Option(help: ArgumentHelp("How the server authenticates, such as HTTP Basic.", valueName: "kind"))
  var authentication: String?

  /// The given texts, by the codes of the attributes.
  private var texts: [(option: String, code: String, text: String)] {
    let all = [
      ("service", "svce", service), ("server", "srvr", server), ("account", "acct", account), ("label", "labl", label),
      ("comment", "icmt", comment), ("description", "desc", description), ("protocol", "ptcl", internetProtocol),
      ("port", "port", port), ("path", "path", path), ("security-domain", "sdmn", securityDomain),
      ("authentication", "atyp", authentication),
    ]
    return all.compactMap { option, code, text in text.map { (option, code, $0) } }
  }

  var isEmpty: Bool { texts.isEmpty }

  /// Returns the changes to an item with these fields, by code. A choice is given by its name or its code. Throws
  /// `invalidArgument` for an attribute that the class has not.
  func changes(of fields: [ItemAttributeRow]) throws(VaultError) -> [String: String] {
    var changes: [String: String] = [:]
    for (option, code, text) in texts {
      guard let field = fields.first(where: { $0.code == code }) else {
        throw VaultError(
          .invalidArgument, "an item of this class has no --\(option)",
          recoverySuggestion: "choose among: \(fields.map(\.argument).joined(separator: ", "))")
      }
      changes[code] = try Self.value(text, of: field, option)
    }
    return changes
  }

  private static func value(
    _ text: String, of field: ItemAttributeRow, _ option: String
  ) throws(VaultError) -> String {
    guard case .choice(let choices) = field.field, !text.isEmpty else { return text }
    let wanted = text.lowercased()
    guard let choice = choices.first(where: { $0.name.lowercased() == wanted || $0.value.lowercased() == wanted })
    else {
      throw VaultError(
        .invalidArgument, "--\(option) cannot be \(text.sanitizedForTerminal())",
        recoverySuggestion: "choose one of: \(choices.map(\.name).joined(separator: ", "))")
    }
    return choice.value
  }
}
