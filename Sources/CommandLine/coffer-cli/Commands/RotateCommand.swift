internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferAgent
internal import CofferFormat
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct RotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "List the items to replace after machines, apps or a vault key were removed, or dismiss them.",
    discussion: """
      Whoever was removed may have kept what it could read, and so may whoever has a vault key that was replaced. An item is \
      listed until it has another value that was written afterwards, on a machine that had heard of it: change the password \
      where it is used, then run `coffer set`, with --class internet-password for an internet password. Or dismiss it, with a \
      reason.
      """,
    subcommands: [RotateListCommand.self, RotateDismissCommand.self], defaultSubcommand: RotateListCommand.self)
}

struct RotateListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the items to replace, without values.", aliases: ["ls"])
  @Flag(help: "Also list items that were dismissed, with the reason.")
  var dismissed = false
  @OptionGroup var actor: OwnerOptions
  @OptionGroup var output: ReportOptions

  func run() throws {
    var damaged: [VaultError] = []
    let vault = try actor.open()
    let items = try vault.exposedItems { damaged.append($0) }.filter { dismissed || $0.dismissal == nil }
    if output.json {
      try Output.json(items.map(ExposedItemRow.json))
    } else if !items.isEmpty {
      let names = try ShownNames(vault.local)
      try Output.table(
        [ExposedItemRow.columns + (dismissed ? ["DISMISSED"] : [])]
          + items.map { ExposedItemRow.cells($0, names) + (dismissed ? [Self.state(of: $0)] : []) },
        fitting: ExposedItemRow.columnWidths + [.name])
      let classes = Set(items.filter { $0.dismissal == nil }.map(\.itemClass))
      for advice in Self.advice(for: classes) { Terminal.printNote(advice) }
      if items.contains(where: { $0.dismissal == nil && $0.attributes[.oneTimePassword] != nil }) {
        Terminal.printNote(
          "Let each service with one-time codes show a new seed, then store it with: coffer otp add SERVICE ACCOUNT --replace --group GROUP"
        )
      }
    } else if Terminal.isOutput {
      Terminal.printNote("nothing to replace")
    }
    try damaged.report()
  }

  /// Returns how items of these classes are replaced, a line for each that commands replace and one for the others.
  private static func advice(for classes: Set<ItemClass>) -> [String] {
    var advice: [String] = []
    if classes.contains(.genericPassword) {
      advice.append(
        "Change each password where it is used, then store it with: coffer set SERVICE ACCOUNT --group GROUP")
    }
    if classes.contains(.internetPassword) {
      advice.append(
        "Change each internet password at its server, then store it with: coffer set --class internet-password SERVER ACCOUNT --group GROUP"
      )
    }
    if classes.contains(.certificate) || classes.contains(.key) {
      advice.append(
        "Replace certificates and keys in the app that stores them, and revoke the old certificates where they were issued"
      )
    }
    return advice
  }

  private static func state(of item: ExposedItem) -> String {
    guard let dismissal = item.dismissal else { return "-" }
    return "by \(Output.cell(dismissal.signer)): \(Output.cell(dismissal.reason))"
  }
}

