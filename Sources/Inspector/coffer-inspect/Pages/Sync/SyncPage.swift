internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A sync that goes on or has ended, and the state of all syncs: health, epochs, and the other machines.
struct SyncPage {
  let status: VaultStatus
  let epochs: EpochHistory
  let progress: SyncProgress
  let csrf: String

  var page: Page {
    var page = Page(title: "Sync", place: .sync)
    page.lead = "Exchanges changes with the remote, and with it with your other machines."
    page.content = div(.class("columns")) {
      SyncCard(missingRemote: status.missingRemote, progress: progress, csrf: csrf).html
      div(.class("stack"), .id("sync-state")) {
        state
        if status.remote != nil { EpochCard(status: status, epochs: epochs).html }
        if status.machines.count > 1 { LastSignCard(status: status).html }
      }
    }
    return page
  }

  private var state: HTML {
    let health = SyncHealthReport(status.health, watcher: status.watcher)
    return card("State", id: "state") {
      facts([
        ("Remote", status.remote.map { remote in code { given(remote) } } ?? "none"),
        ("Last sync", status.lastSync.map { signOfLife($0, asOf: status.time) } ?? "never"),
        ("By itself", status.remote == nil ? nil : watching(health)),
        ("Sync fails", failure(health)),
        ("Problems", health.problems.map { text("\($0): the next sync names them") }),
        ("Not synced", text("\(counted(status.unsyncedChanges, "change")) of this machine")),
        (
          "Not received",
          status.lastSync == nil
            ? nil : text("\(counted(status.missingSegmentCount, "segment")) that other machines have seen")
        ),
        ("Conflicts", a(.href(PageAddress("conflicts"))) { text(counted(status.conflictCount, "item")) }),
        ("Pending records", "\(status.pendingRecords.grouped)"),
        ("Refused records", a(.href(PageAddress("refused"))) { text(status.refusedRecords.grouped) }),
        ("Head phrase of the log", text(status.headPhrase)),
      ])
      p(.class("hint")) { "A sync moves sealed records only. It needs no passphrase, and cannot read an item." }
    }
  }

  /// The process that syncs by itself, or what to do so that one does.
  private func watching(_ health: SyncHealthReport) -> HTML {
    guard health.isWatched else {
      return joined {
        p { "no" }
        p(.class("hint")) { advice("Sync in the background with: coffer service install") }
      }
    }
    return text(health.watching(asOf: status.time))
  }

  /// How often syncs have failed, why the last one has, and what to do.
  private func failure(_ health: SyncHealthReport) -> HTML? {
    guard let error = health.lastError, let failures = health.failures else { return nil }
    return joined {
      p { strong { text(failures) } }
      p { text(error.message.sanitizedForTerminal(limit: 1_000).asSentence) }
      if let suggestion = error.recoverySuggestion { p(.class("hint")) { advice(suggestion.asSentence) } }
    }
  }
}
