internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

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
  @Flag(help: "Print JSON.")
  var json = false

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
    if json {
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
    if json {
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
