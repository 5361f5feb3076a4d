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
        if log.lines.isEmpty {
          empty(.log, "No entry", "The log has no entry before this one.")
        } else {
          ol(.class("timeline")) {
            for (index, line) in log.lines.enumerated() { html(of: line, isNewest: index == 0 && !isContinued) }
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
          ol(.class("timeline")) {
            for line in log.otherBranches { html(of: line, isNewest: false) }
          }
        }
      }
    }
    return page
  }

  private func html(of line: LogLine, isNewest: Bool) -> HTML {
    li(.class(isNewest ? "now" : ""), .id("entry-\(line.number)-\(line.hash.prefix(8))")) {
      div(.class("what")) {
        strong { text(line.sentence) }
        moment(line.time)
      }
      div(.class("tags")) {
        tag("Entry \(line.number.description)")
        line.isPublished ? nil : tag("Not on the remote yet", "warning", icon: .sync)
        line.isAfterFork ? tag("After the fork", "danger", icon: .warning) : nil
        if isNewest { tag("Head", "accent") }
      }
      details {
        summary { "Details" }
        facts(
          [("Signed by", signer(of: line))]
            + line.details.map { (text($0.label), given($0.value, limit: 1000)) } + [
              ("Phrase", text(line.phrase)), ("Hash", code { text(line.hash) }),
            ])
      }
    }
  }

  /// Who signed an entry, with a link to the machine on which they did.
  private func signer(of line: LogLine) -> HTML {
    guard let machine = line.signerMachineID else { return given(line.signer) }
    return a(.href(PageAddress("machines", machine))) { given(line.signer) }
  }
}
