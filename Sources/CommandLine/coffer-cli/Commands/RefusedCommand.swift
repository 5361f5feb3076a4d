internal import ArgumentParser
internal import Coffer
internal import CofferFormat
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct RefusedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refused", abstract: "List versions of items that do not count, and adopt or discard them.",
    discussion: """
      A version does not count if the membership log does not let its author write it: above all what a machine or an app \
      wrote after it was removed. As the owner, you can adopt such a version, on the machine that lists it, or discard it.
      """,
    subcommands: [RefusedListCommand.self, RefusedAdoptCommand.self, RefusedDiscardCommand.self],
    defaultSubcommand: RefusedListCommand.self)
}

struct RefusedListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List versions of items that do not count, without values.",
    discussion: "Those that were adopted, discarded, or that somebody has written over, are left out.", aliases: ["ls"])
  @Flag(help: "Also list versions that were adopted or written over.")
  var all = false
  @OptionGroup var actor: OwnerOptions
  @OptionGroup var output: ReportOptions

  func run() throws {
    let records = try actor.open().refusedRecords().filter { all || $0.obstacle != .followed }
    guard output.json || !records.isEmpty else {
      if Terminal.isOutput { Terminal.printNote("no refused versions") }
      return
    }
    try output.show(
      records, RefusedRecordRow.columns, fields: RefusedRecordRow.json, cells: RefusedRecordRow.cells)
    guard !output.json else { return }
    Terminal.printNote("Make one the current version with: coffer refused adopt VERSION")
    Terminal.printNote("Take what nobody needs off this list with: coffer refused discard VERSION")
  }
}

struct RefusedAdoptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt", abstract: "Make refused versions the current ones, as the owner.",
    discussion: """
      Writes their contents again under the owner's own signature. A version of an item that was changed by somebody who \
      had not seen it is adopted only with --force; the other one stays in the history.

      Look at the author first: a machine that was stolen can have written anything.
      """)
  @OptionGroup var selection: RefusedSelection
  @Flag(help: "Also replace versions that the refused one's author had not seen.")
  var force = false
  @OptionGroup var actor: OwnerOptions
  @Flag(help: "Print JSON: the versions that were adopted, and how many of those that were named were not.")
  var json = false

  func run() throws {
    let vault = try actor.open()
    let open = try vault.refusedRecords().filter { $0.obstacle != .followed }
    let named = try selection.chosen(from: open)
    let chosen = selection.all ? named.filter(isAdoptable) : named
    if !chosen.isEmpty { try vault.adopt(Set(chosen.map(\.hash)), overNewer: force) }
    let left = named.count - chosen.count
    guard !json else {
      return try Output.json(object: [
        "versions": chosen.map { ["version": $0.identifier, "group": $0.group] as JSONObject },
        "versionCount": chosen.count, "remainingCount": left,
      ])
    }
    if chosen.isEmpty {
      Terminal.printNote("nothing to adopt")
    } else {
      try Output.line(chosen.count == 1 ? "1 version is adopted." : "\(chosen.count) versions are adopted.")
    }
    if left > 0 { Terminal.printNote("\(left) cannot be adopted like this; see: coffer refused") }
  }

  private func isAdoptable(_ record: RefusedRecord) -> Bool {
    record.obstacle == nil || force && record.obstacle == .itemChanged
  }
}

struct RefusedDiscardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard", abstract: "Take refused versions off the list of this machine.",
    discussion: """
      The contents of versions that can never count, because their author was removed or is unknown, are deleted here. \
      Others stay where they are, and count if their author gets the right to write them.

      Other machines keep what they have. Afterwards, nobody can adopt the versions on this machine.
      """)
  @OptionGroup var selection: RefusedSelection
  @Flag(name: .shortAndLong, help: "Do not ask whether this is meant.")
  var yes = false
  @OptionGroup var actor: OwnerOptions
  @Flag(help: "Print JSON: the versions that were discarded.")
  var json = false

  func run() throws {
    let vault = try actor.open()
    let chosen = try selection.chosen(from: vault.refusedRecords().filter { $0.obstacle != .followed })
    if !chosen.isEmpty {
      if !yes { try Confirmation.ask(after: Self.lines(chosen)) }
      try vault.discard(Set(chosen.map(\.hash)))
    }
    guard !json else {
      return try Output.json(object: ["versions": chosen.map(RefusedRecordRow.json), "versionCount": chosen.count])
    }
    guard !chosen.isEmpty else { return Terminal.printNote("nothing to discard") }
    try Output.line(chosen.count == 1 ? "1 version is discarded." : "\(chosen.count) versions are discarded.")
  }

  private static func lines(_ records: [RefusedRecord]) -> [String] {
    let writers = Dictionary(grouping: records) { $0.writer.map(VersionText.writer) ?? "an unknown author" }
    return ["\(counted(records.count, "refused version")) will be discarded, and cannot be adopted afterwards:"]
      + writers.sorted { $0.key < $1.key }.map { "    \($0.value.count) by \($0.key)" }
  }
}

