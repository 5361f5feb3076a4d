internal import Coffer
internal import CofferInspection
internal import CofferSystem
internal import Foundation

/// The first page: what needs attention, then what the vault contains.
struct OverviewPage {
  let overview: Overview
  var page: Page {
    var page = Page(title: "Overview", place: .overview)
    page.lead = "What this vault contains, who can open it, and what needs attention."
    page.actions = a(.class("button"), .href(PageAddress("sync"))) {
      Icon.sync.html
      "Sync"
    }
    page.content = joined {
      div(.class("columns")) {
        attention
        div(.class("stack")) {
          figures
          vault
        }
      }
      groups
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

  private var attention: HTML {
    let entries = overview.attention
    return card("Needs attention", id: "attention", isFlush: true) {
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
          text(TeamNames(team: overview.status.team).shortened(entry.sentence))
        }
        p { advice(entry.advice) }
      }
      if let target = target(of: entry) {
        a(.class("button small"), .href(target.address)) { target.words }
      }
    }
  }

  private func target(of entry: Attention) -> (words: HTML, address: PageAddress)? {
    switch entry {
    case .conflicts: ("Show conflicts", PageAddress("conflicts"))
    case .certificate: ("Show certificates", PageAddress("certificates").with("show", "expiring"))
    case .unsynced, .neverSynced, .noRemote, .logClaim: ("Open sync", PageAddress("sync"))
    case .logFork: ("Show the log", PageAddress("log"))
    case .noCredential, .unusableCredential, .openCredentials: ("Show apps", PageAddress("apps"))
    case .singleMachine, .noPassphrase: ("Show machines", PageAddress("machines"))
    case .unadmitted, .storeChanged: nil
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
        ("Waiting for a sync", text(counted(status.unsyncedChanges, "change"))),
      ])
    }
  }

  private var groups: HTML {
    card("Groups", id: "groups", isFlush: true) {
      if overview.groups.isEmpty {
        empty(
          .group, "No access group yet",
          "Register an app with \(code { "coffer app add FILE" }); its entitlements name its groups.")
      } else {
        div(.class("scroll")) {
          table(.class("rows"), .data(.list)) {
            caption(.class("visually-hidden")) { "Access groups with the number of their items" }
            thead {
              tr {
                th(.scope("col")) { "Group" }
                for kind in Self.shownKinds { th(.scope("col"), .class("number wide")) { text(kind.pluralName) } }
                th(.scope("col"), .class("number")) { "Items" }
                th(.scope("col"), .class("wide")) { "State" }
              }
            }
            tbody {
              for group in overview.groups { row(of: group) }
            }
          }
        }
      }
    }
  }

  private static let shownKinds: [ItemKind] = [.genericPassword, .internetPassword, .certificate, .key]

  private func row(of group: Overview.Group) -> HTML {
    tr {
      th(.scope("row")) { a(.class("open"), .href(PageAddress("groups", group.id))) { given(group.name) } }
      for kind in Self.shownKinds {
        td(.class("number wide quiet")) { text((group.items[kind.itemClass] ?? 0).grouped) }
      }
      td(.class("number")) { text(group.itemCount.grouped) }
      td(.class("wide")) {
        if group.conflictCount > 0 {
          tag(text(counted(group.conflictCount, "conflict")), "warning", icon: .conflict)
        }
      }
    }
  }
}

/// An advice of the model, in which a command after a colon is set as code.
func advice(_ sentence: String) -> HTML {
  guard let colon = sentence.range(of: ": coffer ", options: .backwards) else { return text(sentence) }
  let command = sentence[colon.lowerBound...].dropFirst(2)
  return "\(String(sentence[..<colon.lowerBound])): \(code { text(String(command)) })"
}
