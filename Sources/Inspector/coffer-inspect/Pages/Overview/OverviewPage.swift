internal import CofferAdministration
internal import CofferInspection
internal import CofferSystem
internal import CofferVault

/// The first page: what needs attention, then what the vault contains.
struct OverviewPage {
  let overview: Overview
  /// Whether this machine has a passphrase.
  let hasPassphrase: Bool
  /// Whether there is a group that can be written.
  let canAdd: Bool

  var page: Page {
    var page = Page(title: "Overview", place: .overview)
    page.lead = "What this vault contains, who can open it, and what needs attention."
    page.actions = joined {
      if canAdd { ItemCreationPage.link(in: nil) }
      linkButton("Sync", .sync, to: PageAddress("sync"))
    }
    page.content = joined {
      div(.class("columns")) {
        AttentionCard(entries: overview.attention, names: TeamNames(team: overview.status.team), isOwner: true).html
        div(.class("stack")) {
          figures
          vault
        }
      }
      GroupCard(groups: overview.groups, isOwner: true).html
    }
    return page
  }

  private var figures: HTML {
    let status = overview.status
    let rows: [(name: HTML, value: HTML, address: PageAddress, isText: Bool)] = [
      ("Items", text(overview.itemCount.grouped), PageAddress("items"), false),
      ("Groups", text(overview.groups.count.grouped), PageAddress().at("groups"), false),
      ("Apps", text(status.applications.count.grouped), PageAddress("apps"), false),
      ("Machines", text(status.machines.count.grouped), PageAddress("machines"), false),
      ("Last sync", status.lastSync.map { moment($0) } ?? "never", PageAddress("sync"), true),
    ]
    return dl(.class("figures")) {
      for row in rows {
        div {
          dt { row.name }
          dd(.class(row.isText ? "words" : "")) { a(.href(row.address)) { row.value } }
        }
      }
    }
  }

  private var vault: HTML {
    let status = overview.status
    return card("Vault", id: "vault") {
      facts([
        ("Team", code { text(status.team) }),
        ("Log", "\(a(.href(PageAddress("log"))) { text(counted(Int(status.logLength), "entry", "entries")) })"),
        (
          "Head phrase",
          joined {
            p { text(status.headPhrase) }
            p(.class("hint")) { "The same on every machine that has the same membership log." }
          }
        ),
        ("Remote", status.remote.map { given($0) } ?? "none"),
        (
          "Passphrase of this machine",
          "\(hasPassphrase ? "set" : "none") \(PassphrasePage.link(hasPassphrase: hasPassphrase))"
        ),
        ("Waiting for a sync", text(counted(status.unsyncedChanges, "change"))),
      ])
    }
  }
}

/// The first page of a person who acts as an app: the app, its groups, and what of them needs attention.
struct AppOverviewPage {
  let overview: AppOverview
  let names: TeamNames

  var page: Page {
    var page = Page(title: "Overview", place: .overview)
    page.lead = "What \(given(overview.app.bundleID)) can read in this vault, and what of it needs attention."
    page.content = joined {
      div(.class("columns")) {
        AttentionCard(entries: overview.attention, names: names, isOwner: false).html
        div(.class("stack")) {
          figures
          app
        }
      }
      GroupCard(groups: overview.groups, isOwner: false).html
    }
    return page
  }

  private var figures: HTML {
    dl(.class("figures")) {
      figure("Items", overview.itemCount, PageAddress("items"))
      figure("Groups", overview.groups.count, PageAddress().at("groups"))
    }
  }

  private func figure(_ name: HTML, _ number: Int, _ address: PageAddress) -> HTML {
    div {
      dt { name }
      dd { a(.href(address)) { text(number.grouped) } }
    }
  }

  private var app: HTML {
    card("This app", id: "app") {
      facts([
        ("App", a(.href(PageAddress("apps", overview.app.id))) { given(overview.app.bundleID) }),
        ("On this machine", overview.app.evidence.tag),
      ])
      p(.class("hint")) {
        "Other apps, machines, the membership log and syncs are the owner’s: start \(code { "coffer inspect" }) without "
        code { "--app" }
      }
    }
  }
}

