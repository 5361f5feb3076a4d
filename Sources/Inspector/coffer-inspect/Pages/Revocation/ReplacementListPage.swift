internal import Coffer
internal import CofferInspection
internal import CofferSystem
internal import CofferVault

/// The items whose values those know who were removed from the vault, by removal.
struct ReplacementListPage {
  let list: ItemsToReplace
  /// The text that is searched for; empty for all items.
  let search: String
  /// The number of the page, which counts from 1.
  let number: Int
  /// Whether a dismissal needs this machine's passphrase.
  let hasPassphrase: Bool
  /// Why nothing was dismissed; nil before the first attempt.
  var failure: String?
  /// What was selected and typed before it failed, if something was.
  var sent = InspectorForm()
  let names: TeamNames
  let csrf: String

  private static let listID = "to-replace"
  private static let pageSize = 50

  static func address(_ search: String, page: Int = 1) -> PageAddress {
    PageAddress("replace").with("q", search).with("page", page > 1 ? String(page) : nil)
  }

  var page: Page {
    var page = Page(title: "Items to replace", place: .replacements)
    page.lead =
      """
      Somebody who was removed from the vault, or has an old vault key, may have kept these. Change each password where \
      it is used, then store the new one here.
      """
    page.notice = .failure("Nothing was dismissed.", failure)
    page.content = joined {
      if !list.damaged.isEmpty {
        damagedNotice(counted(list.damaged.count, "item is", "items are") + " damaged and may be missing here")
      }
      if list.items.isEmpty {
        section(.class("card flush"), .label("Items to replace")) {
          empty(
            .done, "Nothing to replace",
            "When a machine or an app is removed from the vault, or the vault key is replaced, the items that could be read appear here."
          )
        }
      } else {
        filter
        div(.id(Self.listID), .class("stack")) { results }
      }
      if !list.dismissed.isEmpty { DismissedItemList(items: list.dismissed, names: names).html }
    }
    return page
  }

  private var filter: HTML {
    form(
      .class("filters few"), .role("search"), .action(PageAddress("replace")), .method(.get),
      .data(.search, Self.listID)
    ) {
      field("Search", "search") { _ in searchField(search, "Name, account or group", in: Self.listID) }
      submit("Apply", style: "submit")
      span(.id("count-live"), .class("visually-hidden"), .role("status")) { HTML() }
    }
  }

  @HTMLBuilder private var results: HTML {
    let matching = list.items(matching: search)
    let pages = max(1, (matching.count + Self.pageSize - 1) / Self.pageSize)
    let page = min(max(number, 1), pages)
    let shown = matching.dropFirst((page - 1) * Self.pageSize).prefix(Self.pageSize)
    p(.id("count"), .class("hint")) {
      shownRange(shown.indices, of: matching.count, isAll: pages == 1)
    }
    if shown.isEmpty {
      section(.class("card"), .label("Items")) { empty(.search, "No item matches", "Search for fewer words.") }
    }
    changeForm(PageAddress("replace"), csrf: csrf, fields: ["q": search], .class("stack selectable")) {
      for removal in list.removals {
        let items = shown.filter { $0.revocationEntry == removal.entry }
        if !items.isEmpty { html(of: removal, items) }
      }
      if !shown.isEmpty { dismissal(ItemSelection(matching)) }
    }
    pageLinks(page, of: pages) { Self.address(search, page: $0) }
  }

  private func html(of removal: ItemsToReplace.Removal, _ items: [ItemToReplace]) -> HTML {
    let total = removal.openCount + removal.doneCount
    // What the names of groups have in common, no row has to repeat.
    let groups = SharedPrefix(of: Set(list.items.map { names.short($0.group) }).sorted())
    let title: HTML = "\(given(removal.subject, limit: 80)), \(longDay(removal.time)): \(removal.openCount.grouped)"
    return card(title, id: "removal-\(removal.entry)", isFlush: true) {
      div(.class("note")) {
        if removal.doneCount > 0 {
          progress(.value(String(removal.doneCount)), .maximum(total), .label("Replaced or dismissed")) { HTML() }
        }
        p {
          if removal.doneCount > 0 { "\(removal.doneCount.grouped) of \(total.grouped) done · " }
          "readable for \(given(CofferSystem.list(removal.readers, limit: 4))) · \(logEntry(removal.entry))"
        }
      }
      rowTable(
        "Items that were readable for \(given(removal.subject, limit: 80))", isTitleHidden: true, style: "rows lines",
        [
          (span(.class("visually-hidden")) { "Selected" }, "box"), ("Name", "name"), ("Account", "wide account"),
          (Term.group.html, "wide"), (Term.written.html, "wide date"), ("Action", "action"),
        ]
      ) {
        for item in items { html(of: item, groups) }
      }
    }
  }

