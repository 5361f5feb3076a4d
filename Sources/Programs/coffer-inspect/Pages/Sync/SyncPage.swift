internal import Coffer
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
        CofferInspectProgram.progress(.hidden(!progress.isRunning), .label("Sync")) { HTML() }
        p(.role("status"), .id("sync-status")) { text(progress.message) }
        div(.hidden(progress.lines.isEmpty)) {
          pre(.class("block"), .data(.text), .tabindex(0), .role("log"), .label("What coffer-sync says")) {
            text(progress.lines.joined(separator: "\n"))
          }
        }
      }
    }
  }

  private var state: HTML {
    card("State", id: "state") {
      facts([
        ("Remote", status.remote.map { remote in code { given(remote) } } ?? "none"),
        ("Last sync", status.lastSync.map { moment($0, isExact: true) } ?? "never"),
        ("Waiting for a sync", text(counted(status.unsyncedChanges, "change"))),
        ("Pending records", "\(status.pendingRecords.grouped)"),
        ("Refused records", "\(status.refusedRecords.grouped)"),
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
    done = 0
    total = 0
    message =
      if progress.isRunning {
        "A sync is running."
      } else if let code = progress.exitCode {
        code == 0 ? "The sync is complete." : "The sync failed. The last line says why."
      } else if !progress.lines.isEmpty {
        "The sync was interrupted."
      } else {
        ""
      }
  }
}
