internal import CofferInspection
internal import CofferSystem

/// The content of a page, without the menu around it.
struct Page: Sendable {
  /// The heading and, with the name of the program after it, the title of the window.
  var title: String
  /// What the menu shows as the current place.
  var place: Place
  /// The pages above this one, beginning with the widest.
  var path: [Step] = []
  /// Whether the title is shown above the content: the content of other pages has the heading.
  var hasHeading = true
  /// The id of what the first link of the page skips to.
  var contentID = "main"
  /// A sentence about what the page shows.
  var lead: HTML?
  /// The list that is shown, to which undoing a deletion leads back.
  var list: ListPlace?
  /// Links and forms beside the heading.
  var actions = HTML()
  /// What has just been done, or why it was not.
  var notice: Notice?
  var content = HTML()

  /// A page above.
  struct Step: Sendable {
    let name: String
    let address: PageAddress

    /// An access group.
    static func group(_ name: String, _ names: TeamNames) -> Step {
      Step(name: names.display(name), address: PageAddress("groups", name))
    }
  }

  /// Where the menu leads.
  enum Place: Sendable, Equatable {
    case overview, items, certificates, keys, health, importing, conflicts, deleted, replacements, refused
    case apps, machines, access, log, sync
    case group(String)
    /// A page that the menu does not list.
    case none
  }
}

/// What surrounds each page: the menu, and the token that forms send.
struct Frame: Sendable {
  var vault: VaultMenu
  /// The short name of the app whose rights the pages have; nil for the owner.
  var app: String?
  /// The token of the session against forged requests.
  var csrf: String

  /// The whole document.
  func document(_ page: Page) -> String {
    let body = CofferInspectProgram.body(.data(.csrf, csrf)) {
      a(.class("skip"), .href(.here(page.contentID))) { "Skip to the content" }
      header(.class("topbar")) {
        brand
        div(.class("actions")) {
          a(.class("button icon-button"), .href(PageAddress("items")), .label("Search"), .data(.palette)) {
            Icon.search.html
          }
          a(.class("button icon-button"), .href(PageAddress("items", "new")), .label("New item")) { Icon.add.html }
          button(.type("button"), .popoverTarget("menu")) {
            Icon.menu.html
            "Menu"
          }
        }
      }
      div(.class("shell")) {
        nav(.id("menu"), .class("menu"), .popover, .label("Vault")) { menu(page.place) }
        mainContent(.id("main"), .tabindex(-1)) { content(page) }
      }
      keys
    }
    return Self.document(title: page.title, body: body, script: PageAddress("assets", "inspector.js"))
  }

  /// A document without a menu: the entry, a locked vault, and errors without a session. The title is also its heading.
  static func plain(title: String, script: PageAddress? = nil, @HTMLBuilder content: () -> HTML) -> String {
    let body = CofferInspectProgram.body {
      div(.class("alone")) {
        mainContent(.id("main")) {
          section(.class("card")) {
            p(.class("brand")) {
              Icon.vault.html
              "Coffer"
            }
            h1 { text(title) }
            content()
          }
        }
      }
    }
    return document(title: title, body: body, script: script)
  }

  private static func document(title: String, body: HTML, script file: PageAddress?) -> String {
    "<!doctype html>\n"
      + html(.lang("en")) {
        head {
          meta(.charset("utf-8"))
          HTML.element("title", [], "\(DisplayText(title, limit: 80).text) – Coffer")
          meta(.name("viewport"), .content("width=device-width, initial-scale=1"))
          meta(.name("color-scheme"), .content("light dark"))
          link(.rel("stylesheet"), .href(PageAddress("assets", "inspector.css")))
          link(.rel("stylesheet"), .href(PageAddress("assets", "access.css")))
          link(.rel("icon"), .href(PageAddress("assets", "icon.svg")), .type("image/svg+xml"))
          if let file { script(.src(file), .deferred) { HTML() } }
        }
        body
      }.source
  }

  private var brand: HTML {
    a(.class("brand"), .href(PageAddress())) {
      Icon.vault.html
      span {
        "Coffer "
        small(.title("Vault of the team \(vault.team)")) { "on \(given(vault.names.machine, limit: 60))" }
        if let app { small(.class("actor")) { "As \(given(app))" } }
      }
    }
  }

  @HTMLBuilder private func menu(_ place: Page.Place) -> HTML {
    brand
    div(.class("menu-body")) { places(place) }
    foot
  }

