internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show the membership log: who changed what when, and who signed it.",
    discussion: """
      Without a subcommand, shows the entries: `coffer log -n 5`, `coffer log --json`, `coffer log --verify`; all options \
      are listed by: coffer log show --help
      """,
    subcommands: [LogShowCommand.self, LogResolveCommand.self], defaultSubcommand: LogShowCommand.self)
}

struct LogShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the entries, or verify them with --verify. This is what `coffer log` does.",
    discussion: """
      Lists the entries, newest first as `git log` does; times are those of the signers' clocks. The head phrase at the \
      end is the same on all machines that have the same log.

      With --verify, every signature, hash, place and statement is checked again from the genesis on, without anything \
      that this machine has computed before, and compared with the entries that other machines' segments and this \
      machine's apps have seen. Prints how many entries are valid, and names the first that is not.

      Needs no passphrase. Exits with 6 if the log is not valid, and with --verify also if anything contradicts it.
      """)
  @Option(
    name: [.customShort("n"), .long], help: ArgumentHelp("Show at most this number of entries.", valueName: "number"))
  var limit: Int?
  @Option(
    name: .customLong("kind"),
    help: ArgumentHelp("Show only entries of this kind. Can be repeated.", valueName: "kind"))
  var kinds: [LogLine.Kind] = []
  @Option(
    help: ArgumentHelp("Show only what the owner signed on this machine, or \"the vault key\".", valueName: "name"))
  var signedBy: String?
  @Flag(help: "Show the oldest entries first.")
  var reverse = false
  @Flag(help: "Verify the log from the genesis on.")
  var verify = false
  @OptionGroup var output: ReportOptions

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is a number of entries, 0 or more") }
    if verify && (limit != nil || !kinds.isEmpty || signedBy != nil || reverse) {
      throw ValidationError("--verify checks the whole log, so it excludes --limit, --kind, --signed-by and --reverse")
    }
  }

  func run() throws {
    guard !verify else { return try showVerification(LogVerification.run(in: VaultFolder(.standard()))) }
    let local = try LocalVault.openForReading(warn: Terminal.printError)
    let page = try LogPage.read(
      from: local, limit: limit,
      filter: LogFilter(kinds: Set(kinds), signer: signedBy))
    let lines = reverse ? page.lines.reversed() : page.lines
    if output.json {
      try Output.json(page.json(Array(lines)))
    } else {
      try show(lines, of: page, hasRemote: local.remote() != nil)
    }
    if let fork = page.forkError { Terminal.printError(fork.description) }
  }

  private func show(_ lines: [LogLine], of page: LogPage, hasRemote: Bool) throws(VaultError) {
    if !lines.isEmpty {
      try Output.table([["ENTRY", "TIME", "SIGNED BY", "WHAT"]] + lines.map { Self.cells($0, hasRemote: hasRemote) })
    }
    if !page.otherBranches.isEmpty {
      try Output.line("\nEntries of other branches, which do not count:")
      try Output.table(page.otherBranches.map { Self.cells($0, hasRemote: hasRemote) })
    }
    try Output.line(
      "\(lines.isEmpty ? "" : "\n")Head phrase of \(counted(page.total, "entry", "entries")): \(page.headPhrase)")
  }

  private static func cells(_ line: LogLine, hasRemote: Bool) -> [String] {
    let notes = [
      line.isPublished || !hasRemote ? nil : "not on the remote yet", line.isAfterFork ? "after the fork" : nil,
    ]
    .compactMap(\.self)
    return [
      String(line.number), Output.date(line.time), Output.name(line.signer),
      Output.cell(line.action) + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"),
    ]
  }

  private func showVerification(_ result: LogVerification) throws {
    if output.json {
      try Output.json(result.json)
    } else {
      try Output.line("Verified: \(result.verifiedCount) of \(counted(result.entryCount, "entry", "entries"))")
      try Output.line("Head phrase: \(result.headPhrase)")
      if result.isSound {
        try Output.line("Compare the phrase with `coffer log --verify` on another machine after its next sync.")
      }
    }
    try result.problems.report()
  }
}

