internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// How the last sync ended: what it has transferred and found, or why it failed and what to do.
struct SyncResultView {
  let end: SyncProgress.End?

  var html: HTML {
    div(.id("result"), .class("stack")) {
      switch end {
      case .done(let report): done(report)
      case .failed(let error):
        Notice(
          kind: .danger, title: text(error.message.sanitizedForTerminal(limit: 1_000).asSentence),
          detail: p { advice((error.recoverySuggestion ?? "try again").asSentence) }
        ).html
      case .cancelled:
        Notice(
          kind: .information, title: "What has arrived is kept.", detail: p { "The next sync continues." }
        ).html
      case nil: HTML()
      }
    }
  }

  @HTMLBuilder private func done(_ report: SyncReport) -> HTML {
    if !report.problems.isEmpty {
      Notice(
        kind: .warning, title: text(counted(report.problems.count, "problem").startingSentence),
        detail: ul { for problem in report.problems { li { given(problem.message, limit: 1_000) } } }
      ).html
    }
    if let obstacle = report.membershipObstacle {
      Notice(
        kind: .warning, title: "The changes of membership of this machine were not sent.",
        detail: p { text(obstacle.asSentence) }
      ).html
    }
    facts([
      ("Received", text(Self.amount(report.recordsReceived, report.membershipReceived))),
      ("Sent", text(Self.amount(report.recordsSent + report.recordsInLanes, report.membershipSent))),
      ("Conflicts", text(counted(report.conflictCount, "item"))),
      ("Retries", text(report.retryCount.grouped)),
      ("Bytes", text("\(Output.size(report.bytesReceived)) received, \(Output.size(report.bytesSent)) sent")),
      ("Time", text(Self.time(report.duration))),
      ("Epoch", report.epochs > 0 ? text("\(report.epoch), which begins with a snapshot") : nil),
    ])
  }

  /// Changes of items and of the membership log.
  private static func amount(_ records: Int, _ entries: Int) -> String {
    let changes = counted(records, "item change")
    return entries == 0 ? changes : "\(changes), \(counted(entries, "membership entry", "membership entries"))"
  }

  private static func time(_ duration: Duration) -> String {
    let tenths = Int((duration / .milliseconds(100)).rounded())
    let seconds = "\(Double(tenths % 600) / 10) seconds"
    return tenths < 600 ? seconds : "\(counted(tenths / 600, "minute")), \(seconds)"
  }
}
