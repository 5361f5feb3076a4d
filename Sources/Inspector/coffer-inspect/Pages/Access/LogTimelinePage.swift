internal import CofferAdministration
internal import CofferInspection
internal import CofferSystem

/// The membership log, newest entry first.
struct LogTimelinePage {
  let log: LogPage
  /// Whether newer entries are left out.
  let isContinued: Bool

  var page: Page {
    var page = Page(title: "Membership log", place: .log)
    page.lead =
      "Every change of who may read what, signed and in one chain. It is the same on all machines that have synced."
    page.content = joined {
      if let fork = log.fork.map(Attention.logFork) {
        Notice(kind: .danger, title: text(fork.sentence), detail: p { advice(fork.advice) }).html
      }
      card("\(counted(log.total, "entry", "entries"))", id: "entries") {
        if log.lines.isEmpty { empty(.log, "No entry", "The log has no entry before this one.") }
        for part in Self.days(of: log.lines) {
          h3(.class("day")) { longDay(part[0].time) }
          ol(.class("timeline")) {
            for run in Self.runs(of: part) {
              run.count > 1 ? html(of: run) : html(of: run[0], isNewest: run[0].number == log.total && !isContinued)
            }
          }
        }
        nav(.class("actions"), .label("Pages")) {
          if isContinued { linkButton("Newest entries", to: PageAddress("log"), style: "small") }
          if let next = log.next {
            linkButton("Older entries", to: PageAddress("log").with("before", String(next)), style: "small")
          }
        }
      }
      if !log.otherBranches.isEmpty {
        card("Entries of another branch", id: "branches") {
          p(.class("hint")) { "They do not count, because the log has forked." }
          for part in Self.days(of: log.otherBranches) {
            h3(.class("day")) { longDay(part[0].time) }
            ol(.class("timeline")) { for line in part { html(of: line, isNewest: false) } }
          }
        }
      }
    }
    return page
  }

  /// The lines of each day.
  private static func days(of lines: [LogLine]) -> [[LogLine]] {
    lines.reduce(into: []) { days, line in
      if let last = days.last?.first, last.time.localText.prefix(10) == line.time.localText.prefix(10) {
        days[days.count - 1].append(line)
      } else {
        days.append([line])
      }
    }
  }

  /// Puts the changes of keys together that follow one removal or one new machine.
  private static func runs(of lines: [LogLine]) -> [[LogLine]] {
    lines.reduce(into: []) { runs, line in
      if let kind = line.keyChange, let last = runs.last?.first, last.keyChange == kind, last.signer == line.signer {
        runs[runs.count - 1].append(line)
      } else {
        runs.append([line])
      }
    }
  }

  /// Changes of keys as one entry.
  private func html(of run: [LogLine]) -> HTML {
    let signer = run[0].signer.prefix(1).uppercased() + run[0].signer.dropFirst()
    return li(.class(run[0].number == log.total && !isContinued ? "now" : "")) {
      details {
        summary {
          strong { text("\(signer) \(run[0].keyChange ?? "changed") \(counted(run.count, "key")).") }
          " Entries \(run[run.count - 1].number.description)–\(run[0].number.description) "
          marks(of: run)
        }
        ol(.class("timeline")) { for line in run { html(of: line, isNewest: false) } }
      }
    }
  }

  private func html(of line: LogLine, isNewest: Bool) -> HTML {
    li(.class(isNewest ? "now" : ""), .id("entry-\(line.number)-\(line.hash.prefix(8))")) {
      div(.class("what")) {
        strong { text(line.sentence) }
        timeOfDay(line.time)
      }
      details {
        summary {
          "Entry \(line.number.description) "
          marks(of: [line])
          if isNewest { tag("Head", "accent") }
        }
        facts(
          [("Signed by", signer(of: line))]
            + line.details.map { (text($0.label), given($0.value, limit: 1000)) } + [
              ("Phrase", text(line.phrase)), ("Hash", code { text(line.hash) }),
            ])
      }
    }
  }

  /// Words for entries that may not count yet, or any more.
  @HTMLBuilder private func marks(of lines: [LogLine]) -> HTML {
    if lines.contains(where: { !$0.isPublished }) { tag("Not on the remote yet", "warning", icon: .sync) }
    if lines.contains(where: \.isAfterFork) { tag("After the fork", "danger", icon: .warning) }
  }

  /// Who signed an entry, with a link to the machine on which they did.
  private func signer(of line: LogLine) -> HTML {
    guard let machine = line.signerMachineID else { return given(line.signer) }
    return a(.href(PageAddress("machines", machine))) { given(line.signer) }
  }
}

extension LogLine {
  /// What the entry does to a key, which removals, new vault keys and new machines cause; nil for any other entry.
  fileprivate var keyChange: String? {
    if kind == .grant { return "shared" }
    let isRenewed = details.contains { $0.label.hasPrefix("Generation") && $0.value != "1" }
    return isRenewed && (kind == .groupKey || kind == .transportKey) ? "renewed" : nil
  }
}