/// The kinds of entries, as the JSON output names them.
extension LogLine.Kind: ExpressibleByArgument {}

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

      If a part of a removal never arrives, nobody can change the membership. This command then gives that removal up, on \
      a machine that it does not revoke, and rebuilds the store of this machine without it. A host can withhold the rest of \
      a removal that is meant: sync first on the machine that has signed it, and repeat the removal afterwards. If an admin \
      who cannot be trusted has signed it, take away its right to push first, and remove its machine afterwards. A removal \
      is not given up if somebody else has signed entries after it: who did that had all of it.
      """)
  @Flag(name: .shortAndLong, help: "Do not ask whether this is meant.")
  var yes = false
  @OptionGroup var vaultKey: VaultKeyOptions
  @Flag(help: "Print JSON: the entries that stay and those that are given up.")
  var json = false

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    // The host may show the rest of a branch by now. That the log has forked is no obstacle here.
    if try local.remote() != nil { try SyncProgram.publication.sync(local.folder) }
    let resolution = ForkResolution(in: local)
    let preview = try resolution.preview()
    if !yes {
      try Confirmation.ask(after: preview.lines)
    } else if preview.abandonedFrom != nil {
      // What ends a fork elsewhere gives up this machine's own branch here.
      for line in preview.lines { Terminal.printNote(line) }
    }
    let key = try vaultKey.key(
      of: local, because: "Only the vault key ends a fork, because admins have signed each of its branches.")
    if preview.abandonedFrom == nil {
      try SyncProgram.publication.change(local) { (_) throws(VaultError) in
        try resolution.run(with: key, accepting: yes ? nil : preview)
      }
    } else {
      try giveUp(preview, with: key)
    }
    if yes, preview.abandonedFrom == nil, let note = preview.withheldNote { Terminal.printNote(note) }
    let phrase = try LogPage.read(from: LocalVault.open(local.folder), limit: 0).headPhrase
    guard !json else {
      return try Output.json(object: [
        "forkedAfter": preview.forkedAfter, "kept": preview.kept.map(\.json), "rejected": preview.rejected.map(\.json),
        "groupsGivenUp": preview.groupsGivenUp, "groupsRecovered": preview.groupsRecovered,
        "groupsWithheld": preview.groupsWithheld, "headPhrase": phrase,
      ])
    }
    let done =
      preview.abandonedFrom.map { "Entry \($0) of the membership log, of which a part is missing, is given up." }
      ?? preview.forkedAfter.map { "The fork after entry \($0) has ended on this machine's branch." }
      ?? "What was written under keys of branches that were given up opens now."
    try Output.line(
      """
      \(done)
      Head phrase: \(phrase) — compare it with `coffer status` on the other machines after their next sync.
      """)
  }

  /// Gives up entries of this machine's branch, and sends the statement about that.
  private func giveUp(_ preview: ForkPreview, with key: VaultKey) throws {
    let location = try VaultLocation.standard()
    let folder = VaultFolder(location)
    // Another command must not change the membership meanwhile.
    let lock = try FileLock.acquire(
      path: folder.membershipLockPath, timeout: .seconds(60), purpose: "change of membership")
    defer { extendLifetime(lock) }
    let staging = try StagingFolder.create(for: location, isRebuild: true)
    let outcome = try StoreRebuild.begin(in: folder, staging: staging.folder).finish(givingUp: preview, with: key)
    extendLifetime(staging)
    if let moved = outcome.movedStore { Terminal.printNote("the old store is kept as \(Output.cell(moved))") }
    if try LocalVault.open(folder).remote() != nil { try SyncProgram.publication.sync(folder) }
  }
}

extension ForkPreview {
  /// What ending the fork does, a line each.
  fileprivate var lines: [String] {
    var lines: [String] = []
    if let abandonedFrom {
      lines.append("Entry \(abandonedFrom) of the membership log lacks a part: it is withheld, or was never sent.")
      if !kept.isEmpty { lines += ["What stays, on this machine's branch:"] + kept.map(\.line) }
      lines += ["What is given up, on all machines and for ever:"] + rejected.map(\.line)
      lines.append("Caution: the host may withhold the rest. Sync first on the machine that has signed this.")
    } else if let forkedAfter {
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
      : "Caution: somebody who was removed on a branch that is given up can read \(Self.list(groupsWithheld)) on this one. What was written there since stays closed: remove them here as well, then run again: coffer log resolve"
  }

  private static func list(_ groups: [String]) -> String { groups.map(Output.cell).joined(separator: ", ") }
}

extension LogLine {
  /// The entry as a line of a list.
  fileprivate var line: String { "  \(number)  \(Output.date(time))  \(Output.name(signer)) \(Output.name(action))" }
}

extension LogLine {
  /// The entry in the output of `--json`.
  var json: JSONObject {
    [
      "number": number, "time": time, "signedBy": signer, "signerMachine": signerMachine, "kind": kind, "what": action,
      "hash": hash, "phrase": phrase, "isPublished": isPublished, "isAfterFork": isAfterFork, "details": details,
    ]
  }
}

extension LogPage {
  /// The output of `coffer log --json`, with the lines in the order in which they are shown.
  func json(_ lines: [LogLine]) -> JSONObject {
    [
      "entries": lines.map(\.json), "entryCount": total, "headPhrase": headPhrase, "fork": forkError?.message,
      "otherBranches": otherBranches.map(\.json),
    ]
  }
}

extension LogVerification {
  /// The output of `coffer log --verify --json`.
  var json: JSONObject {
    [
      "verifiedCount": verifiedCount, "entryCount": entryCount, "headPhrase": headPhrase, "isSound": isSound,
      "firstInvalidEntry": firstInvalidEntry,
      "problems": problems.map {
        ["message": $0.message, "recoverySuggestion": $0.recoverySuggestion] as JSONObject
      },
    ]
  }
}