  /// What has a fixed length first, then the groups, which can be many.
  @HTMLBuilder private func places(_ place: Page.Place) -> HTML {
    a(.class("button search-link"), .href(PageAddress("items")), .data(.palette)) {
      Icon.search.html
      span { "Search" }
      kbd { "Ctrl K" }
    }
    div {
      h2 { "Vault" }
      ul {
        entry("Overview", .overview, PageAddress(), place == .overview)
        entry("All items", .items, PageAddress("items"), place == .items)
        entry("Certificates", .certificate, PageAddress("certificates"), place == .certificates)
        entry("Keys", .key, PageAddress("keys"), place == .keys)
        entry("Password health", .health, PageAddress("health"), place == .health)
        entry("Import", .restore, PageAddress("import"), place == .importing)
        entry("Deleted items", .delete, PageAddress("deleted"), place == .deleted)
        entry(
          "Conflicts", .conflict, PageAddress("conflicts"), place == .conflicts, count: vault.conflictCount,
          isAlert: true)
        if vault.hasRevocations, app == nil {
          entry(
            "Items to replace", .edit, PageAddress("replace"), place == .replacements, count: vault.replacementCount,
            isAlert: true)
          entry(
            "Refused versions", .warning, PageAddress("refused"), place == .refused, count: vault.refusedCount,
            isAlert: true)
        }
      }
    }
    div {
      h2 { "Access" }
      ul {
        if app != nil {
          // The rest is the owner's.
          entry("This app", .app, PageAddress("apps"), place == .apps)
        } else {
          entry("Apps", .app, PageAddress("apps"), place == .apps)
          entry("Machines", .machine, PageAddress("machines"), place == .machines)
          entry("Who reads what", .access, PageAddress("access"), place == .access)
          entry("Membership log", .log, PageAddress("log"), place == .log)
          entry("Sync", .sync, PageAddress("sync"), place == .sync)
        }
      }
    }
    if !vault.groups.isEmpty {
      div {
        h2 { "Groups" }
        ul {
          for group in vault.groups {
            entry(
              vault.names.display(group.name), .group, PageAddress("groups", group.name), place == .group(group.name),
              count: group.itemCount, title: group.title)
          }
        }
      }
    }
  }

  private var foot: HTML {
    div(.class("menu-foot")) {
      changeForm(PageAddress("lock"), csrf: csrf) { submit("Lock and end", .password, style: "small") }
      button(.type("button"), .class("small"), .id("show-keys"), .label("Keys"), .title("Keys")) { "?" }
    }
  }

  private func entry(
    _ name: String, _ icon: Icon, _ address: PageAddress, _ isCurrent: Bool, count: Int = 0, isAlert: Bool = false,
    title: String? = nil
  ) -> HTML {
    li {
      a(.href(address), .current(isCurrent), .title(title ?? name)) {
        icon.html
        span(.class("name")) { given(name) }
        if count > 0 {
          span(.class(isAlert ? "count alert" : "count")) { text(count.grouped) }
        }
      }
    }
  }

  @HTMLBuilder private func content(_ page: Page) -> HTML {
    if !page.path.isEmpty {
      nav(.class("crumbs"), .label("Path"), .data(.back, page.path.last?.address.text ?? "/")) {
        ol {
          for step in page.path { li { a(.href(step.address)) { dotted(step.name, limit: 100) } } }
        }
      }
    }
    if page.hasHeading {
      div(.class("title")) {
        div {
          // Names are as long as the log lets them be.
          h1 { dotted(page.title, limit: 400) }
          if let lead = page.lead { p { lead } }
        }
        div(.class("actions")) { page.actions }
      }
    }
    div(.id("notice"), .role("status")) { page.notice?.html }
    page.content
  }

  private var keys: HTML {
    let rows: [(keys: [String], meaning: HTML)] = [
      (["Ctrl K"], "Go to an item, a page or an action"), (["/"], "Search the list"),
      (["j", "↓"], "Next entry of the list"), (["k", "↑"], "Previous entry"), (["Enter"], "Open the entry"),
      (["x"], "Select the entry"), (["v"], "Show or hide the value"), (["c"], "Copy the value"),
      (["o"], "Copy the one-time code"), (["e"], "Edit the item"), (["Delete"], "Delete the item"), (["n"], "New item"),
      (["g", "i"], "All items"), (["g", "c"], "Certificates"), (["g", "k"], "Keys"), (["g", "o"], "Overview"),
      (["Esc"], "Hide a value, leave a field, or go back"), (["?"], "Show these keys"),
    ]
    return dialog(.id("keys"), .labelledBy("keys-title")) {
      h2(.id("keys-title")) { "Keys" }
      dl(.class("keys")) {
        for row in rows {
          dt { for key in row.keys { "\(kbd { text(key) }) " } }
          dd { row.meaning }
        }
      }
      form(.method(.get)) {
        div(.class("actions")) { button(.type("submit")) { "Close" } }
      }
    }
  }
}
