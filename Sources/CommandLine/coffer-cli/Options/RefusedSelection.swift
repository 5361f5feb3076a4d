internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

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
