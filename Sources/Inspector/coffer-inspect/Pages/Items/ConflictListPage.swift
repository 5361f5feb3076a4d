internal import Coffer
internal import CofferInspection
internal import CofferSystem
internal import CofferVault

/// The items that machines have changed at the same time, with their versions side by side.
struct ConflictListPage {
  /// A conflict, how its versions differ, what its values require, and whether a version can be chosen.
  struct Entry {
    let conflict: InspectedConflict
    let comparison: ConflictComparison
    let conditions: ValueGuard?
    let isWritable: Bool
  }

  let entries: [Entry]
  /// The number of conflicts, of which the page shows the first.
  let total: Int
  let names: TeamNames
  let csrf: String

  /// The largest number of conflicts on the page.
  static let limit = 25

  var page: Page {
    var page = Page(title: "Conflicts", place: .conflicts)
    page.lead =
      "Items that machines have changed at the same time. Keep one version; the others stay in the history."
    page.content = joined {
      if entries.isEmpty {
        section(.class("card"), .label("Conflicts")) {
          empty(.done, "No conflicts", "When machines change an item at the same time, its versions appear here.")
        }
      }
      for (index, entry) in entries.enumerated() { html(of: entry, index) }
      if total > entries.count {
        p(.class("hint")) { "\(counted(total - entries.count, "more conflict")) appear when these are resolved." }
      }
    }
    return page
  }

  private func html(of entry: Entry, _ index: Int) -> HTML {
    let conflict = entry.conflict
    return card(
      joined {
        given(conflict.title, limit: 120)
        if entries.count(where: { $0.conflict.title == conflict.title }) > 1 { numbered("conflict", index) }
      }, id: "conflict-\(index + 1)",
      actions: conflict.reference.map { reference in
        linkButton(
          "Open item", to: ItemPlace(reference: reference, group: conflict.group).address(), style: "small")
      }
    ) {
      p(.class("hint")) {
        "\(conflict.kind.name) · \(given(conflict.subtitle, limit: 120)) · \(given(names.short(conflict.group)))"
      }
      ConflictVersions(
        versions: conflict.versions, comparison: entry.comparison, revision: conflict.revision,
        conditions: entry.conditions,
        valueAddress: PageAddress("conflicts", "value"), keepAddress: PageAddress("conflicts", "restore"),
        isWritable: entry.isWritable, names: names, csrf: csrf
      ).html
    }
  }
}
