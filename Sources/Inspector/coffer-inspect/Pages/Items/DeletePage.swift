internal import Coffer
internal import CofferInspection
internal import CofferSystem

/// Asks before all items are deleted that a list shows on all of its pages.
struct DeletePage {
  let place: ListPlace
  let selection: ItemSelection
  let names: TeamNames
  let csrf: String

  var page: Page {
    let (total, group, query) = (selection.count, place.group, place.query)
    var page = Page(title: "Delete \(counted(total, "item"))?", place: place.menu)
    page.path = [Page.Step(name: place.title(names), address: place.address)]
    page.content = card("What is deleted", id: "delete") {
      query.facts(in: group.map { given(names.display($0)) } ?? "all groups that you can write", total)
      Self.consequences
      changeForm(
        query.address(of: place.whole.appending("delete")), csrf: csrf, fields: ["seen": selection.digest],
        .class("stack")
      ) {
        checkField(total == 1 ? "Delete it" : "Delete all of them, also those on other pages of the list", "sure")
        formEnd(submit("Delete \(counted(total, "item"))", .delete, style: "danger"), cancel: place.address)
      }
    }
    return page
  }

  static let consequences =
    p(.class("hint")) {
      """
      The deletion syncs to all machines. It can be undone here for \
      \(InspectedVault.undoMinutes) minutes.
      """
    }
}

/// The deleted items whose last versions are kept.
struct DeletedListPage {
  let rows: [DeletedItemRow]
  /// Whether a group may have more of them.
  let isLimited: Bool
  /// The full names of the groups that can be written.
  let writableGroups: [String]
  let names: TeamNames
  let csrf: String

  var page: Page {
    var page = Page(title: "Deleted items", place: .deleted)
    page.lead = joined {
      "Deleted items are kept for 30 days on this machine and can be restored until then."
      if isLimited {
        " Of each group, the last \(InspectedVault.maximumDeletedItemCount.grouped) are shown; "
        code { "coffer history" }
        " finds other passwords by their names."
      }
    }
    page.content = section(.class("card flush"), .label("Deleted items")) {
      if rows.isEmpty {
        empty(.done, "No deleted items", "An item that you or an app deletes appears here.")
      } else {
        rowTable(
          text(counted(rows.count, "item")),
          [("Name", nil), ("Group", "wide"), ("Deleted by", "wide"), ("Deleted", "wide"), ("Action", nil)]
        ) {
          for row in rows { html(of: row) }
        }
      }
    }
    return page
  }

  private func html(of row: DeletedItemRow) -> HTML {
    let history =
      row.reference.map { ItemPlace(reference: $0, group: row.group).address() }
      ?? PageAddress("history").with("revision", row.revision.text)
    return tr {
      nameCell(row.kind.icon, given(row.title, limit: 72), opens: history) {
        span(.class("second")) { subtitle(row.subtitle, of: row.kind) }
        span(.class("second narrow")) { moment(row.deleted) }
      }
      td(.class("wide quiet")) { given(names.short(row.group), limit: 80) }
      td(.class("wide quiet")) { given(names.words(row.deletedBy), limit: 80) }
      td(.class("wide")) { moment(row.deleted) }
      td {
        if writableGroups.contains(row.group) {
          changeForm(
            PageAddress("history", "restore"), csrf: csrf,
            fields: [
              "revision": row.revision.text, "version": row.version.identifier, "class": row.reference?.code,
              "reference": row.reference?.text,
            ]
          ) {
            submit(
              "Restore", .restore, style: "small", label: "Restore \(DisplayText(row.title, limit: 60).text)")
          }
        }
      }
    }
  }
}