struct RotateDismissCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismiss", abstract: "Take items off the list of what to replace, with a reason.",
    discussion: """
      For an item whose value is worth nothing to those who were removed: the account is closed, somebody has changed the \
      password elsewhere, or nobody has the vault key that was replaced. The reason goes into the membership log, where every machine of the vault can read it. If \
      something else is removed later that could read the item, it is listed again.

      Names a password by its service or server and its account, others with --class or --reference. With --all, all items \
      on the list.
      """)
  @Argument(help: ArgumentHelp("The service and the account; for other classes see above.", valueName: "name"))
  var names: [String] = []
  @Option(
    name: .customLong("class"),
    help: ArgumentHelp(
      "The class of the item.", discussion: "Default: passwords; with --all, every class.", valueName: "class"))
  var kind: ItemKind?
  @Option(
    help: ArgumentHelp("The item's reference, see: coffer rotate --json", valueName: "reference"),
    transform: ItemReference.argument)
  var reference: [ItemReference]?
  @Flag(help: "All items on the list.")
  var all = false
  @Option(
    help: ArgumentHelp("Only in this access group, by its full name or without the team prefix.", valueName: "group"))
  var group: String?
  @Option(
    help: ArgumentHelp(
      "Why the value stays as it is, in at most 256 bytes.", discussion: "Default: a prompt on the terminal.",
      valueName: "text"))
  var reason: String?
  @Flag(help: "Put dismissed items back on the list.")
  var undo = false
  @Flag(name: .shortAndLong, help: "With --all: do not ask whether this is meant.")
  var yes = false
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions
  @Flag(help: "Print JSON: the items, as `coffer rotate --json` does.")
  var json = false

  func validate() throws {
    if undo && reason != nil { throw ValidationError("--undo and --reason exclude each other") }
    if kind == .identity { throw ValidationError("an identity is a certificate and a key: name one of them") }
    guard [!names.isEmpty, reference != nil, all].filter({ $0 }).count == 1 else {
      throw ValidationError("name an item by its names or by --reference, or give --all")
    }
    if reference != nil {
      guard kind == nil else { throw ValidationError("--reference replaces --class") }
    } else if !all {
      let expected = (kind ?? .genericPassword).nameWords
      guard names.count == expected.count else {
        throw ValidationError("name the item by its \(expected.joined(separator: " and its "))")
      }
    }
  }

  func run() throws {
    try checkInput()
    let local = try LocalVault.open(VaultFolder(.standard()))
    let source = passphrase.source(of: local).rememberingFirst()
    // The change itself needs the passphrase: the agent signs no entry of the log.
    let vault = try Vault.open(asOwnerOf: local, passphrase: source, keeper: passphrase.agent(for: .use))
    let chosen = try chosenItems(vault)
    if !chosen.isEmpty {
      if all && !yes { try Confirmation.ask(after: Self.lines(chosen, undo: undo)) }
      let change = MembershipChange(in: local, allowingLogFork: claims.allowsLogFork)
      let reason = try undo ? nil : reason ?? askedReason()
      if let reason { try MembershipChange.checkDismissal(reason: reason) }
      try SyncProgram.publication.change(local) { (_) throws(VaultError) in
        try change.dismiss(chosen, reason: reason, passphrase: source)
      }
    }
    try report(chosen, vault)
  }

  /// Checks everything that needs no vault, before anybody is asked for a passphrase.
  private func checkInput() throws(VaultError) {
    if let reason { return try MembershipChange.checkDismissal(reason: reason) }
    guard undo || Terminal.isInput else {
      throw VaultError(
        .invalidArgument, "no reason is given, and nobody can be asked for it",
        recoverySuggestion: "add --reason TEXT; nothing was changed")
    }
  }

  private func askedReason() throws(VaultError) -> String {
    try Terminal.askLine("Reason", for: "the reason", otherwise: "add --reason TEXT")
  }

  /// Returns those of the named items that are not yet what they are to be.
  private func chosenItems(_ vault: Vault) throws(VaultError) -> [ExposedItem] {
    let groups = Set(try vault.groupNames(group))
    let found = try vault.exposedItems { Terminal.printError($0.description) }.filter { item in
      groups.contains(item.group) && isNamed(item)
    }
    guard all || !found.isEmpty else {
      throw VaultError(
        .itemNotFound, "there is no such item on the list of what to replace",
        recoverySuggestion: "see the list with: coffer rotate --dismissed")
    }
    if !all && found.count > 1 {
      let list = found.prefix(10).map { "\($0.reference?.path ?? "-") in \($0.group)" }.joined(separator: ", ")
      throw VaultError(
        .invalidArgument, "\(counted(found.count, "item")) on the list have these names: \(list)",
        recoverySuggestion: "choose one with --group or --reference; nothing was changed")
    }
    return found.filter { ($0.dismissal == nil) != undo }
  }

  private func isNamed(_ item: ExposedItem) -> Bool {
    if all { return kind == nil || kind?.itemClass == item.itemClass }
    if let reference { return item.reference.map(reference.contains) ?? false }
    return (kind.map { [$0] } ?? [.genericPassword, .internetPassword]).contains { kind in
      item.itemClass == kind.itemClass
        && zip(kind.nameCodes, names).allSatisfy { code, name in
          (item.attributes[code]?.matchBytes ?? []) == Array(name.utf8)
        }
    }
  }

  private static func lines(_ items: [ExposedItem], undo: Bool) -> [String] {
    var lines = [
      undo
        ? "\(counted(items.count, "item")) will be on the list of what to replace again:"
        : "\(counted(items.count, "item")) will not be on the list of what to replace any more:"
    ]
    for (group, items) in Dictionary(grouping: items, by: \.group).sorted(by: { $0.key < $1.key }) {
      lines.append("    \(counted(items.count, "item")) in \(group)")
    }
    return lines
  }

  private func report(_ items: [ExposedItem], _ vault: Vault) throws {
    guard !json else {
      let changed = Set(items.map(\.address))
      let after = try vault.exposedItems { _ in }.filter { changed.contains($0.address) }
      return try Output.json(after.map(ExposedItemRow.json))
    }
    guard !items.isEmpty else {
      return Terminal.printNote(undo ? "nothing to put back on the list" : "nothing to dismiss")
    }
    let isOne = items.count == 1
    try Output.line(
      undo
        ? "\(counted(items.count, "item")) \(isOne ? "has" : "have") to be replaced again."
        : "\(counted(items.count, "item")) \(isOne ? "is" : "are") dismissed.")
  }
}

