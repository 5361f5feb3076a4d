internal import CofferInspection
internal import CofferSystem

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
