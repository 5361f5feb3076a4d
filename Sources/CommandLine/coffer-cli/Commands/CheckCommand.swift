internal import ArgumentParser
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Compare the vault's store with the signed objects in it, and repair it.",
    discussion: """
      Reads every record, segment and log entry of this machine and names each row that differs. With --repair, rows are \
      restored from the segments and derived again. What only the remote has is fetched by the next `coffer sync`. What \
      no copy is known of is named as lost and removed. If the file itself is damaged, a new one is built of what can be \
      read of it, with or without a remote, and the damaged one is kept beside it.

      To save all items before a repair: coffer export json FILE

      Needs no passphrase. Exits with 6 if something differs and is not repaired.
      """)
  @Flag(help: "Repair the store.")
  var repair = false
  @OptionGroup var output: ReportOptions

  func run() throws {
    let meter = CountMeter("checking", "objects")
    let report: CheckReport
    do {
      defer { meter.finish() }
      let folder = try VaultFolder(.standard())
      let show = { meter.show($0, of: $1) }
      report =
        repair ? try VaultCheck.repair(folder, progress: show) : try VaultCheck.open(folder, progress: show).run()
    }
    if output.json {
      try Output.json(object: [
        "differences": report.rows, "rows": report.total, "isRepaired": report.isRepaired,
        "needsSync": report.needsRemote, "lost": report.lostCount, "damagedFile": report.movedFile,
        "lostRemote": report.lostRemote,
      ])
    } else {
      for line in report.lines { try Output.line(line) }
      try Output.line(Self.conclusion(report))
    }
    let isSound = report.isEmpty || (report.isRepaired && !report.needsRemote && report.lostCount == 0)
    guard isSound, report.lostRemote == nil else { throw ExitCode(6) }
  }

  private static func conclusion(_ report: CheckReport) -> String {
    if let url = report.lostRemote {
      let rows = "\(report.total) rows \(report.isRepaired ? "differed" : "differ")"
      let state = report.isEmpty ? "Nothing differs" : rows
      return """
        \(state), and the store has lost its remote. What was synced comes back if you \
        \(VaultFolder.rejoinSuggestion(from: url))
        """
    }
    if report.isEmpty {
      if report.movedFile != nil { return "The new file matches its signed objects." }
      return report.needsRemote
        ? "Nothing differs, but changes are awaited from the remote. Next: coffer sync"
        : "The store matches its signed objects."
    }
    guard report.isRepaired else {
      return """
        \(report.total) rows differ. To save all items that can be read, run `coffer export json FILE`; then repair the store with: \
        coffer check --repair
        """
    }
    var words = "\(report.total) rows differed and were repaired."
    if report.lostCount > 0 { words = "\(report.total) rows differed; \(report.lostCount) of them are lost." }
    return report.needsRemote ? "\(words) `coffer sync` fetches what only the remote has." : words
  }
}

/// Shows the progress of long work in one line of the terminal. Shows nothing if standard error is no terminal, and
/// nothing in the first second.
final class CountMeter {
  private let start = ContinuousClock.now
  private var shown = ContinuousClock.now
  private var isVisible = false
  private let verb: String
  private let noun: String

  /// Takes what is done and to what, such as "checking" and "objects".
  init(_ verb: String, _ noun: String) {
    self.verb = verb
    self.noun = noun
  }

  /// Shows the progress, at most ten times a second. The total is nil if it is not known.
  func show(_ done: Int, of total: Int?) {
    let now = ContinuousClock.now
    guard now - start > .seconds(1), now - shown > .milliseconds(100), isatty(STDERR_FILENO) == 1 else { return }
    shown = now
    isVisible = true
    StandardError.write("\r\(verb) \(done)\(total.map { " of \($0)" } ?? "") \(noun)\u{1B}[K")
  }

  /// Clears the line.
  func finish() {
    if isVisible { StandardError.write("\r\u{1B}[K") }
    isVisible = false
  }
}