/// An item to replace, in the output of `--json` and as a row of a table.
enum ExposedItemRow {
  /// The item with the keys of `list`, and those of `log` for the entry that dismissed it.
  static func json(_ item: ExposedItem) -> JSONObject {
    let object: JSONObject = [
      "class": ItemKind(item.itemClass).argument, "reference": item.reference?.path, "group": item.group,
      "written": item.written, "revocationEntry": item.exposure.position.sequence, "revoked": item.exposure.time,
      "exposedTo": item.exposure.readers.map { ["app": $0.application, "machine": $0.device] as JSONObject },
      "exposedToVaultKeys": item.exposure.vaultKeys,
      "dismissal": item.dismissal.map {
        ["number": $0.entry, "time": $0.time, "signedBy": $0.signer, "reason": $0.reason] as JSONObject
      },
    ]
    return object.including(StoredNames(item.attributes, of: item.itemClass))
      .including(JSONObject.writer(item.writer))
  }

  static let columns = ["GROUP", "CLASS", "SERVICE", "ACCOUNT", "WRITTEN", "WRITTEN BY", "WAS READABLE"]

  /// How these columns give way on a narrow terminal.
  static let columnWidths: [TableColumn] = [.ending, .whole, .name, .name, .date, .ending, .name]

  private static func word(for itemClass: ItemClass) -> String {
    switch itemClass {
    case .genericPassword: "generic"
    case .internetPassword: "internet"
    case .certificate: "certificate"
    case .key: "key"
    }
  }

  /// Returns the cells of these columns.
  static func cells(_ item: ExposedItem, _ shown: ShownNames) -> [String] {
    let names = StoredNames(item.attributes, of: item.itemClass)
    return [
      shown.group(item.group), Self.word(for: item.itemClass), Output.name(names.place ?? "-"),
      Output.name(names.account ?? names.label ?? "-"),
      Output.date(item.written), shown.writer(item.writer),
      (Set(item.exposure.readers.map(\.device)).sorted().map { "on \(Output.cell($0))" }
        + item.exposure.vaultKeys.map { "with vault key \($0)" }).joined(separator: ", "),
    ]
  }
}

extension ExposedItem {
  /// The reference by which commands name the item; nil for an item without one.
  var reference: ItemReference? { ItemReference(itemClass, attributes) }
}

extension StoredNames {
  /// What the item is for: the service, or the server of an internet password.
  var place: String? { service ?? server }
}
