internal import Coffer
internal import CofferInspection
internal import CofferSystem

/// The versions of an item, each with what it changed.
struct ItemHistoryPage {
  let place: ItemPlace
  let details: ItemDetails
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
    var page = Page(title: "History", place: .group(details.row.group))
    page.path = [
      Page.Step(name: names.short(details.row.group), address: PageAddress("groups", details.row.group)),
      Page.Step(name: details.row.title, address: place.address()),
    ]
    page.lead = "Who changed \(given(details.row.title, limit: 120)), when, and what."
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
      entry.difference.map { DifferenceTable(difference: $0).html }
      if !version.isDeletion { full(version) }
      if !version.isCurrent, details.isWritable { restore(version) }
    }
  }

  private func full(_ version: ItemVersionRow) -> HTML {
    CofferInspectProgram.details {
      summary { "All attributes" }
      facts(version.attributes.map { (text($0.name), given($0.text, limit: 1000)) })
    }
  }

  private func restore(_ version: ItemVersionRow) -> HTML {
    form(.method(.post), .action(place.address("restore"))) {
      input(.type("hidden"), .name("csrf"), .value(csrf))
      input(.type("hidden"), .name("revision"), .value(details.revision.text))
      input(.type("hidden"), .name("version"), .value(version.identifier))
      button(.type("submit"), .class("small")) {
        Icon.restore.html
        version.isDeletion ? "Delete again" : "Restore this version"
      }
    }
  }
}
