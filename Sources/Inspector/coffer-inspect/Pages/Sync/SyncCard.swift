internal import CofferInspection
internal import CofferSystem
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
        SyncResultView(end: progress.end).html
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
