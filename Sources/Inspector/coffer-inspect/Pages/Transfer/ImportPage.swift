internal import CofferInspection
internal import CofferSystem
internal import CofferTransfer

/// Takes a file of another program, shows what is in it, and stores that. The script sends the file, each time that
/// something is chosen; no page has a value of it.
struct ImportPage {
  /// What was found in a file, or done with it.
  struct Result {
    var rows: [(item: ImportedItem, outcome: ItemImporter.Outcome)]
    let report: ImportReport
  }

  /// The full names of the groups that can be written.
  let groups: [String]
  var group: String?
  var result: Result?
  var failure: String?
  let names: TeamNames
  let csrf: String

  /// The largest number of items that the preview lists.
  static let limit = 200
  /// The element that the script replaces.
  private static let resultID = "import-result"

  var page: Page {
    var page = Page(title: "Import", place: .importing)
    page.lead = "Passwords of another program. A separate program without any key reads the file."
    page.actions = linkButton("Export all items", .export, to: PageAddress("items", "export"))
    page.content = joined {
      card("File", id: "import") {
        if groups.isEmpty {
          p { "There is no group that you can write. Register an app with: \(code { "coffer app add FILE" })" }
        } else {
          form
        }
      }
      div(.id(Self.resultID), .class("stack"), .role("status")) {
        if let failure { Notice.failure("The file was not read.", failure)?.html }
        result.map(html)
      }
    }
    return page
  }

  private var form: HTML {
    changeForm(PageAddress("import"), csrf: csrf, .class("stack"), .data(.transfer, Self.resultID)) {
      div(.class("drop"), .data(.script), .hidden()) {
        Icon.restore.html
        label(.for("import-file")) { "Choose a file, or drop it here" }
        input(.id("import-file"), .type("file"), .describedBy("import-hint"))
        p(.id("import-hint"), .class("hint")) {
          """
          An export of a browser or of Apple Passwords (CSV), of KeePassXC (XML), Bitwarden (JSON), 1Password (1PUX), or \
          another password manager (CXF). At most 3 MB; \(code { "coffer import" }) reads larger ones.
          """
        }
      }
      div(.class("fields"), .data(.script), .hidden()) {
        choice("Format", "source", [("", "As the file says")] + ImportSource.files.map { ($0.rawValue, $0.words) })
        choice(
          Term.group.html, "group", id: "import-group", groups.map { ($0, names.short($0)) }, selected: group,
          hint: "The apps of this group can read the items.")
        choice("If an item is there already", "rule", Self.rules)
        secretField("Password of the export", "password", hint: "For an export that is protected, of Bitwarden.")
      }
      p(.class("hint"), .data(.script), .hidden()) {
        "Certificates are imported with a form of their own: "
        a(.href(ItemCreationPage.address(.certificate, in: group))) { "Import certificates" }
        ". PKCS #12 files: \(code { "coffer identity import FILE" })"
      }
      noscript {
        p { "To read a file, the page needs JavaScript. In a terminal: \(code { "coffer import SOURCE FILE" })" }
      }
    }
  }

  private static let rules: [(value: String, name: String)] = [
    (ItemImporter.Rule.skip.rawValue, "Keep the item of the vault"),
    (ItemImporter.Rule.replace.rawValue, "Replace it; its history keeps the earlier version"),
    (ItemImporter.Rule.keepBoth.rawValue, "Keep both, with a number after the account"),
  ]

  // MARK: Preview and result

  private func html(of result: Result) -> HTML {
    let report = result.report
    let count = report.newCount + report.changedCount
    let isWhole = report.skipped.isEmpty
    return joined {
      if !report.isDryRun {
        Notice(
          kind: isWhole ? .good : .warning,
          title: text("\(counted(count, "item was", "items were")) imported and read back."),
          detail: p {
            isWhole
              ? "The file has all secrets in plain text: delete it, and then the entries in the other program."
              : "Keep the file: what was left out is only there."
          },
          action: group.map { linkButton("Look at the group", to: PageAddress("groups", $0)) } ?? HTML()
        ).html
      }
      card(report.isDryRun ? "Preview" : "What was imported", id: "preview", isFlush: true, actions: store(report)) {
        p(.class("hint")) { text(Self.summary(report)) }
        if !result.rows.isEmpty || !isWhole { rows(result.rows, report.skipped) }
        if result.rows.count + report.skipped.count > Self.limit { p(.class("hint")) { "More are not shown." } }
      }
    }
  }

  private func store(_ report: ImportReport) -> HTML? {
    guard report.isDryRun, report.newCount + report.changedCount > 0 else { return nil }
    return button(.type("button"), .class("primary"), .data(.store)) {
      Icon.done.html
      "Store \(counted(report.newCount + report.changedCount, "item"))"
    }
  }

  private static func summary(_ report: ImportReport) -> String {
    """
    \(counted(report.entryCount, "entry", "entries")): \(report.newCount.grouped) new, \(report.changedCount.grouped) \
    replaced, \(report.sameCount.grouped) there already, \(report.skipped.count.grouped) left out.
    """
  }

  /// What becomes of the items, and what is left out with the reason: first, because somebody has to act on it.
  private func rows(
    _ rows: [(item: ImportedItem, outcome: ItemImporter.Outcome)], _ skipped: [ImportReport.Skipped]
  ) -> HTML {
    scrolling("Items") {
      table {
        caption(.class("visually-hidden")) { "Items" }
        headings([("Name", nil), (Term.itemClass.html, "wide"), ("What happens", nil)])
        tbody {
          for entry in skipped.prefix(Self.limit) {
            tr {
              th(.scope("row")) { given(entry.name.isEmpty ? "an entry" : entry.name, limit: 120) }
              td(.class("wide")) { HTML() }
              td { "\(tag("Left out", "warning")) \(given(entry.reason, limit: 300))" }
            }
          }
          for row in rows.prefix(Self.limit) {
            if let mark = row.outcome.mark {
              tr {
                th(.scope("row")) { given(row.item.name, limit: 120) }
                td(.class("wide quiet")) { text(row.item.kind.name) }
                td { mark }
              }
            }
          }
        }
      }
    }
  }
}

extension ItemImporter.Outcome {
  /// What happens in a word; nil for what is left out.
  fileprivate var mark: HTML? {
    switch self {
    case .new: tag("New", "good")
    case .same: tag("There already")
    case .changed: tag("Replaces", "accent")
    case .skipped: nil
    }
  }
}

extension ImportSource {
  /// The format in words.
  fileprivate var words: String {
    switch self {
    case .csv: "CSV"
    case .keepassxc: "KeePassXC (XML)"
    case .bitwarden: "Bitwarden (JSON)"
    case .onePassword: "1Password (1PUX)"
    case .cxf: "Credential Exchange Format"
    case .dotenv: "Variables (.env)"
    case .json: "Coffer’s JSON"
    default: rawValue
    }
  }
}
