internal import CofferAdministration
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird

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
        if status.remote != nil { epoch }
        if status.machines.count > 1 { LastSignCard(status: status).html }
      }
    }
    return page
  }

  private var state: HTML {
    let health = status.syncHealth
    return card("State", id: "state") {
      facts([
        ("Remote", status.remote.map { remote in code { given(remote) } } ?? "none"),
        ("Last sync", status.lastSync.map { signOfLife($0, asOf: status.time) } ?? "never"),
        ("By itself", status.remote == nil ? nil : watching(health)),
        ("Sync fails", failure(health)),
        ("Problems", problems(health)),
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

  private func problems(_ health: SyncHealthReport) -> HTML? {
    health.problems.map { text($0 + (health.unreadProblemCount > 0 ? " (read with: Sync now)" : "")) }
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

/// The epoch that this machine follows, when the next one begins, and the epochs before.
extension SyncPage {
  private var epoch: HTML {
    card("Epoch \(Int(status.epoch.number).grouped)", id: "epochs") {
      div(.class("stack")) {
        facts([
          ("Size", text(status.epochSize)),
          ("Begun", begun(status.epoch)),
          ("Next epoch", advice(next)),
        ])
        if epochs.epochs.count > 1 { chain }
      }
    }
  }

  /// What begins the next epoch.
  private var next: String {
    let size =
      if let limit = epochs.limit {
        "\(Output.size(limit.lowest)), at the latest \(Output.size(limit.highest))"
      } else {
        "\(Output.size(EpochLimit.standardByteCount)) and about four times that of a snapshot"
      }
    return "An admin’s machine begins it in a sync when this size exceeds \(size), or at once with `coffer compact`."
  }

  private func begun(_ epoch: VaultEpoch) -> HTML {
    guard let begun = epoch.begun else { return "its checkpoint is not here" }
    guard let beginner = epoch.beginner else { return moment(begun) }
    return "\(moment(begun)) by \(given(beginner))"
  }

  private var chain: HTML {
    scrolling("Epochs") {
      table(.class("rows")) {
        caption { "Each epoch names the one before it" }
        headings([("Epoch", nil), ("Begun", nil)])
        tbody {
          for epoch in epochs.epochs {
            tr {
              th(.scope("row")) {
                text(Int(epoch.number).grouped)
                if epoch == status.epoch { " \(tag("Current", "accent"))" }
              }
              td { begun(epoch) }
            }
          }
        }
      }
      if epochs.earlierCount > 0 {
        p(.class("hint")) { "\(counted(epochs.earlierCount, "earlier epoch")) are not listed." }
      }
    }
  }
}

/// When this machine has heard of each other machine last.
struct LastSignCard {
  let status: VaultStatus
  /// The time to compare with; nil for that at which the state was read.
  var now: Date?

  var html: HTML {
    card("Last signs of life", id: "signs", isFlush: true) {
      rowTable(
        "By each machine’s own clock, as of the last sync", [("Machine", nil), ("Last sign of life", nil)]
      ) {
        for machine in status.machines where !machine.isThisMachine && machine.expires == nil { row(of: machine) }
      }
    }
  }

  private func row(of machine: VaultMachine) -> HTML {
    let now = now ?? status.time
    return tr {
      nameCell(.machine, given(machine.name), opens: PageAddress("machines", machine.id))
      td {
        machine.lastWrite.map { signOfLife($0, asOf: now) } ?? "none since its enrolment"
        if let days = machine.silentDays(asOf: now) { " \(silentTag(days))" }
      }
    }
  }
}

/// Syncs that a page starts and watches.
extension Pages {
  func addSync(to routes: PageRoutes) {
    routes.page("sync", ownerOnly: true) { vault, visit in
      let progress = inspector.syncRun.progressForReader()
      return SyncPage(
        status: try VaultStatus.read(from: vault.local), epochs: try EpochHistory.read(from: vault.local),
        progress: progress, csrf: visit.csrf
      ).page
    }
    routes.router.get("sync/progress") { _, _ in
      try requireOwner()
      return Response.json(SyncState(inspector.syncRun.progress))
    }
    routes.router.post("sync/start") { request, _ in
      try requireOwner()
      try inspector.syncRun.start()
      return answer(to: request)
    }
    routes.router.post("sync/cancel") { request, _ in
      try requireOwner()
      inspector.syncRun.cancel()
      return answer(to: request)
    }
  }

  /// The page of syncs or, for its script, how far the sync is.
  private func answer(to request: Request) -> Response {
    guard request.headers[.accept] == "application/json" else { return Response.redirect(to: PageAddress("sync")) }
    return .json(SyncState(inspector.syncRun.progress))
  }
}
