internal import CofferInspection
internal import CofferSystem

/// Who reads what: a graph, and below it a matrix to click.
struct AccessPage {
  let graph: AccessGraph
  /// The full name of the only group that is shown; nil for all.
  let group: String?
  /// The drawing of the graph.
  let drawing: String

  /// The number of columns that fit on a page.
  private static let columnLimit = 14

  var page: Page {
    var page = Page(title: "Who reads what", place: .access)
    page.lead = "What each app and each owner may do with each access group."
    let shown = graph.groups.indices.filter { group == nil || graph.groups[$0].id == group }
    let all = matrices(shown)
    page.content = joined {
      if let group {
        Notice(
          kind: .information, title: "Only the group \(given(group)) is shown.",
          action: linkButton("Show all groups", to: PageAddress("access"), style: "small")
        ).html
        all
      }
      card("Graph", id: "graph") {
        div(.class("drawing"), .tabindex(0), .role("group"), .label("Graph of apps, groups and machines")) {
          HTML.image(svg: drawing)
        }
        p(.class("hint")) { "The same picture as a file: \(code { "coffer graph > vault.svg" })" }
      }
      if group == nil { all }
    }
    return page
  }

  private func matrices(_ shown: [Int]) -> HTML {
    let summaries = graph.summaries
    return card("Matrix", id: "matrix", isFlush: true) {
      if graph.rows.isEmpty || shown.isEmpty {
        empty(.access, "Nobody reads anything yet", "Register an app with \(code { "coffer app add FILE" }).")
      } else {
        p(.class("note legend")) {
          for access in [AccessGraph.Access.readWrite, .read, .noKey, .none] {
            span { "\(mark(access)) \(text(access.legend))" }
          }
          if summaries.contains(where: { $0.cells.contains(where: \.isPartial) }) {
            span { "\(mark(.read, isPartial: true)) on some of its machines only" }
          }
        }
        for start in stride(from: 0, to: shown.count, by: Self.columnLimit) {
          matrix(summaries, Array(shown[start..<min(start + Self.columnLimit, shown.count)]))
        }
      }
    }
  }

  private func matrix(_ summaries: [AccessGraph.Summary], _ shown: [Int]) -> HTML {
    let prefix = SharedPrefix(of: graph.groups.map(\.name))
    return scrolling("Matrix") {
      table(.class(shown.count > 4 ? "matrix slim" : "matrix")) {
        caption(.class("visually-hidden")) { "What each app and owner may do with each access group" }
        headings(
          [("App", nil)]
            + shown.map { index in
              let group = graph.groups[index]
              return (
                a(.href(PageAddress("groups", group.id))) { prefix.dimmed(in: group.name) }, "group"
              )
            })
        tbody {
          for summary in summaries
          where summary.app == nil || shown.contains(where: { summary.cells[$0].access != .none }) {
            html(of: summary, shown)
          }
        }
      }
    }
  }

  private func html(of summary: AccessGraph.Summary, _ shown: [Int]) -> HTML {
    let app = summary.app.map { graph.apps[$0] }
    return tr {
      th(.scope("row")) {
        if let app {
          a(.href(PageAddress("apps", app.id))) { dotted(app.title) }
          if app.title != app.name { p(.class("hint")) { dotted(app.name) } }
        } else {
          "Owner"
        }
        machines(of: summary, shown)
      }
      for index in shown { td { cell(summary, app, index) } }
    }
  }

  /// The machines with keys, folded, and what is different on each.
  private func machines(of summary: AccessGraph.Summary, _ shown: [Int]) -> HTML {
    details(.class("hint")) {
      CofferInspectProgram.summary {
        text(summary.installed.isEmpty ? "on no machine" : counted(summary.installed.count, "machine"))
      }
      ul {
        for row in summary.installed {
          let machine = graph.machines[row.machine]
          let others = shown.filter { row.cells[$0] != summary.cells[$0].access }
          li {
            "\(given(machine.name))\(machine.isThisMachine ? " (this machine)" : "")"
            for index in others {
              br()
              "\(given(graph.groups[index].name)): \(text(row.cells[index].legend))"
            }
          }
        }
      }
    }
  }

  private func cell(_ summary: AccessGraph.Summary, _ app: AccessGraph.App?, _ index: Int) -> HTML {
    let (cell, group) = (summary.cells[index], graph.groups[index])
    let address = app.map { ExplanationPage.address(of: $0.id, group: group.id) } ?? PageAddress("groups", group.id)
    let words = graph.words(for: summary, at: index)
    return a(.href(address), .title(words)) {
      mark(cell.access, isPartial: cell.isPartial)
      span(.class("narrow"), .decorative) { dotted(group.name) }
      span(.class("visually-hidden")) { text(app == nil ? words : "\(words): why?") }
    }
  }

  /// What stands in a cell, and in the legend.
  private func mark(_ access: AccessGraph.Access, isPartial: Bool = false) -> HTML {
    let (words, style): (String, String) =
      switch access {
      case .readWrite: ("R W", "writes")
      case .read: ("R", "reads")
      case .noKey: ("no key", "keyless")
      case .none: ("–", "none")
      }
    return span(.class("access \(style)"), .decorative) { text(isPartial ? "\(words)*" : words) }
  }
}

extension AccessGraph.Access {
  /// What the legend says of a cell.
  fileprivate var legend: String {
    switch self {
    case .readWrite: "reads and writes"
    case .read: "reads"
    case .noKey: "registered, but without a key"
    case .none: "no access"
    }
  }
}

/// The beginning that all names of a list have, up to a dot. Pages show it paler, so that the rest stands out.
struct SharedPrefix: Sendable {
  private let length: Int

  init(of names: [String]) {
    guard let first = names.first, names.count > 1 else {
      length = 0
      return
    }
    let shared = names.dropFirst().reduce(first) { shared, name in
      String(zip(shared, name).prefix { $0 == $1 }.map(\.0))
    }
    length = shared.lastIndex(of: ".").map { shared.distance(from: shared.startIndex, to: $0) + 1 } ?? 0
  }

  /// Returns a name without the beginning.
  func rest(of name: String) -> String { String(name.dropFirst(length)) }

  /// Returns a name whose lines break after dots.
  func dimmed(in name: String, limit: Int = 200) -> HTML {
    guard length > 0 else { return dotted(name, limit: limit) }
    return bdi {
      span(.class("shared")) { breaking(String(name.prefix(length)), beyond: 0) }
      wbr()
      breaking(DisplayText(name.dropFirst(length), limit: limit).text, beyond: 0)
    }
  }
}
