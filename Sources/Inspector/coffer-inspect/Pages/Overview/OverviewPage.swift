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
    page.lead = joined {
      text(AttentionCard.phrase(for: overview.attention))
      overview.status.lastSync.map { " · synced \(moment($0))" }
    }
    page.actions = joined {
      if canAdd { ItemCreationPage.link(in: nil) }
      linkButton("Sync", .sync, to: PageAddress("sync"))
    }
    let status = overview.status
    page.content =
      OverviewParts(
        attention: AttentionCard(entries: overview.attention, names: TeamNames(team: status.team), isOwner: true),
        figures: [
          ("Apps", status.applications.count, PageAddress("apps")),
          ("Machines", status.machines.count, PageAddress("machines")),
        ], state: vault, groups: status.groups
      ).html
    return page
  }

  private var vault: HTML {
    let status = overview.status
    return card("Vault", id: "vault") {
      facts([
        ("Remote", status.remote.map { given($0) } ?? "none"),
        ("Last sync", a(.href(PageAddress("sync"))) { status.lastSync.map { moment($0) } ?? "never" }),
        ("Waiting for a sync", text(counted(status.unsyncedChanges, "change"))),
        (
          "Passphrase of this machine",
          "\(hasPassphrase ? "set" : "none") \(PassphrasePage.link(hasPassphrase: hasPassphrase))"
        ),
        ("Log", "\(a(.href(PageAddress("log"))) { text(counted(Int(status.logLength), "entry", "entries")) })"),
      ])
      details {
        summary { "Compare with another machine" }
        p(.class("hint")) { "The head phrase is the same on every machine that has the same membership log." }
        facts([("Head phrase", text(status.headPhrase)), ("Team", code { text(status.team) })])
      }
    }
  }
}

/// What both overviews have: what to act on and to know, the state in numbers and facts, and the groups.
private struct OverviewParts {
  let attention: AttentionCard
  /// The numbers beside those of items and groups, each with a link to what it counts.
  let figures: [(name: HTML, number: Int, address: PageAddress)]
  let state: HTML
  let groups: [VaultStatus.Group]

  var html: HTML {
    joined {
      div(.class("columns")) {
        attention.html
        div(.class("stack")) {
          dl(.class("figures")) {
            for figure in contents + figures {
              div {
                dt { figure.name }
                dd { a(.href(figure.address)) { text(figure.number.grouped) } }
              }
            }
          }
          state
        }
      }
      card("Groups", id: "groups") { groups.isEmpty ? noGroups : tiles }
    }
  }

  private var contents: [(name: HTML, number: Int, address: PageAddress)] {
    [
      ("Items", groups.reduce(0) { $0 + $1.itemCount }, PageAddress("items")),
      ("Groups", groups.count, PageAddress().at("groups")),
    ]
  }

  private var noGroups: HTML {
    empty(
      .group, "No access group yet",
      attention.isOwner
        ? "Register an app, whose entitlements name its groups, with: \(code { "coffer app add FILE" })"
        : "The app’s entitlements name no group that has a key.")
  }

  private var tiles: HTML {
    let prefix = SharedPrefix(of: groups.map { attention.names.short($0.name) })
    return ul(.class("tiles"), .data(.list)) {
      for group in groups {
        li {
          Icon.group.html
          div {
            a(.class("open"), .href(PageAddress("groups", group.name))) {
              prefix.dimmed(in: attention.names.short(group.name))
            }
            p(.class("hint")) {
              text(counted(group.itemCount, "item"))
              if group.conflictCount > 0 { " \(tag(text(counted(group.conflictCount, "conflict")), "warning"))" }
            }
          }
        }
      }
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
    page.content =
      OverviewParts(
        attention: AttentionCard(entries: overview.attention, names: names, isOwner: false),
        figures: [], state: app, groups: overview.groups
      ).html
    return page
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

  /// How many things there are to do, as a phrase.
  static func phrase(for entries: [Attention]) -> String {
    let count = Attention.merged(entries.filter { $0.severity > .notice }).count
    return count == 0 ? "All is well" : "\(counted(count, "thing needs", "things need")) attention"
  }

  /// What to act on, and below it what to know.
  var html: HTML {
    let notices = entries.filter { $0.severity == .notice }
    return div(.class("stack")) {
      card("Needs attention", id: "attention", isFlush: true) {
        if notices.count == entries.count {
          empty(.done, "Nothing needs attention", "Conflicts, expiring certificates and problems of syncs appear here.")
        } else {
          list(entries.filter { $0.severity > .notice })
        }
      }
      if !notices.isEmpty { card("Good to know", id: "notices", isFlush: true) { list(notices) } }
    }
  }

  private func list(_ entries: [Attention]) -> HTML {
    ul(.class("attention")) {
      for part in Attention.merged(entries) { row(of: part.entries, names.shortened(part.heading)) }
    }
  }

  /// Entries of one kind: a line, which opens to their sentences, and a button that says how many there are.
  private func row(of entries: [Attention], _ heading: String) -> HTML {
    let severity = entries[0].severity
    let (icon, words, address) = presentation(of: entries[0], entries.reduce(0) { $0 + $1.count }.grouped)
    return li(.class(severity == .urgent ? "danger" : severity == .warning ? "warning" : "accent")) {
      icon.html
      details {
        summary {
          h3 {
            switch severity {
            case .urgent: span(.class("visually-hidden")) { "Urgent: " }
            case .warning: span(.class("visually-hidden")) { "Warning: " }
            case .notice: HTML()
            }
            text(heading)
          }
        }
        for entry in entries {
          p { breaking(names.shortened(entry.sentence)) }
          p(.class("hint")) { advice(entry.advice) }
        }
      }
      words.map { linkButton(text($0), to: address, style: "small", .label("\($0): \(heading)")) }
    }
  }

  /// What stands for a kind of entry, and where something can be done about it.
  private func presentation(
    of entry: Attention, _ count: String
  ) -> (icon: Icon, words: String?, address: PageAddress) {
    switch entry {
    case .conflicts: (.conflict, "Settle \(count)", PageAddress("conflicts"))
    case .certificate: (.certificate, "Show \(count)", PageAddress("certificates").with("show", "expiring"))
    case .toReplace: (.edit, "Replace \(count)", PageAddress("replace"))
    case .unadmitted(let records):
      (.warning, isOwner && records.state == .refused ? "Review \(count)" : nil, PageAddress("refused"))
    case .unsynced, .syncFails, .unreadProblems, .neverSynced, .noRemote, .lostRemote, .logClaim:
      (.sync, "Open sync", PageAddress("sync"))
    case .logFork: (.log, "Show the log", PageAddress("log"))
    case .noCredential, .lackingRights, .unusableCredential, .openCredentials, .ownCredentials:
      (.app, "Show apps", PageAddress("apps"))
    case .noPassphrase: (.key, "Set a passphrase", PassphrasePage.address)
    case .singleMachine, .silent, .expiredCredentials, .unconfirmed, .enrolmentRequests:
      (.machine, "Show machines", PageAddress("machines"))
    case .removed, .storeChanged: (.warning, nil, PageAddress())
    case .vaultKeyKept: (.key, nil, PageAddress())
    }
  }
}