/// What needs attention, with a link to where something can be done about it.
struct AttentionCard {
  /// The most urgent first.
  let entries: [Attention]
  let names: TeamNames
  /// Whether the owner looks at it, who has pages that an app has not.
  let isOwner: Bool

  var html: HTML {
    card("Needs attention", id: "attention", isFlush: true) {
      if entries.isEmpty {
        empty(.done, "Nothing needs attention", "Conflicts, expiring certificates and problems of syncs appear here.")
      } else {
        ul(.class("attention")) {
          for entry in entries { row(of: entry) }
        }
      }
    }
  }

  private func row(of entry: Attention) -> HTML {
    li(.class(entry.severity == .urgent ? "danger" : "")) {
      (entry.severity == .notice ? Icon.information : .warning).html
      div {
        h3 {
          switch entry.severity {
          case .urgent: span(.class("visually-hidden")) { "Urgent: " }
          case .warning: span(.class("visually-hidden")) { "Warning: " }
          case .notice: HTML()
          }
          breaking(names.shortened(entry.sentence))
        }
        p { advice(entry.advice) }
      }
      if let target = target(of: entry) {
        linkButton(target.words, to: target.address, style: "small")
      }
    }
  }

  private func target(of entry: Attention) -> (words: HTML, address: PageAddress)? {
    switch entry {
    case .conflicts: ("Show conflicts", PageAddress("conflicts"))
    case .certificate: ("Show certificates", PageAddress("certificates").with("show", "expiring"))
    case .unsynced, .syncFails, .neverSynced, .noRemote, .lostRemote, .logClaim: ("Open sync", PageAddress("sync"))
    case .logFork: ("Show the log", PageAddress("log"))
    case .noCredential, .lackingRights, .unusableCredential, .openCredentials, .ownCredentials:
      ("Show apps", PageAddress("apps"))
    case .noPassphrase: ("Set a passphrase", PassphrasePage.address)
    case .singleMachine, .silent, .expiredCredentials, .unconfirmed, .enrolmentRequests:
      ("Show machines", PageAddress("machines"))
    case .toReplace: ("Show items to replace", PageAddress("replace"))
    case .unadmitted(let records):
      isOwner && records.state == .refused ? ("Show refused versions", PageAddress("refused")) : nil
    case .removed, .storeChanged, .vaultKeyKept: nil
    }
  }
}

/// The access groups with the numbers of their items.
struct GroupCard {
  let groups: [Overview.Group]
  /// Whether they are those of the owner, and not those of an app.
  let isOwner: Bool

  var html: HTML {
    card("Groups", id: "groups", isFlush: true) {
      if groups.isEmpty {
        empty(
          .group, "No access group yet",
          isOwner
            ? "Register an app, whose entitlements name its groups, with: \(code { "coffer app add FILE" })"
            : "The app’s entitlements name no group that has a key.")
      } else {
        rowTable("Access groups with the number of their items", isTitleHidden: true, columns) {
          for group in groups { row(of: group) }
        }
      }
    }
  }

  /// The kinds of which a group has an item: a column of zeros would take the room from the names.
  private var shownKinds: [ItemKind] {
    [.genericPassword, .internetPassword, .certificate, .key].filter { kind in
      groups.contains { ($0.items[kind.itemClass] ?? 0) > 0 }
    }
  }

  private var columns: [(title: HTML, style: String?)] {
    [(Term.group.html, nil)] + shownKinds.map { (text($0.pluralName), "number wide") } + [("Items", "number")]
      + (hasConflicts ? [("State", "wide")] : [])
  }

  private var hasConflicts: Bool { groups.contains { $0.conflictCount > 0 } }

  private func row(of group: Overview.Group) -> HTML {
    tr {
      th(.scope("row")) { a(.class("open"), .href(PageAddress("groups", group.id))) { dotted(group.name) } }
      for kind in shownKinds {
        td(.class("number wide quiet")) { text((group.items[kind.itemClass] ?? 0).grouped) }
      }
      td(.class("number")) { text(group.itemCount.grouped) }
      if hasConflicts {
        td(.class("wide")) {
          if group.conflictCount > 0 {
            tag(text(counted(group.conflictCount, "conflict")), "warning", icon: .conflict)
          }
        }
      }
    }
  }
}
