internal import CofferInspection
internal import CofferSystem
internal import CofferTransfer

/// Takes a file of another program, shows what is in it, and stores that. A script sends the file each
/// time that something is chosen; without one, the form stores it at once. No page has a value of it.
struct ImportPage {
  /// The full names of the groups that can be written.
  let groups: [String]
  var group: String?
  var result: FileImport?
  var failure: String?
  let names: TeamNames
  let csrf: String

  /// The largest number of items that the preview lists.
  static let limit = 200
  /// The element that the script replaces.
  private static let resultID = "import-result"

  var page: Page {
    var page = Page(title: "Import", place: .importing)
    page.lead = "Passwords of another program, which a program without any key reads, and certificates."
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
    changeForm(PageAddress("import"), csrf: csrf, .class("stack"), .data(.transfer, Self.resultID), .sendsFiles) {
      div(.class("drop"), .data(.drop)) {
        Icon.restore.html
        label(.for("import-file")) { "Choose a file, or drop it here" }
        input(.id("import-file"), .type("file"), .name("file"), .required(), .describedBy("import-hint"))
        p(.id("import-hint"), .class("hint")) {
          """
          An export of a browser or of Apple Passwords (CSV), of KeePassXC (XML), Bitwarden (JSON), 1Password (1PUX), or \
          another password manager (CXF); certificates (PEM, DER), also with their keys (PKCS #12). At most 4 MB; \
          \(code { "coffer import" }) reads larger ones.
          """
        }
      }
      div(.class("fields")) {
        choice(
          Term.group.html, "group", id: "import-group", groups.map { ($0, names.short($0)) }, selected: group,
          hint: "The apps of this group can read the items.")
        choice("If an item is there already", "rule", Self.rules)
        secretField("Password of the file", "password", hint: "If it is protected: of Bitwarden, or PKCS #12.")
      }
      noscript {
        checkField("Store the items. Without it, the page shows what the file has.", "store", isRequired: false)
        submit("Read the file", style: "primary")
      }
    }
  }

  private static let rules: [(value: String, name: String)] = [
    (ItemImporter.Rule.skip.rawValue, "Keep the item of the vault"),
    (ItemImporter.Rule.replace.rawValue, "Replace it; its history keeps the earlier version"),
    (ItemImporter.Rule.keepBoth.rawValue, "Keep both, with a number after the account"),
  ]

  private func html(of result: FileImport) -> HTML {
    let isWhole = result.skipped.isEmpty
    return joined {
      if result.isStored {
        Notice(
          kind: isWhole ? .good : .warning,
          title: text("\(counted(result.changeCount, "item was", "items were")) imported."),
          detail: p {
            isWhole
              ? "If the file has secrets in plain text, delete it. In the other program, keep entries with attachments or passkeys: few such files have them."
              : "Keep the file: what was left out is only there."
          },
          action: group.map { linkButton("Look at the group", to: PageAddress("groups", $0)) } ?? HTML()
        ).html
      }
      card(result.isStored ? "What was imported" : "Preview", id: "preview", isFlush: true, actions: store(result)) {
        table(of: result)
        if max(result.rows.count, result.skipped.count) > Self.limit { p(.class("hint")) { "More are not shown." } }
      }
    }
  }

  private func store(_ result: FileImport) -> HTML? {
    guard !result.isStored, result.changeCount > 0 else { return nil }
    return button(.type("button"), .class("primary"), .data(.store)) {
      Icon.done.html
      "Store \(counted(result.changeCount, "item"))"
    }
  }

  /// What is left out with the reason, because somebody has to act on it, and then what becomes of the items.
  private func table(of result: FileImport) -> HTML {
    scrolling("Items") {
      CofferInspectProgram.table {
        caption(.class(result.isStored ? "visually-hidden" : nil)) {
          let (count, same) = (result.changeCount, result.rows.count - result.changeCount)
          text("\(count.grouped) to store, \(same.grouped) there already, \(result.skipped.count.grouped) left out")
        }
        headings([("Name", nil), (Term.itemClass.html, "wide"), ("What happens", nil)])
        tbody {
          for entry in result.skipped.prefix(Self.limit) {
            row(entry.name.isEmpty ? "an entry" : entry.name, "", tag("Left out", "warning"), entry.reason)
          }
          for item in result.rows.prefix(Self.limit) { row(item.name, item.kind.name, item.outcome.mark) }
        }
      }
    }
  }

  private func row(_ name: String, _ kind: String, _ mark: HTML, _ reason: String = "") -> HTML {
    tr {
      th(.scope("row")) { dotted(name, limit: 120) }
      td(.class("wide quiet")) { text(kind) }
      td { "\(mark) \(given(reason, limit: 300))" }
    }
  }
}

extension ItemImporter.Outcome {
  /// What happens in a word.
  fileprivate var mark: HTML {
    switch self {
    case .new: tag("New", "good")
    case .same: tag("There already")
    case .changed: tag("Replaces", "accent")
    case .skipped: tag("Left out", "warning")
    }
  }
}
