internal import CofferInspection
internal import CofferSystem
internal import CofferTransfer

/// Asks before the items of a list are written to a file in plain text.
struct ExportPage {
  /// The list whose items are exported.
  let list: ItemListPage
  let csrf: String
  var failure: String?

  var page: Page {
    let title = list.place.title(list.names)
    let count = list.items.total
    var page = Page(title: "Export \(counted(count, "item"))", place: list.place.menu)
    page.path = [Page.Step(name: title, address: list.place.address)]
    page.notice = .failure("Nothing was exported.", failure)
    page.content = card("What is exported", id: "export") {
      list.query.facts(in: list.group.map { given(list.names.display($0)) } ?? "all groups that you can read", count)
      changeForm(list.query.address(of: list.place.whole.appending("export")), csrf: csrf, .class("stack narrow-form"))
      {
        Self.choices
        formEnd(submit("Download", .export, style: "primary"), cancel: list.place.address)
      }
    }
    return page
  }

  /// What every export warns of and asks for.
  @HTMLBuilder static var choices: HTML {
    Notice(
      kind: .warning, title: "The file has secrets in plain text",
      detail: p {
        """
        Every program of your account can read it, and the browser keeps it where it saves downloads. Delete it when the \
        other program has it. Items whose app asks for a confirmation are left out.
        """
      }
    ).html
    choice("Format", "format", ExportFormat.allCases.map { ($0.rawValue, $0.words) })
    checkField("Write these secrets in plain text", "sure")
  }
}

extension ExportFormat {
  fileprivate var words: String {
    switch self {
    case .json: "Coffer’s JSON: everything, to import it again"
    case .cxf: "Credential Exchange Format (FIDO)"
    case .csv: "CSV: passwords with notes and one-time codes"
    }
  }

  /// The name of the file, and what it is to the browser.
  var file: (name: String, type: String) {
    switch self {
    case .json: ("coffer-export.json", "application/json")
    case .cxf: ("coffer-export.cxf.json", "application/json")
    case .csv: ("coffer-export.csv", "text/csv; charset=utf-8")
    }
  }
}

extension ItemListQuery {
  /// What the list has.
  func facts(in group: HTML, _ count: Int) -> HTML {
    CofferInspectProgram.facts([
      (Term.group.html, group), (Term.itemClass.html, CofferInspectProgram.text(kind?.pluralName ?? "all classes")),
      ("Search", text.isEmpty ? "none" : given(text)), ("Show", CofferInspectProgram.text(shown.name)),
      ("Items", CofferInspectProgram.text(count.grouped)),
    ])
  }
}