  private func html(of item: ItemToReplace, _ groups: SharedPrefix) -> HTML {
    let place = item.reference.map { ItemPlace(reference: $0, group: item.group) }
    let title = DisplayText(item.title, limit: 60).text
    return tr {
      td(.class("box")) {
        input(
          .type("checkbox"), .name("item"), .value(item.key), .label("Select \(title)"),
          .checked(sent.all("item").contains(item.key)))
      }
      Self.name(of: item, at: place)
      td(.class("wide quiet")) { given(item.subtitle, limit: 80) }
      td(.class("wide quiet"), .title(names.short(item.group))) {
        given(groups.rest(of: names.short(item.group)), limit: 80)
      }
      td(.class("wide date")) { day(item.written) }
      td(.class("action")) {
        if item.isEditable, let place {
          linkButton("Replace", to: place.address("edit"), style: "small", .label("Replace \(title)"))
        }
      }
    }
  }

  /// The name of an item in a list, with a link to its page, and its account where the window has no column for it.
  static func name(of item: ItemToReplace, at place: ItemPlace?) -> HTML {
    let name = given(item.title, limit: 72)
    return th(.scope("row"), .class("name")) {
      div {
        item.kind.icon.html
        span {
          place.map { a(.class("open"), .href($0.address())) { name } } ?? name
          span(.class("narrow hint")) { subtitle(item.subtitle, of: item.kind) }
        }
      }
    }
  }

  /// What a dismissal says and needs.
  static func reason(_ text: String, _ hasPassphrase: Bool) -> HTML {
    div(.class("fields")) {
      field("Reason, which the other admins see", "reason") { described in
        input(.id("reason"), .name("reason"), .value(text), .required(), described)
      }
      if hasPassphrase { secretField("Passphrase of this machine", "passphrase", .required()) }
    }
  }

  /// What is done with the selected items. A style sheet shows it once one is selected.
  private func dismissal(_ all: ItemSelection) -> HTML {
    div(.class("dismissal card"), .role("group"), .label("Dismiss the selected items")) {
      p {
        strong { "Dismiss" }
        span(.class("hint")) { " Their values stay as they are." }
      }
      Self.reason(sent["reason"] ?? "", hasPassphrase)
      div(.class("actions")) {
        submit("Dismiss", style: "primary")
        div(.class("check")) {
          input(.id("all"), .type("checkbox"), .name("all"), .value(all.digest))
          label(.for("all")) { "\(all.count == 1 ? "The item" : "All \(all.count.grouped) items") of this list" }
        }
      }
    }
  }
}

/// The items that an admin has taken off the list of what to replace: by whom, when and why.
struct DismissedItemList {
  let items: [ItemToReplace]
  let names: TeamNames

  /// The largest number of items that are shown.
  private static let limit = 200

  var html: HTML {
    card("Dismissed", id: "dismissed", isFlush: true) {
      details(.class("note")) {
        summary { text(counted(items.count, "item") + " whose value stays as it is") }
        p(.class("hint")) {
          if items.count > Self.limit { "Not shown: \(counted(items.count - Self.limit, "more item")). " }
          "If something else is removed that could read them, they are listed again. To see all: "
          code { "coffer rotate list --dismissed" }
          "; to put one back on the list: "
          code { "coffer rotate dismiss --undo" }
        }
        // Not a list for the keys: it is folded.
        div(.class("scroll")) {
          table(.class("rows lines")) {
            caption(.class("visually-hidden")) { "Dismissed items" }
            headings([("Name", "name"), ("Dismissed", "wide"), ("Reason", nil)])
            tbody { for item in items.prefix(Self.limit) { html(of: item) } }
          }
        }
      }
    }
  }

  @HTMLBuilder private func html(of item: ItemToReplace) -> HTML {
    if let dismissal = item.dismissal {
      tr {
        ReplacementListPage.name(
          of: item, at: item.reference.map { ItemPlace(reference: $0, group: item.group) })
        td(.class("wide quiet words")) {
          "\(day(dismissal.time)) by \(given(dismissal.signer)), \(logEntry(dismissal.entry))"
        }
        td(.class("words")) { given(dismissal.reason, limit: 256) }
      }
    }
  }
}
