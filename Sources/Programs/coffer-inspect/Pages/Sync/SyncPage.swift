internal import Coffer
internal import CofferInspection
internal import CofferSystem
internal import CofferVault

/// The state of syncs, and a button that starts one.
struct SyncPage {
  let status: VaultStatus
  let progress: SyncState
  let csrf: String

  var page: Page {
    var page = Page(title: "Sync", place: .sync)
    page.lead = "Exchanges changes with the remote, and with it with your other machines."
    page.content = div(.class("columns")) {
      run
      state
    }
    return page
  }

  private var run: HTML {
    card("Sync", id: "sync") {
      div(.class("stack"), .data(.progress, PageAddress("sync", "progress").text)) {
        if status.remote == nil {
          Notice(
            kind: .information, title: "The vault has no remote.",
            detail: p { "Create an empty git repository and set it with: \(code { "coffer remote set URL" })" }
          ).html
        }
        form(.method(.post), .action(PageAddress("sync", "start"))) {
          csrfField(csrf)
          button(.type("submit"), .class("primary"), .disabled(progress.isRunning || status.remote == nil)) {
            Icon.sync.html
            "Sync now"
          }
        }
        bar
        p(.role("status"), .id("sync-status")) { text(progress.message) }
        div(.hidden(progress.lines.isEmpty)) {
          pre(.class("block"), .data(.text), .tabindex(0), .role("log"), .label("What coffer-sync says")) {
            text(progress.lines.joined(separator: "\n"))
          }
        }
      }
    }
  }

  /// Without numbers, the bar shows only that something happens.
  private var bar: HTML {
    guard progress.total > 0 else {
      return CofferInspectProgram.progress(.hidden(!progress.isRunning), .label("Progress of the sync")) { HTML() }
    }
    return CofferInspectProgram.progress(
      .hidden(!progress.isRunning), .label("Progress of the sync"), .maximum(progress.total),
      .value(String(progress.done))
    ) { HTML() }
  }

  private var state: HTML {
    card("State", id: "state") {
      facts([
        ("Remote", status.remote.map { remote in code { given(remote) } } ?? "none"),
        ("Last sync", status.lastSync.map { moment($0, isExact: true) } ?? "never"),
        ("Waiting for a sync", text(counted(status.unsyncedChanges, "change"))),
        ("Pending records", "\(status.pendingRecords.grouped)"),
        ("Refused records", a(.href(PageAddress("refused"))) { text(status.refusedRecords.grouped) }),
        ("Head phrase of the log", text(status.headPhrase)),
      ])
      p(.class("hint")) { "A sync moves sealed records only. It needs no passphrase, and cannot read an item." }
    }
  }
}

/// How far a sync is, for the page and for its script.
struct SyncState: Encodable, Sendable {
  let isRunning: Bool
  let lines: [String]
  /// What is the case, as a sentence.
  let message: String
  /// How much is done, if that is known; both are 0 otherwise.
  let done: Int
  let total: Int

  init(_ progress: SyncProgress) {
    isRunning = progress.isRunning
    lines = progress.lines
    // The numbers come from a remote, too.
    total = max(progress.step?.total ?? 0, 0)
    done = min(max(progress.step?.done ?? 0, 0), total)
    message =
      if progress.isRunning {
        Self.words(for: progress.step)
      } else if let code = progress.exitCode {
        code == 0 ? "The sync is complete." : "The sync failed. The last line says why."
      } else if !progress.lines.isEmpty {
        "The sync was interrupted."
      } else {
        ""
      }
  }

  /// What a sync does. Without the numbers, which would be read aloud at each change.
  private static func words(for step: SyncStep?) -> String {
    switch step?.step {
    case .connecting: "A sync is running: it asks the remote for changes."
    case .receiving: "A sync is running: it receives changes of other machines."
    case .importing: "A sync is running: it verifies and stores what it has received."
    case .sending: "A sync is running: it sends the changes of this machine."
    case nil: "A sync is running."
    }
  }
}
