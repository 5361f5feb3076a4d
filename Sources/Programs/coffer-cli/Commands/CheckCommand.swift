internal import ArgumentParser
internal import CofferTerminal
internal import CofferVault

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Compare the vault's store with the signed objects in it, and repair it.",
    discussion: """
      Reads every record, segment and log entry of this machine and names each row that differs. With --repair, rows are \
      restored from the segments and derived again. What only the remote has is fetched by the next `coffer sync`. What \
      no copy is known of is named as lost and removed.

      Needs no passphrase. Exits with 6 if something differs and is not repaired.
      """)
  @Flag(help: "Repair the store.")
  var repair = false
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let meter = CountMeter("checking", "objects")
    let report: CheckReport
    do {
      defer { meter.finish() }
      let check = try VaultCheck.open(VaultFolder(.standard()), progress: { meter.show($0, of: $1) })
      // Without a difference, nothing is locked.
      let found = try check.run()
      report = repair && !found.isEmpty ? try check.repair() : found
    }
    if json {
      try Output.json(object: [
        "differences": report.rows, "rows": report.total, "isRepaired": report.isRepaired,
        "needsSync": report.needsRemote, "lost": report.lostCount,
      ])
    } else {
      for line in report.lines { try Output.line(line) }
      try Output.line(Self.conclusion(report))
    }
    let isSettled = report.isEmpty || (report.isRepaired && !report.needsRemote && report.lostCount == 0)
    guard isSettled else { throw ExitCode(6) }
  }

  private static func conclusion(_ report: CheckReport) -> String {
    if report.isEmpty {
      return report.needsRemote
        ? "Nothing differs, but segments are awaited. Next: coffer sync" : "The store matches its signed objects."
    }
    guard report.isRepaired else {
      return "\(report.total) rows differ. Repair them with: coffer check --repair"
    }
    var words = "\(report.total) rows differed and were repaired."
    if report.lostCount > 0 { words = "\(report.total) rows differed; \(report.lostCount) of them are lost." }
    return report.needsRemote ? "\(words) Next: coffer sync fetches what only the remote has." : words
  }
}
