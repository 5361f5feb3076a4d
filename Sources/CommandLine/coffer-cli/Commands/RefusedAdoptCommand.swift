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
