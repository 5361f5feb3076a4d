internal import CofferInspection
internal import CofferSystem

/// The access groups with the numbers of their items.
struct GroupCard {
  let groups: [Overview.Group]
  /// Whether they are those of the owner, and not those of an app.
  let isOwner: Bool

  var html: HTML {
    card("Groups", id: "groups", isFlush: true) {
      if groups.isEmpty {
        empty(
          .group, "No access group yet",
          isOwner
            ? "Register an app, whose entitlements name its groups, with: \(code { "coffer app add FILE" })"
            : "The app’s entitlements name no group that has a key.")
      } else {
        rowTable("Access groups with the number of their items", isTitleHidden: true, columns) {
          for group in groups { row(of: group) }
        }
      }
    }
  }

  /// The kinds of which a group has an item: a column of zeros would take the room from the names.
  private var shownKinds: [ItemKind] {
    [.genericPassword, .internetPassword, .certificate, .key].filter { kind in
      groups.contains { ($0.items[kind.itemClass] ?? 0) > 0 }
    }
  }

  private var columns: [(title: HTML, style: String?)] {
    [(Term.group.html, nil)] + shownKinds.map { (text($0.pluralName), "number wide") } + [("Items", "number")]
      + (hasConflicts ? [("State", "wide")] : [])
  }

  private var hasConflicts: Bool { groups.contains { $0.conflictCount > 0 } }

  private func row(of group: Overview.Group) -> HTML {
    tr {
      th(.scope("row")) { a(.class("open"), .href(PageAddress("groups", group.id))) { dotted(group.name) } }
      for kind in shownKinds {
        td(.class("number wide quiet")) { text((group.items[kind.itemClass] ?? 0).grouped) }
      }
      td(.class("number")) { text(group.itemCount.grouped) }
      if hasConflicts {
        td(.class("wide")) {
          if group.conflictCount > 0 {
            tag(text(counted(group.conflictCount, "conflict")), "warning", icon: .conflict)
          }
        }
      }
    }
  }
}
