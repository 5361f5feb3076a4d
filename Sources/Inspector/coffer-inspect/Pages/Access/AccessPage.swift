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
          action: linkButton("Show all groups", to: PageAddress("access"), style: "small")
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
          headings(
            [("App and machine", nil)]
              + shown.map { index in
                (a(.href(PageAddress("groups", graph.groups[index].id))) { dotted(graph.groups[index].name) }, nil)
              })
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
    func link(to address: PageAddress, _ title: String, _ words: HTML) -> HTML {
      a(.class(style), .href(address), .title("\(title): \(group.name)")) {
        span(.decorative) { mark }
        span(.class("visually-hidden")) { words }
      }
    }
    guard let app = row.app.map({ graph.apps[$0] }) else {
      let words = "The owner \(access.words)"
      return link(to: PageAddress("groups", group.id), words, text(words))
    }
    let machine = graph.machines[row.machine]
    let words = "\(app.name) \(access.words)"
    // What holds on another machine is not known here; its page says what its keys open.
    guard machine.isThisMachine else {
      return link(to: PageAddress("machines").at(machine.id), "\(words) on \(machine.name)", "\(words) there")
    }
    return link(to: ExplanationPage.address(of: app.id, group: group.id), words, "\(words): why?")
  }
}
