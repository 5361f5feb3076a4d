internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
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

      Creates a generic password, or replaces its value. With --class internet-password, the same for an internet password: \
      coffer set --class internet mail.example.com jane --protocol IMAPS. If only an internet password has the names, a class \
      must be given. Attributes that are not given stay as they are.

      With --json-lines, standard input or --from-file has one item in each line, as a JSON object with the names of \
      `coffer get --json`. All are stored, or none of them.

      Service, account and label of a new item have at most 1024 bytes each. If machines had changed the item at the \
      same time, this version ends the conflict; `coffer history` shows the others.
      """)
  @OptionGroup var password: PasswordChoice
  @OptionGroup var attributes: AttributeOptions
  @Flag(help: "Store many items, one JSON object in each line, all or none.")
  var jsonLines = false
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
    if jsonLines {
      guard password.service == nil, password.kind == nil, password.reference == nil, attributes.isEmpty,
        !generation.generate, !stripNewline
      else {
        throw ValidationError(
          "--json-lines takes --from-file, --allow-empty, --group and --app only: the lines have the rest")
      }
      return
    }
    if password.service != nil || password.reference != nil, attributes.namesPassword {
      throw ValidationError("the names are given twice; `coffer edit` changes them")
    }
    if attributes.assignsNames {
      throw ValidationError("--attribute takes neither names nor the label: use --service, --account and --label")
    }
    try choice.checkNames()
    if let length = generation.misplacedLength {
      throw ValidationError("--generate takes no number: write --generate --length \(length), or the names before it")
    }
    if generation.generate && (fromFile != nil || stripNewline || allowEmpty) {
      throw ValidationError("--generate excludes --from-file, --strip-newline and --allow-empty")
    }
  }

  /// The password that the arguments or the options name.
  private var choice: PasswordChoice { attributes.naming(password) }

  func run() throws {
    if jsonLines { return try storeLines() }
    // Everything is checked before the prompt, so that nobody types a secret in vain.
    try checkInput()
    let given = [choice.service ?? "", choice.account ?? ""]
    // Whoever interrupts the first prompt has no vault: opening one for a new item creates it. And nobody types a
    // passphrase for a value that is empty or cannot be read.
    let isTyped = Terminal.isInput && fromFile == nil
    let first = try actor.isVaultAbsent() || !isTyped ? try value(named: given) : nil
    let (vault, existing) = try target()
    let names = existing.map { [$0.place, $0.account] } ?? given
    let replaced = try generation.generate ? undoableVersion(of: existing, in: vault) : nil
    let value = if let first { first } else { try value(named: names) }
    let superseded = try existing.map { try replace($0, value, in: vault) } ?? store(value, in: vault)
    if !Terminal.isInput || fromFile != nil, !generation.generate, SecretInput.isLine(value) {
      Terminal.printNote("The value ends with a newline, which was stored too; to leave it out, use --strip-newline")
    }
    if let replaced {
      let undo = NextCommand.line("restore", names + [replaced], app: actor.app, group: group.group)
      Terminal.printNote("The item had another value. To undo: \(undo)")
    }
    if !superseded.isEmpty {
      let see =
        existing?.kind == .internet
        ? SiblingProgram.inspectCommand : NextCommand.line("history", names, app: actor.app, group: group.group)
      Terminal.printNote(
        "The item was in conflict. Set aside: \(VersionText.list(superseded)). To see it: \(see)")
    }
  }

  /// Returns the version that a new value replaces, as commands name it; nil if there is none, or only the inspector
  /// restores it.
  private func undoableVersion(of existing: FoundPassword?, in vault: Vault) throws(VaultError) -> String? {
    guard existing?.kind != .internet, choice.kind != .internet else { return nil }
    let item = existing.map { GenericPassword(service: $0.place, account: $0.account) } ?? choice.genericPassword
    let destination = if let group = group.group { group } else { try vault.defaultAccessGroup }
    return try vault.history(of: item, in: existing?.group ?? destination).versions
      .first { $0.isCurrent && !$0.isDeletion }.map(VersionText.identifier)
  }

  /// Returns the vault, and the password whose value is replaced; nil for one that may be new.
  private func target() throws -> (vault: Vault, existing: FoundPassword?) {
    guard choice.kind == .internet, choice.reference == nil else {
      let vault = try actor.open(for: choice.namesExisting ? .changing(group.group) : .writing(group.group), to: .use)
      let existing = try existing(in: vault)
      if existing == nil { try checkLengths(in: vault) }
      return (vault, existing)
    }
    let texts = try attributes.changes(of: InspectedVault.newFields(of: .internetPassword))
    var vault = try actor.open(for: .changing(group.group), to: .use)
    let found = try choice.find(in: vault, group: group.group).filter { $0.isIdentified(by: texts) }
    guard let first = found.first else {
      if group.group == nil { vault = try actor.open(for: .writing(nil), to: .use) }
      try vault.check(.writing(group.group))
      try choice.checkLengths()
      return (vault, nil)
    }
    guard found.count == 1 else { throw PasswordChoice.ambiguous(found) }
    try vault.check(.changing(first.group))
    return (vault, first)
  }

  /// Returns the new value: a generated one, that of a file, of standard input, or of a prompt.
  private func value(named names: [String]) throws(VaultError) -> Data {
    if generation.generate { return generation.value() }
    guard let fromFile else {
      return try SecretInput.value(
        named: names.filter { !$0.isEmpty }.joined(separator: ", "), allowsEmpty: allowEmpty,
        stripsNewline: stripNewline)
    }
    var value = try SecretInput.contents(of: fromFile, what: "value")
    if stripNewline, value.last == UInt8(ascii: "\n") { value.removeLast() }
    guard allowEmpty || !value.isEmpty else { throw SecretInput.emptyValue }
    return value
  }

  /// Creates the password, or replaces its value. Returns the versions that this sets aside, in words.
  private func store(_ value: Data, in vault: Vault) throws -> [String] {
    let kind: ItemKind = choice.kind == .internet ? .internetPassword : .genericPassword
    var texts = try attributes.changes(of: InspectedVault.newFields(of: kind))
    for code in kind.nameFields { texts[code] = nil }
    let names = [choice.service ?? "", choice.account ?? ""]
    var superseded: [ItemVersion<GenericPassword>] = []
    try vault.transaction {
      if kind == .genericPassword {
        superseded = try vault.versionsInConflict(of: choice.genericPassword, in: group.group)
      }
      try InspectedVault(vault).set(kind, names: names, texts, value: [UInt8](value), in: group.group)
    }
    return superseded.map(VersionText.words)
  }

  /// Replaces the value, and the attributes that are given. Returns the versions that this sets aside, in words.
  private func replace(_ existing: FoundPassword, _ value: Data, in vault: Vault) throws -> [String] {
    try vault.transaction {
      // An edit removes the label for an empty text.
      let label = attributes.label.flatMap { $0.isEmpty ? nil : $0 }
      let superseded = try existing.replace(value: value, label: label, in: vault)
      guard attributes.hasMoreThanNames || attributes.label?.isEmpty == true else { return superseded }
      let inspected = InspectedVault(vault)
      let details = try inspected.details(of: existing)
      try inspected.edit(details.revision, attributes.changes(of: details.fields))
      return superseded
    }
  }

  /// Stores the items of all lines, or none of them.
  private func storeLines() throws {
    let file = try ItemLineFile.read(fromFile ?? "-")
    let groups = try file.groups()
    guard groups.isEmpty || group.group == nil else {
      throw VaultError(
        .invalidArgument, "the lines name their group; nothing was changed", recoverySuggestion: "leave out --group")
    }
    let vault = try actor.open(for: .writing(groups.first ?? group.group), to: .use)
    for group in groups { try vault.check(.writing(group)) }
    let destination: String? = if let named = group.group { named } else { try vault.defaultAccessGroup }
    var fullNames: [String: String] = [:]
    for name in groups + [destination].compactMap(\.self) { fullNames[name] = try vault.groupNames(name).first }
    try file.check(allowsEmpty: allowEmpty) { (name) throws(VaultError) in
      (name ?? destination).flatMap { fullNames[$0] } ?? ""
    }
    let inspected = InspectedVault(vault)
    try vault.transaction {
      for entry in file.entries {
        let item = entry.item
        try ItemLineFile.translating(at: entry.place) { () throws(VaultError) in
          try inspected.set(
            item.kind, item.texts, oneTimePassword: item.oneTimePassword, value: item.value,
            in: item.group ?? group.group)
        }
      }
    }
    try Output.line("Stored \(counted(file.entries.count, "item"))")
  }

  /// Returns the password whose value is replaced; nil for the generic password with the names, whether it exists or
  /// not. Throws `invalidArgument` if only an internet password has the names and no class is given: a second item with
  /// them would look like the replaced one.
  private func existing(in vault: Vault) throws(VaultError) -> FoundPassword? {
    if choice.namesExisting {
      let found = try choice.findOne(in: vault, group: group, as: actor)
      // A group that may only be read is refused before the prompt.
      try vault.check(.changing(found.group))
      return found
    }
    guard choice.kind == nil, try !hasGenericPassword(vault) else { return nil }
    guard let other = try choice.find(in: vault, group: group.group).first, other.kind == .internet else {
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
    return try !vault.accessGroups(containing: choice.genericPassword, in: destination).isEmpty
  }

  /// Throws `invalidArgument` if the item would be new and a name is longer than lists can show.
  private func checkLengths(in vault: Vault) throws(VaultError) {
    guard try !hasGenericPassword(vault) else { return }
    try choice.checkLengths()
  }

  private func checkInput() throws(VaultError) {
    if !allowEmpty { try choice.checkNotEmpty(or: "name the item, or add --allow-empty") }
    if let label = attributes.label { try PasswordChoice.checkLength(of: label, "label") }
  }
}

/// Items as JSON, one in each line: a file, or standard input.
struct ItemLineFile {
  /// An item, and the line that it is in, for errors.
  struct Entry {
    let item: ItemLine
    let place: String
  }

  private static let limit = 256 << 20

  let entries: [Entry]

  /// Reads all lines. Empty ones are left out. Throws `invalidArgument` with the number of the first line that is no
  /// item.
  static func read(_ path: String) throws(VaultError) -> ItemLineFile {
    let contents = try SecretInput.contents(of: path, what: "items", limit: limit)
    var entries: [Entry] = []
    for (index, line) in contents.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      guard line.contains(where: { $0 > UInt8(ascii: " ") }) else { continue }
      let place = TextLine.place(line: index + 1, of: path)
      let item = try translating(at: place) { () throws(VaultError) in try ItemLine(json: line) }
      entries.append(Entry(item: item, place: place))
    }
    guard !entries.isEmpty else {
      throw VaultError(
        .invalidArgument, "there are no items; nothing was changed",
        recoverySuggestion: "give one JSON object in each line")
    }
    return ItemLineFile(entries: entries)
  }

  /// Adds the place, and that nothing was changed, to the error that `body` throws.
  static func translating<Result>(
    at place: String, _ body: () throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    do throws(VaultError) {
      return try VaultError.at(place, body)
    } catch {
      throw error.withoutChange
    }
  }

  /// Throws `invalidArgument` if two lines have the same item, of which the second would replace the first, or if a
  /// value is empty and `allowsEmpty` is not set. `fullName` returns the full name of the group of a line.
  func check(
    allowsEmpty: Bool, fullName: (String?) throws(VaultError) -> String
  ) throws(VaultError) {
    var places: [[String]: String] = [:]
    for entry in entries {
      guard allowsEmpty || !entry.item.value.isEmpty else {
        throw VaultError(
          .invalidArgument, "\(entry.place): the value is empty; nothing was changed",
          recoverySuggestion: "give a value, or add --allow-empty")
      }
      guard let key = entry.item.primaryKey(in: try fullName(entry.item.group)) else { continue }
      guard let first = places.updateValue(entry.place, forKey: key) else { continue }
      throw VaultError(
        .invalidArgument, "\(entry.place): \(first) has the same item; nothing was changed",
        recoverySuggestion: "give each item once")
    }
  }

  /// The groups that the lines name. Throws `invalidArgument` if only some of them name one.
  func groups() throws(VaultError) -> [String] {
    let names = Set(entries.map(\.item.group))
    guard !names.contains(nil) || names.count == 1 else {
      throw VaultError(
        .invalidArgument, "some lines name a group and others do not; nothing was changed",
        recoverySuggestion: "name the group in each line, or in none")
    }
    return names.compactMap(\.self).sorted()
  }
}

extension VaultError {
  /// Returns the error, which says that the lines before have changed nothing either.
  fileprivate var withoutChange: VaultError {
    VaultError(code, "\(message); nothing was changed", recoverySuggestion: recoverySuggestion)
  }
}
