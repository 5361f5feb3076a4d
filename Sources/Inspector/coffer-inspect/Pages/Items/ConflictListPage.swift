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

/// The concurrent versions of an item side by side, each with a button that keeps it.
struct ConflictVersions {
  /// The largest number of versions side by side.
  static let limit = 16

  let versions: [ItemVersionRow]
  let comparison: ConflictComparison
  let revision: ItemRevision
  let conditions: ValueGuard?
  let valueAddress: PageAddress
  let keepAddress: PageAddress
  let isWritable: Bool
  let names: TeamNames
  let csrf: String

  /// The codes of the attributes whose texts differ, without those that describe the version.
  private var differing: Set<String> {
    var texts: [String: Set<String>] = [:]
    for version in versions where !version.isDeletion {
      for attribute in version.attributes where AttributeName.name(ofCode: attribute.code) != nil {
        texts[attribute.code, default: []].insert(attribute.text)
      }
    }
    let count = versions.count { !$0.isDeletion }
    return Set(
      texts.filter { code, values in
        values.count > 1 || versions.count { $0.attributes.contains { $0.code == code } } < count
      }.keys)
  }

  var html: HTML {
    let differing = differing
    return joined {
      p {
        text(
          Self.sentence(differing.isEmpty, comparison.valuesDiffer, hasDeletion: versions.contains(where: \.isDeletion))
        )
      }
      div(.class("versions")) {
        for (index, version) in versions.prefix(Self.limit).enumerated() { html(of: version, index, differing) }
      }
      if versions.count > Self.limit {
        p(.class("hint")) {
          "\(counted(versions.count - Self.limit, "older version is", "older versions are")) not shown. "
          "The next change of the item sets all of them aside."
        }
      }
    }
  }

  /// How the versions differ, as a sentence.
  static func sentence(_ hasSameAttributes: Bool, _ valuesDiffer: Bool?, hasDeletion: Bool) -> String {
    if hasDeletion, hasSameAttributes { return "One version deletes the item." }
    let values =
      switch valuesDiffer {
      case true?: "The values differ"
      case false?: "The values are the same"
      case nil: "An application password protects the values, so they are not compared"
      }
    return "\(values); \(hasSameAttributes ? "the attributes are the same" : "the attributes that differ are marked")."
  }

  private func html(of version: ItemVersionRow, _ index: Int, _ differing: Set<String>) -> HTML {
    article(.class(version.isCurrent ? "version chosen" : "version"), .label("Version \(index + 1)")) {
      h3 {
        "Version \(index + 1)"
        if version.isCurrent { " \(tag("Current", "accent"))" }
      }
      dl {
        dt { "Version" }
        dd { code { text(version.shortIdentifier) } }
        dt { "Written" }
        dd { moment(version.written, isExact: true) }
        dt { "Written by" }
        dd { given(names.words(version.writer), limit: 120) }
        dt { "Changed" }
        dd { text(VersionChange.words(comparison.changes[version.identifier])) }
        for attribute in version.attributes where differing.contains(attribute.code) {
          dt { text(attribute.name) }
          dd { mark { given(attribute.text, limit: 400) } }
        }
      }
      if version.isDeletion {
        p { "This version deleted the item." }
      } else {
        ValueForm(
          address: valueAddress, csrf: csrf, revision: revision, version: version.identifier, conditions: conditions,
          suffix: "-\(version.shortIdentifier)"
        ).html
      }
      if isWritable {
        changeForm(
          keepAddress, csrf: csrf,
          fields: ["revision": revision.text, "version": version.identifier, "reason": "conflict"]
        ) {
          if version.isDeviceLocal, !version.isDeletion, versions.contains(where: { !$0.isDeviceLocal }) {
            p(.class("hint")) {
              "This version stays on this machine: if you keep it, the next sync deletes the item on all other machines."
            }
          }
          submit(version.isDeletion ? "Keep it deleted" : "Keep this version", style: "primary")
        }
      }
    }
  }
}
