internal import Coffer
internal import CofferInspection
internal import CofferSystem

/// The versions of an item, each with what it changed.
struct ItemHistoryPage {
  /// The item's title, as it is stored.
  let title: String
  /// The full name of the item's group.
  let group: String
  /// The item's page; nil if the item is deleted.
  let itemAddress: PageAddress?
  /// Where a version is restored.
  let restoreAddress: PageAddress
  /// The reference of a deleted item, whose page a restore leads to.
  var deleted: ItemReference?
  /// What a restore must name; nil if nothing can be restored.
  let revision: ItemRevision?
  /// A version, and how it differs from the one before it; nil for the oldest that is kept.
  struct Entry {
    let version: ItemVersionRow
    let difference: VersionDifference?
  }

  let entries: [Entry]
  /// The number of versions, of which the page shows the newest.
  let total: Int
  let names: TeamNames
  let csrf: String

  /// The largest number of versions on the page.
  static let limit = 50

  var page: Page {
    var page = Page(
      title: "\(itemAddress == nil ? "Deleted item" : "History of") \(title)", place: .group(group))
    if let itemAddress {
      page.path = [.group(group, names), Page.Step(name: title, address: itemAddress)]
    } else {
      page.place = .deleted
      page.path = [Page.Step(name: "Deleted items", address: PageAddress("deleted"))]
    }
    page.content = card(text(counted(total, "version")), id: "versions") {
      ol(.class("timeline")) {
        for entry in entries { html(of: entry) }
      }
      p(.class("hint")) {
        if total > entries.count {
          "\(counted(total - entries.count, "older version is", "older versions are")) not shown. "
        }
        "Earlier versions are kept for 30 days. Values are compared, and not shown."
      }
    }
    return page
  }

  private func html(of entry: Entry) -> HTML {
    let version = entry.version
    return li(.class(version.isCurrent ? "now" : ""), .id("version-\(version.shortIdentifier)")) {
      div(.class("what")) {
        h3 { version.isDeletion ? "Deleted" : entry.difference == nil ? "Written" : "Changed" }
        moment(version.written, isExact: true)
      }
      p(.class("quiet")) {
        "by \(given(names.words(version.writer), limit: 120)) · \(code { text(version.shortIdentifier) })"
      }
      div(.class("tags")) {
        if version.isCurrent { tag("Current", "accent") }
        if version.isInConflict { tag("In conflict", "warning", icon: .conflict) }
      }
      if !version.isDeletion {
        entry.difference.map(differenceTable)
        full(version)
      }
      if !version.isCurrent, let revision { restore(version, over: revision) }
    }
  }

  private func full(_ version: ItemVersionRow) -> HTML {
    CofferInspectProgram.details {
      summary { "All attributes" }
      facts(version.attributes.map { (text($0.name), given($0.text, limit: 1000)) })
    }
  }

  private func restore(_ version: ItemVersionRow, over revision: ItemRevision) -> HTML {
    changeForm(
      restoreAddress, csrf: csrf,
      fields: [
        "revision": revision.text, "version": version.identifier, "class": deleted?.code, "reference": deleted?.text,
      ]
    ) {
      ChangeWarning.restoring(version, among: entries.map(\.version))
      submit(version.isDeletion ? "Delete again" : "Restore this version", .restore, style: "small")
    }
  }
}

/// What a version changed, as a table of before and after.
private func differenceTable(_ difference: VersionDifference) -> HTML {
  guard !difference.attributes.isEmpty || difference.valueDiffers == true else {
    return p(.class("hint")) { "Nothing but the time was changed." }
  }
  guard !difference.attributes.isEmpty else { return p { "The value was changed." } }
  return scrolling("Changes") {
    table(.class("diff")) {
      caption(.class("visually-hidden")) { "What this version changed" }
      headings([("Attribute", nil), ("Before", nil), ("After", nil)])
      tbody {
        for attribute in difference.attributes {
          tr {
            th(.scope("row")) { text(attribute.name) }
            td { attribute.before.map { before in del { given(before, limit: 400) } } ?? "not set" }
            td { attribute.after.map { after in ins { given(after, limit: 400) } } ?? "not set" }
          }
        }
        if difference.valueDiffers == true {
          tr {
            th(.scope("row")) { "Value" }
            td(.colspan(2)) { "changed" }
          }
        }
      }
    }
  }
}
