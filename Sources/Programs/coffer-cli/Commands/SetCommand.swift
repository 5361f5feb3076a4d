internal import ArgumentParser
internal import Coffer
internal import CofferSystem
internal import CofferTerminal

struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Create or replace an item.",
    discussion: """
      The value is read from standard input, byte for byte (echo adds a newline, printf does not), or from a prompt on \
      the terminal. It is on disk when the command returns.

      Service, account and label of a new item have at most 1024 bytes each. If machines had changed the item at the \
      same time, this version ends the conflict; `coffer history` shows the others.
      """)
  @OptionGroup var names: PasswordArguments
  @Option(help: "A name for people, shown in lists.")
  var label: String?
  @Flag(help: "Store the value even if it is empty, and the item even if service and account are empty.")
  var allowEmpty = false
  @Flag(help: "Remove the newline at the end of the value on standard input.")
  var stripNewline = false
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func run() throws {
    try checkNames()
    // Everything is checked before the prompt, so that nobody types a secret in vain.
    let vault = try actor.open(for: .writing(group.group))
    try names.checkLengths(in: vault, group: group.group)
    let value = try SecretInput.value(
      named: "\(names.service), \(names.account)", allowsEmpty: allowEmpty, stripsNewline: stripNewline)
    var password = names.password
    password.label = label
    var superseded: [ItemVersion<GenericPassword>] = []
    try vault.transaction {
      superseded = try vault.versionsInConflict(of: password, in: group.group)
      try vault.set(value, for: password, in: group.group)
    }
    if !Terminal.isInput, SecretInput.isLine(value) {
      Terminal.printNote("The value ends with a newline, which was stored too; to leave it out, use --strip-newline")
    }
    if !superseded.isEmpty {
      let history = NextCommand.line(
        "history", [names.service, names.account], app: actor.app, group: group.group)
      let versions = superseded.map { "\(VersionText.identifier($0)), \(VersionText.origin($0))" }
      Terminal.printNote(
        "The item was in conflict. Set aside: \(versions.joined(separator: "; ")). To see it: \(history)")
    }
  }

  private func checkNames() throws(VaultError) {
    guard allowEmpty || !names.service.isEmpty || !names.account.isEmpty else {
      throw VaultError(
        .invalidArgument, "service and account are empty; nothing was changed",
        recoverySuggestion: "name the item, or add --allow-empty")
    }
    if let label, label.utf8.count > PasswordArguments.maximumByteCount {
      throw PasswordArguments.tooLong("label", label.utf8.count)
    }
  }
}
