internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault

struct LogResolveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve", abstract: "End a fork of the membership log on this machine's branch.",
    discussion: """
      The log forks if two different entries follow the same one, as when an admin's machine is copied, or the host shows \
      two admins different logs. Until it ends, what was added on either branch counts for nothing, and what was removed on \
      either branch stays out.

      Shows the entries that stay and those that are given up, and asks for the vault key: each branch is signed by admins, \
      and none of them is to decide for the others. Run it on a machine that has the right branch. The machines with another \
      one are told to follow this one, with: coffer clone --rejoin --accept-fork

      What was removed on a branch that is given up is in the vault again: remove it anew if that was meant. If an admin's \
      machine that cannot be trusted has signed the other branch, remove it instead, which also ends the fork: coffer \
      device revoke
      """)
  @Flag(name: .shortAndLong, help: "Do not ask whether this is meant.")
  var yes = false
  @OptionGroup var vaultKey: VaultKeyOptions
  @Flag(help: "Print JSON: the entries that stay and those that are given up.")
  var json = false

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    // The host may show the rest of a branch by now. That the log has forked is no obstacle here.
    if try local.remote() != nil { try SyncProgram.sync(local.folder) }
    let resolution = ForkResolution(in: local)
    let preview = try resolution.preview()
    if !yes { try Confirmation.ask(after: preview.lines) }
    let key = try vaultKey.key(
      of: local, because: "Only the vault key ends a fork, because admins have signed each of its branches.")
    try SyncProgram.withMembershipChange(local) { (_) throws(VaultError) in
      try resolution.run(with: key, accepting: yes ? nil : preview)
    }
    if yes, let note = preview.withheldNote { Terminal.printNote(note) }
    let phrase = try LogPage.read(from: LocalVault.open(local.folder), limit: 0).headPhrase
    guard !json else {
      return try Output.json(object: [
        "forkedAfter": preview.forkedAfter, "kept": preview.kept.map(\.json), "rejected": preview.rejected.map(\.json),
        "groupsGivenUp": preview.groupsGivenUp, "groupsRecovered": preview.groupsRecovered,
        "groupsWithheld": preview.groupsWithheld, "headPhrase": phrase,
      ])
    }
    let done =
      preview.forkedAfter.map { "The fork after entry \($0) has ended on this machine's branch." }
      ?? "What was written under keys of branches that were given up opens now."
    try Output.line(
      """
      \(done)
      Head phrase: \(phrase) — compare it with `coffer status` on the other machines after their next sync.
      """)
  }
}

extension ForkPreview {
  /// What ending the fork does, a line each.
  fileprivate var lines: [String] {
    var lines: [String] = []
    if let forkedAfter {
      lines += ["The membership log has forked after entry \(forkedAfter).", "What stays, on this machine's branch:"]
      lines += kept.map(\.line)
      lines.append("What is given up, on other branches:")
      lines += rejected.map(\.line)
    } else {
      lines.append("The fork has ended. Branches that were given up have keys of access groups that this one lacks.")
    }
    if !groupsRecovered.isEmpty {
      lines.append("What was written under other keys there opens here: \(Self.list(groupsRecovered))")
    }
    if isOwnRejected {
      lines.append("Caution: the vault key was used to end this fork on another branch. This takes that back.")
    }
    if rejected.contains(where: { $0.kind == .revocation }) {
      lines.append(
        "Caution: what a branch that is given up removed is in the vault again: remove it anew if that was meant.")
    }
    if !groupsGivenUp.isEmpty {
      lines.append(
        "Caution: other branches have created \(Self.list(groupsGivenUp)). Items that were written there do not open on this branch."
      )
    }
    if let withheldNote { lines.append(withheldNote) }
    return lines
  }

  /// What stays closed, and what to do; nil if nothing does.
  fileprivate var withheldNote: String? {
    groupsWithheld.isEmpty
      ? nil
      : "Caution: somebody who was removed on another branch can read \(Self.list(groupsWithheld)) on this one. What was written there since stays closed: remove them here as well, then run again: coffer log resolve"
  }

  private static func list(_ groups: [String]) -> String { groups.map(Output.cell).joined(separator: ", ") }
}

extension LogLine {
  /// The entry as a line of a list.
  fileprivate var line: String { "  \(number)  \(Output.date(time))  \(Output.name(signer)) \(Output.name(action))" }
}