/// The choice of refused versions: some by name, or all.
struct RefusedSelection: ParsableArguments {
  @Argument(help: "The versions: the beginnings of their identifiers in `coffer refused`, at least four characters.")
  var versions: [String] = []
  @Flag(help: "All versions that `coffer refused` lists; to adopt, those that can be adopted.")
  var all = false
  @Option(help: ArgumentHelp("With --all: only those of this access group.", valueName: "group"))
  var group: String?
  @Option(help: ArgumentHelp("With --all: only those that were written on this machine.", valueName: "name"))
  var machine: String?

  func validate() throws {
    guard versions.isEmpty == all else { throw ValidationError("name versions, or give --all") }
    guard all || group == nil && machine == nil else { throw ValidationError("--group and --machine need --all") }
  }

  /// Returns the versions that are named or, with `--all`, those of the group and the machine. Throws `itemNotFound`
  /// for a name of none or of several.
  func chosen(from records: [RefusedRecord]) throws(VaultError) -> [RefusedRecord] {
    try all ? records.filter(isNamed) : versions.map { name throws(VaultError) in try record(named: name, in: records) }
  }

  private func isNamed(_ record: RefusedRecord) -> Bool {
    let isInGroup = group.map { name in
      record.group.map { $0 == name || $0.hasSuffix("." + name) } ?? false
    }
    return isInGroup ?? true && machine.map { $0 == record.writer?.device } ?? true
  }

  private func record(named name: String, in records: [RefusedRecord]) throws(VaultError) -> RefusedRecord {
    let found = name.count < 4 ? [] : records.filter { $0.identifier.hasPrefix(name.lowercased()) }
    guard let first = found.first, found.count == 1 else {
      throw VaultError(
        .itemNotFound,
        found.isEmpty
          ? "no refused version begins with \(Output.cell(name))"
          : "several refused versions begin with \(Output.cell(name))",
        recoverySuggestion: "list them with: coffer refused")
    }
    return first
  }
}

/// A version that does not count, in the output of `--json` and as a row of a table.
enum RefusedRecordRow {
  static func json(_ record: RefusedRecord) -> JSONObject {
    let object: JSONObject = [
      "version": record.identifier, "class": ItemKind(record.itemClass).argument, "group": record.group,
      "written": record.written, "isDeletion": record.isDeletion, "reason": record.reason,
      "obstacle": record.obstacle?.rawValue,
    ]
    return object.including(record.names).including(JSONObject.writer(record.writer))
  }

  static let columns = ["VERSION", "WRITTEN", "WRITTEN BY", "GROUP", "SERVICE", "ACCOUNT", "WHY"]

  /// Returns the cells of these columns.
  static func cells(_ record: RefusedRecord) -> [String] {
    let names = record.names
    return [
      String(record.identifier.prefix(ItemVersionRow.shownIdentifierLength)), Output.date(record.written),
      record.writer.map(VersionText.writer) ?? "unknown", record.group ?? "unknown", Output.name(names?.place ?? "-"),
      Output.name(names?.account ?? names?.label ?? "-"), record.reason + (record.note.map { "; \($0)" } ?? ""),
    ]
  }
}

extension RefusedRecord {
  /// The names of the item; nil if the attributes do not open.
  fileprivate var names: StoredNames? { attributes.map { StoredNames($0, of: itemClass) } }

  /// What somebody has to know before adopting it.
  fileprivate var note: String? {
    switch obstacle {
    case .itemChanged: "the item was changed since: adopt it with --force"
    case .noKey: "no key opens it here"
    case .damaged: "its contents are damaged"
    case .followed: "adopted or written over"
    case .unknownAuthor: "it cannot be adopted"
    case nil: isDeletion ? "it deletes the item" : nil
    }
  }
}
