internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Create or replace an item.",
    discussion: """
      The value is read from standard input, byte for byte (echo adds a newline, printf does not), or from a prompt on \
      the terminal. With --generate, it is a random password, which is not shown: `coffer get` prints it. It is on disk when \
      the command returns.

      Creates generic passwords, and replaces the value of a generic password or, with --class internet-password, of an \
      internet password that an app has stored. If only an internet password has the names, a class must be given.

      Service, account and label of a new item have at most 1024 bytes each. If machines had changed the item at the \
      same time, this version ends the conflict; `coffer history` shows the others.
      """)
  @OptionGroup var password: PasswordChoice
  @Option(help: "A name for people, shown in lists.")
  var label: String?
  @Flag(help: "Store the value even if it is empty, and the item even if service and account are empty.")
  var allowEmpty = false
  @Flag(help: "Remove the newline at the end of the value on standard input.")
  var stripNewline = false
  @Option(
    help: ArgumentHelp("Read the value from a file, byte for byte, instead of standard input.", valueName: "file"),
    completion: .file())
  var fromFile: String?
  @OptionGroup var generation: GenerationOptions
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    try password.checkNames()
    if generation.generate && (fromFile != nil || stripNewline || allowEmpty) {
      throw ValidationError("--generate excludes --from-file, --strip-newline and --allow-empty")
    }
  }

  func run() throws {
    try checkInput()
    // Everything is checked before the prompt, so that nobody types a secret in vain.
    let vault = try actor.open(
      for: password.namesExisting ? .changing(group.group) : .writing(group.group), to: .use)
    let existing = try existing(in: vault)
    if existing == nil { try checkLengths(in: vault) }
    let names = existing.map { [$0.place, $0.account] } ?? [password.service ?? "", password.account ?? ""]
    let value = try value(named: names)
    let superseded =
      if let existing {
        try existing.replace(value: value, label: label, in: vault)
      } else {
        try store(value, in: vault)
      }
    if !Terminal.isInput || fromFile != nil, !generation.generate, SecretInput.isLine(value) {
      Terminal.printNote("The value ends with a newline, which was stored too; to leave it out, use --strip-newline")
    }
    if !superseded.isEmpty {
      let see =
        existing?.kind == .internet
        ? "coffer inspect" : NextCommand.line("history", names, app: actor.app, group: group.group)
      Terminal.printNote(
        "The item was in conflict. Set aside: \(superseded.joined(separator: "; ")). To see it: \(see)")
    }
  }

  /// Returns the new value: a generated one, that of a file, of standard input, or of a prompt.
  private func value(named names: [String]) throws(VaultError) -> Data {
    if generation.generate { return generation.value() }
    guard let fromFile else {
      return try SecretInput.value(
        named: names.joined(separator: ", "), allowsEmpty: allowEmpty, stripsNewline: stripNewline)
    }
    var value = try SecretInput.contents(of: fromFile, what: "value")
    if stripNewline, value.last == UInt8(ascii: "\n") { value.removeLast() }
    guard allowEmpty || !value.isEmpty else { throw SecretInput.emptyValue }
    return value
  }

  /// Creates the generic password, or replaces its value. Returns the versions that this sets aside, in words.
  private func store(_ value: Data, in vault: Vault) throws -> [String] {
    var password = password.genericPassword
    password.label = label
    var superseded: [ItemVersion<GenericPassword>] = []
    try vault.transaction {
      superseded = try vault.versionsInConflict(of: password, in: group.group)
      try vault.set(value, for: password, in: group.group)
    }
    return superseded.map(VersionText.words)
  }

  /// Returns the password whose value is replaced; nil for the generic password with the names, whether it exists or
  /// not. Throws `invalidArgument` if only an internet password has the names and no class is given: a second item with
  /// them would look like the replaced one.
  private func existing(in vault: Vault) throws(VaultError) -> FoundPassword? {
    if password.namesExisting {
      let found = try password.findOne(in: vault, group: group, as: actor)
      // A group that may only be read is refused before the prompt.
      try vault.check(.changing(found.group))
      return found
    }
    guard password.kind == nil, try !hasGenericPassword(vault) else { return nil }
    guard let other = try password.find(in: vault, group: group.group).first, other.kind == .internet else {
      return nil
    }
    let names = [other.place, other.account]
    let replace = NextCommand.line(
      "set --class \(PasswordKind.internet.rawValue)", names, app: actor.app, group: other.group)
    throw VaultError(
      .invalidArgument, "an internet password in \(other.group) has these names; nothing was changed",
      recoverySuggestion:
        "replace its value with: \(replace) — or add --class \(PasswordKind.generic.rawValue) to store a generic password beside it"
    )
  }

  /// Whether the group to which the value would be written has the generic password, intact or damaged.
  private func hasGenericPassword(_ vault: Vault) throws(VaultError) -> Bool {
    let destination = if let group = group.group { group } else { try vault.defaultAccessGroup }
    return try !vault.accessGroups(containing: password.genericPassword, in: destination).isEmpty
  }

  /// Throws `invalidArgument` if the item would be new and a name is longer than lists can show.
  private func checkLengths(in vault: Vault) throws(VaultError) {
    let (service, account) = (password.service ?? "", password.account ?? "")
    let longest = max(service.utf8.count, account.utf8.count)
    guard longest > Self.maximumByteCount, try !hasGenericPassword(vault) else { return }
    throw Self.tooLong(service.utf8.count == longest ? "service" : "account", longest)
  }

  private func checkInput() throws(VaultError) {
    let isNamed = [password.reference, password.service, password.account].contains { $0?.isEmpty == false }
    guard allowEmpty || isNamed else {
      throw VaultError(
        .invalidArgument, "service and account are empty; nothing was changed",
        recoverySuggestion: "name the item, or add --allow-empty")
    }
    if let label, label.utf8.count > Self.maximumByteCount { throw Self.tooLong("label", label.utf8.count) }
  }

  /// The maximum size of the service, the account and the label of an item that the command creates. Apps may use longer
  /// ones.
  private static let maximumByteCount = 1024

  private static func tooLong(_ name: String, _ count: Int) -> VaultError {
    VaultError(
      .invalidArgument, "the \(name) has \(count) bytes; nothing was changed",
      recoverySuggestion: "use at most \(maximumByteCount) bytes for a service, an account and a label")
  }
}
