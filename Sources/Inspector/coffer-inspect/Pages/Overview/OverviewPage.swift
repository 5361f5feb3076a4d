internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferSystem

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
