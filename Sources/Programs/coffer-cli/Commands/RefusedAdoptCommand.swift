internal import ArgumentParser
internal import Coffer
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault

struct RefusedAdoptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt", abstract: "Make refused versions the current ones, as the owner.",
    discussion: """
      Writes their contents again under the owner's own signature. A version of an item that was changed by somebody who \
      had not seen it is adopted only with --force; the other one stays in the history.

      Look at the author first: a machine that was stolen can have written anything.
      """)
  @Argument(help: "The versions: the beginnings of their identifiers in `coffer refused`, at least four characters.")
  var versions: [String] = []
  @Flag(help: "All versions that `coffer refused` lists and that can be adopted.")
  var all = false
  @Option(help: ArgumentHelp("With --all: only those of this access group.", valueName: "group"))
  var group: String?
  @Option(help: ArgumentHelp("With --all: only those that were written on this machine.", valueName: "name"))
  var machine: String?
  @Flag(help: "Also replace versions that the refused one's author had not seen.")
  var force = false
  @OptionGroup var actor: OwnerOptions
  @Flag(help: "Print JSON: the versions that were adopted, and how many of those that were named were not.")
  var json = false

  private struct Report: Encodable {
    struct Version: Encodable {
      let version: String
      let group: String?
    }
    let versions: [Version]
    let versionCount: Int
    let remainingCount: Int
  }

  func validate() throws {
    guard versions.isEmpty == all else { throw ValidationError("name versions, or give --all") }
    guard all || group == nil && machine == nil else { throw ValidationError("--group and --machine need --all") }
  }

  func run() throws {
    let vault = try actor.open()
    let open = try vault.refusedRecords().filter { $0.obstacle != .followed }
    let chosen = try all ? open.filter(isChosen) : versions.map { try record(named: $0, in: open) }
    if !chosen.isEmpty { try vault.adopt(Set(chosen.map(\.hash)), overNewer: force) }
    let left = all ? open.filter { isNamed($0) && !isChosen($0) }.count : 0
    guard !json else {
      return try Output.json(
        Report(
          versions: chosen.map { .init(version: $0.identifier, group: $0.group) }, versionCount: chosen.count,
          remainingCount: left))
    }
    if chosen.isEmpty {
      Terminal.printNote("nothing to adopt")
    } else {
      try Output.line(chosen.count == 1 ? "1 version is adopted." : "\(chosen.count) versions are adopted.")
    }
    if left > 0 { Terminal.printNote("\(left) cannot be adopted like this; see: coffer refused") }
  }

  private func isNamed(_ record: RefusedRecord) -> Bool {
    let isInGroup = group.map { name in
      record.group.map { $0 == name || $0.hasSuffix("." + name) } ?? false
    }
    return isInGroup ?? true && machine.map { $0 == record.writer?.device } ?? true
  }

  private func isChosen(_ record: RefusedRecord) -> Bool {
    isNamed(record) && (record.obstacle == nil || force && record.obstacle == .itemChanged)
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
