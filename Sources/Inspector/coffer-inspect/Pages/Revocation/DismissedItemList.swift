internal import Coffer
internal import CofferInspection
internal import CofferSystem

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
