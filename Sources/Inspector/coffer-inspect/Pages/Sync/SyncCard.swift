internal import CofferInspection
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A sync that the page starts, watches and cancels.
struct SyncCard {
  /// Why there is nothing to sync with; nil if there is.
  let missingRemote: Attention?
  let progress: SyncProgress
  let csrf: String

  private var state: SyncState { SyncState(progress) }

  var html: HTML {
    let state = state
    return card("Sync", id: "sync") {
      div(.class("stack"), .data(.progress, PageAddress("sync", "progress").text)) {
        if let missingRemote {
          Notice(
            kind: .information, title: text(missingRemote.sentence), detail: p { advice(missingRemote.advice) }
          ).html
        }
        div(.class("actions")) {
          changeForm(PageAddress("sync", "start"), csrf: csrf) {
            button(.type("submit"), .class("primary"), .disabled(state.isRunning || missingRemote != nil)) {
              Icon.sync.html
              "Sync now"
            }
          }
          changeForm(PageAddress("sync", "cancel"), csrf: csrf, .hidden(!state.isRunning)) {
            button(.type("submit"), .disabled(state.isCancelled)) { "Cancel" }
          }
        }
        p(.role("status"), .id("sync-status")) { text(state.message) }
        bar(state)
        phases(state)
        p(.class("hint"), .id("repetition"), .hidden(state.repetition.isEmpty)) { text(state.repetition) }
        SyncResultView(progress: progress).html
        div(.hidden(state.lines.isEmpty)) {
          pre(.class("block text"), .data(.text), .tabindex(0), .role("log"), .label("What coffer-sync says")) {
            text(state.lines.joined(separator: "\n"))
          }
        }
      }
    }
  }

  /// Without numbers, the bar shows only that something happens.
  private func bar(_ state: SyncState) -> HTML {
    let numbers: [Attribute] = state.total > 0 ? [.maximum(state.total), .value(String(state.done))] : []
    return .element(
      "progress", [.hidden(!state.isRunning), .label("Progress of the sync")] + numbers, HTML())
  }

  private func phases(_ state: SyncState) -> HTML {
    // All phases are in the document, so that the script only changes their words.
    let phases = state.phases.isEmpty ? SyncState(SyncProgress(isRunning: true)).phases : state.phases
    return ol(.class("phases"), .label("Phases of the sync"), .hidden(state.phases.isEmpty)) {
      for phase in phases {
        li(.data(.phase, phase.name), .class(phase.state.rawValue)) {
          span(.data(.words)) { text(phase.words) }
          span(.data(.state)) { text(phase.stateWords) }
        }
      }
    }
  }
}

/// How the last sync ended: what it has transferred and found, or why it failed and what to do.
struct SyncResultView {
  let progress: SyncProgress

  var html: HTML {
    div(.id("result"), .class("stack")) {
      if !progress.problems.isEmpty {
        Notice(
          kind: .warning, title: text(counted(progress.problems.count, "problem").startingSentence),
          detail: ul { for problem in progress.problems { li { given(problem.line, limit: 1_000) } } }
        ).html
      }
      switch progress.end {
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

/// How far a sync is, in words, for the page and for its script.
struct SyncState: Encodable, Sendable {
  /// A phase of the sync.
  struct Phase: Encodable, Sendable {
    /// What has become of a phase.
    enum State: String, Encodable, Sendable { case waiting, current, stopped, done, absent }

    /// The name, as `coffer sync --progress` prints it.
    let name: String
    let state: State
    /// What it does, with the numbers.
    let words: String
    /// The state in words; empty for a phase that is to come.
    let stateWords: String
  }

  let isRunning: Bool
  let isCancelled: Bool
  /// All phases in their order; empty before the first sync.
  let phases: [Phase]
  /// How often the sync has asked the remote again, as a sentence; empty if it has not.
  let repetition: String
  let lines: [String]
  /// What is the case, as a sentence.
  let message: String
  /// How much of the phase is done, if that is known; both are 0 otherwise.
  let done: Int
  let total: Int

  init(_ progress: SyncProgress) {
    isRunning = progress.isRunning
    isCancelled = progress.isCancelled
    lines = progress.lines
    // The numbers come from a remote, too.
    let current = progress.phases.last
    total = max(current?.total ?? 0, 0)
    done = min(max(current?.done ?? 0, 0), total)
    message = Self.message(of: progress)
    repetition =
      progress.repetitionCount == 0 ? "" : "It has begun again \(counted(progress.repetitionCount, "time"))."
    phases =
      progress.isRunning || progress.end != nil ? SyncStep.Kind.allCases.map { Self.phase($0, in: progress) } : []
  }

  private static func phase(_ kind: SyncStep.Kind, in progress: SyncProgress) -> Phase {
    let step = progress.phases.first { $0.step == kind }
    let isLast = step != nil && step == progress.phases.last
    let state: Phase.State
    switch progress.end {
    case nil: state = step == nil ? .waiting : isLast ? .current : .done
    case .done?: state = step == nil ? .absent : .done
    case .failed?, .cancelled?: state = step == nil ? .waiting : isLast ? .stopped : .done
    }
    let words =
      switch state {
      case .waiting: ""
      case .current: "now"
      case .stopped: "stopped here"
      case .done: "done"
      case .absent: "nothing to do"
      }
    return Phase(
      name: kind.rawValue, state: state, words: (step?.words() ?? SyncStep(kind).words()).startingSentence,
      stateWords: words)
  }

  /// What a sync does, or how it ended. Without the numbers, which would be read aloud at each change.
  private static func message(of progress: SyncProgress) -> String {
    guard !progress.isRunning else {
      if progress.isCancelled { return "The sync is being cancelled." }
      return switch progress.phases.last?.step {
      case .connecting: "A sync is running: it asks the remote for changes."
      case .receiving: "A sync is running: it receives changes of other machines."
      case .importing: "A sync is running: it verifies and stores what it has received."
      case .sending: "A sync is running: it sends the changes of this machine."
      case nil: "A sync is running."
      }
    }
    return switch progress.end {
    case .done(let report):
      report.problems.isEmpty
        ? "The sync is complete." : "The sync is complete, with \(counted(report.problems.count, "problem"))."
    case .failed: "The sync failed."
    case .cancelled: "The sync was cancelled."
    case nil: ""
    }
  }
}
