internal import ArgumentParser
internal import Coffer
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

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
