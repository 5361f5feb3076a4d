internal import CofferInspection
internal import CofferSystem

/// Who reads what: a matrix to click, and a graph.
struct AccessPage {
  let graph: AccessGraph
  /// The full name of the only group that is shown; nil for all.
  let group: String?
  /// The drawing of the graph.
  let drawing: String

  var page: Page {
    var page = Page(title: "Who reads what", place: .access)
    page.lead = "What each app and each owner may do with each access group, on each machine."
    let shown = graph.groups.indices.filter { group == nil || graph.groups[$0].id == group }
    page.content = joined {
      if let group {
        Notice(
          kind: .information, title: "Only the group \(given(group)) is shown.",
          action: a(.class("button small"), .href(PageAddress("access"))) { "Show all groups" }
        ).html
      }
      card("Matrix", id: "matrix", isFlush: true) {
        if graph.rows.isEmpty || shown.isEmpty {
          empty(.access, "Nobody reads anything yet", "Register an app with \(code { "coffer app add FILE" }).")
        } else {
          matrix(shown)
        }
      }
      card("Graph", id: "graph") {
        div(.class("drawing"), .tabindex(0), .role("group"), .label("Graph of apps, groups and machines")) {
          HTML.image(svg: drawing)
        }
        p(.class("hint")) { "The same picture as a file: \(code { "coffer graph > vault.svg" })" }
      }
    }
    return page
  }

  private func matrix(_ shown: [Int]) -> HTML {
    joined {
      p(.class("note")) {
        "Rows are apps and owners on a machine, columns are access groups. Choose a cell of this machine to see why."
      }
      scrolling("Matrix") {
        table(.class("matrix")) {
          caption(.class("visually-hidden")) { "What each app and owner may do with each access group" }
          thead {
            tr {
              th(.scope("col")) { "App and machine" }
              for index in shown {
                th(.scope("col")) {
                  a(.href(PageAddress("groups", graph.groups[index].id))) { dotted(graph.groups[index].name) }
                }
              }
            }
          }
          tbody {
            for row in graph.rows where row.isInstalled || row.app != nil { html(of: row, shown) }
          }
        }
      }
      p(.class("pages legend")) {
        span { "\(tag("R W", "accent")) reads and writes" }
        span { "\(tag("R")) reads" }
        span { "\(tag("no key")) registered, but without a key there" }
        span { "– no access" }
      }
    }
  }

  private func html(of row: AccessGraph.Row, _ shown: [Int]) -> HTML {
    let machine = graph.machines[row.machine]
    return tr {
      th(.scope("row")) {
        if let app = row.app {
          a(.href(PageAddress("apps", graph.apps[app].id))) { dotted(graph.apps[app].name) }
        } else {
          "Owner"
        }
        br()
        span(.class("hint")) { "\(given(machine.name))\(machine.isThisMachine ? " (this machine)" : "")" }
      }
      for index in shown {
        td { cell(row.cells[index], row, graph.groups[index]) }
      }
    }
  }

  private func cell(_ access: AccessGraph.Access, _ row: AccessGraph.Row, _ group: AccessGraph.Group) -> HTML {
    let (mark, style): (HTML, String) =
      switch access {
      case .readWrite: ("R W", "writes")
      case .read: ("R", "reads")
      case .noKey: ("no key", "none")
      case .none: ("–", "none")
      }
    guard let app = row.app else {
      return a(
        .class(style), .href(PageAddress("groups", group.id)), .title("The owner \(access.words): \(group.name)")
      ) {
        span(.decorative) { mark }
        span(.class("visually-hidden")) { "The owner \(access.words)" }
      }
    }
    let name = graph.apps[app].name
    let machine = graph.machines[row.machine]
    // What holds on another machine is not known here; its page says what its keys open.
    guard machine.isThisMachine else {
      return a(
        .class(style), .href(PageAddress("machines").at(machine.id)),
        .title("\(name) \(access.words) on \(machine.name): \(group.name)")
      ) {
        span(.decorative) { mark }
        span(.class("visually-hidden")) { "\(name) \(access.words) there" }
      }
    }
    return a(
      .class(style), .href(PageAddress("access", "why").with("app", graph.apps[app].id).with("group", group.id)),
      .title("\(name) \(access.words): \(group.name)")
    ) {
      span(.decorative) { mark }
      span(.class("visually-hidden")) { "\(name) \(access.words): why?" }
    }
  }
}
