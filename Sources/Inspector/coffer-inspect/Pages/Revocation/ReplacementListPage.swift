internal import Coffer
internal import CofferInspection
internal import CofferSystem
internal import CofferVault

/// The items whose values those know who were removed from the vault.
struct ReplacementListPage {
  let list: ItemsToReplace
  let names: TeamNames

  /// The largest number of items on the page.
  static let limit = 200

  var page: Page {
    var page = Page(title: "Items to replace", place: .replacements)
    page.lead =
      """
      Items that somebody could read who was removed from the vault, or who may have an old vault key, and may have kept. \
      Change each password where it is used, then store the new one here.
      """
    page.content = joined {
      if !list.damaged.isEmpty {
        damagedNotice(counted(list.damaged.count, "item is", "items are") + " damaged and may be missing here")
      }
      section(.class("card flush"), .label("Items to replace")) {
        if list.items.isEmpty {
          empty(
            .done, "Nothing to replace",
            "When a machine or an app is removed from the vault, or the vault key is replaced, the items that could be read appear here."
          )
        } else {
          rows
        }
      }
      if list.items.count > Self.limit {
        p(.class("hint")) {
          "\(counted(list.items.count - Self.limit, "more item")) appear when these are replaced. All of them: "
          code { "coffer rotate" }
        }
      }
      if !list.dismissed.isEmpty { DismissedItemList(items: list.dismissed, names: names).html }
    }
    return page
  }

  private var rows: HTML {
    rowTable(
      text(counted(list.items.count, "item")),
      [
        ("Name", nil), (Term.group.html, "wide"), (Term.written.html, "wide"), ("Was readable for", "wide"),
        ("Action", nil),
      ]
    ) {
      for item in list.items.prefix(Self.limit) { html(of: item) }
    }
  }

  private func html(of item: ItemToReplace) -> HTML {
    let place = item.reference.map { ItemPlace(reference: $0, group: item.group) }
    return tr {
      Self.name(of: item, summary: "\(given(names.short(item.group), limit: 60)) · \(moment(item.written))")
      td(.class("wide quiet")) { given(names.short(item.group), limit: 80) }
      td(.class("wide")) {
        moment(item.written)
        p(.class("hint")) { "by \(given(names.words(item.writer), limit: 80))" }
      }
      td(.class("wide")) {
        given(readers(of: item), limit: 160)
        p(.class("hint")) {
          "\(item.exposure.readers.isEmpty ? "replaced" : "removed") \(moment(item.exposure.time)), \(logEntry(item.revocationEntry))"
        }
      }
      td {
        if item.isEditable, let place {
          linkButton(
            "Replace", .edit, to: place.address("edit"), style: "small",
            .label("Replace \(DisplayText(item.title, limit: 60).text)"))
        }
      }
    }
  }

  /// The name of an item in a list, with a link to its page. The summary is what the other columns say, for narrow
  /// windows, which have no room for them.
  static func name(of item: ItemToReplace, summary: HTML) -> HTML {
    nameCell(
      item.kind.icon, given(item.title, limit: 72),
      opens: item.reference.map { ItemPlace(reference: $0, group: item.group).address() }
    ) {
      span(.class("second")) { subtitle(item.subtitle, of: item.kind) }
      span(.class("second narrow")) { summary }
    }
  }

  /// Who could read the item: the apps, and the owner, by machine, and whoever has an old vault key.
  private func readers(of item: ItemToReplace) -> String {
    CofferSystem.list(
      Set(item.exposure.readers.map { names.words($0) }).sorted()
        + item.exposure.vaultKeys.map { "whoever has vault key \($0)" },
      limit: 4)
  }
}

/// The items that an admin has taken off the list of what to replace: by whom, when and why.
struct DismissedItemList {
  let items: [ItemToReplace]
  let names: TeamNames

  var html: HTML {
    joined {
      card("Dismissed", id: "dismissed", isFlush: true) { rows }
      p(.class("hint")) {
        if items.count > ReplacementListPage.limit {
          "Not shown: \(counted(items.count - ReplacementListPage.limit, "more item")). "
        }
        "If something else is removed that could read them, they are listed again. To see all: "
        code { "coffer rotate list --dismissed" }
        "; to put one back on the list: "
        code { "coffer rotate dismiss --undo" }
      }
    }
  }

  private var rows: HTML {
    rowTable(
      "\(counted(items.count, "item")) whose value stays as it is",
      [("Name", nil), (Term.group.html, "wide"), ("Dismissed", "wide"), ("Reason", nil)]
    ) {
      for item in items.prefix(ReplacementListPage.limit) { html(of: item) }
    }
  }

  @HTMLBuilder private func html(of item: ItemToReplace) -> HTML {
    if let dismissal = item.dismissal {
      tr {
        ReplacementListPage.name(
          of: item,
          summary:
            "\(given(names.short(item.group), limit: 60)) · \(moment(dismissal.time)) by \(given(dismissal.signer))")
        td(.class("wide quiet")) { given(names.short(item.group), limit: 80) }
        td(.class("wide")) {
          moment(dismissal.time)
          p(.class("hint")) { "by \(given(dismissal.signer)), \(logEntry(dismissal.entry))" }
        }
        td(.class("words")) { given(dismissal.reason, limit: 256) }
      }
    }
  }
}
