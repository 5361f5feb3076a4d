internal import Coffer
internal import CofferInspection
internal import CofferSystem

/// The versions that do not count, each with its reason and a button that adopts it.
struct RefusedListPage {
  /// The versions, the one that was written last first.
  let versions: [RefusedVersion]
  /// Why a version was not adopted; nil before the first attempt.
  var failure: String?
  let names: TeamNames
  let csrf: String

  /// The largest number of versions on the page.
  static let limit = 100

  var page: Page {
    var page = Page(title: "Refused versions", place: .refused)
    page.lead =
      """
      Versions that do not count, because the membership log does not let their author write them. You can adopt one: it \
      becomes the current version under your signature.
      """
    page.notice = .failure("The version was not adopted.", failure)
    page.content = joined {
      if versions.isEmpty {
        section(.class("card"), .label("Refused versions")) {
          empty(
            .done, "No refused versions",
            "What a machine or an app writes after it was removed from the vault appears here.")
        }
      } else {
        Notice(
          kind: .information, title: "Look at the author before you adopt a version.",
          detail: p { "A machine that was stolen can have written anything." }
        ).html
      }
      for (index, version) in versions.prefix(Self.limit).enumerated() { html(of: version, index) }
      if versions.count > Self.limit {
        p(.class("hint")) {
          "\(counted(versions.count - Self.limit, "older version")) not shown. All of them: "
          code { "coffer refused" }
        }
      }
    }
    return page
  }

  private func html(of version: RefusedVersion, _ index: Int) -> HTML {
    let title = joined {
      self.title(of: version)
      if versions.count(where: { $0.title == version.title }) > 1 { numbered("version", index) }
    }
    return card(title, id: "version-\(index + 1)") {
      facts([
        (Term.itemClass.html, text(version.kind.name)),
        (text(version.kind.subtitleName), version.subtitle.isEmpty ? nil : given(version.subtitle)),
        (Term.group.html, version.group.map { given(names.short($0)) } ?? "unknown"),
        (Term.written.html, moment(version.written, isExact: true)),
        (Term.writtenBy.html, version.writer.map { given(names.words($0)) } ?? "unknown"),
        ("Refused because", given(names.shortened(version.reason))),
        ("Version", code { text(String(version.identifier.prefix(ItemVersionRow.shownIdentifierLength))) }),
      ])
      if let note = version.note { p(.class("hint")) { text(note) } }
      if version.isAdoptable { form(of: version, index) }
    }
  }

  private func title(of version: RefusedVersion) -> HTML {
    if let title = version.title { return given(title, limit: 120) }
    return version.isDeletion ? "A deletion" : "A version that does not open"
  }

  private func form(of version: RefusedVersion, _ index: Int) -> HTML {
    changeForm(PageAddress("refused", "adopt"), csrf: csrf, fields: ["version": version.identifier], .class("stack")) {
      if version.obstacle == .itemChanged {
        if let list = current(of: version) { p { a(.href(list)) { "Look at the newer version" } } }
        checkField("Replace the newer version", "replace", id: "replace-\(index)")
      }
      div(.class("actions")) {
        submit(
          "Adopt", .restore,
          label: "Adopt \(version.title.map { DisplayText($0, limit: 60).text } ?? "this version"), \(index + 1)")
      }
    }
  }

  /// The list of items in which the item's current version is.
  private func current(of version: RefusedVersion) -> PageAddress? {
    guard let group = version.group, let title = version.title,
      title.utf8.count <= ItemListQuery.maximumTextByteCount
    else { return nil }
    return PageAddress("groups", group).with("q", title)
  }
}
