internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// One item: everything but its value, which is shown on request.
struct ItemDetailPage {
  let place: ItemPlace
  let details: ItemDetails
  /// The versions that this machine keeps, newest first.
  let versions: [ItemVersionRow]
  /// How the versions in conflict differ.
  let comparison: ConflictComparison
  /// The registered apps, of which one can be chosen to ask whether it can read the item; nil for the pages of an app.
  let apps: [AccessGraph.App]?
  /// Who can read the item; empty for the pages of an app, which sees nobody else.
  let readers: [AccessGraph.Reader]
  /// The full identifier of the app whose rights the pages have; nil for the owner.
  let app: String?
  let names: TeamNames
  let csrf: String
  var now = Date()

  private var row: ItemRow { details.row }
  private var isPassword: Bool { row.kind == .genericPassword || row.kind == .internetPassword }

  var page: Page {
    var page = Page(title: row.name, place: place.list?.menu ?? .group(row.group))
    page.hasHeading = false
    page.path = [
      place.list.map { Page.Step(name: $0.title(names), address: $0.address) } ?? .group(row.group, names)
    ]
    page.content = content
    return page
  }

  /// The item as a card of fields, and below it who reads it and what has become of it.
  var content: HTML {
    div(.class("stack")) {
      if !details.damaged.isEmpty {
        damagedNotice(counted(details.damaged.count, "version is", "versions are") + " damaged")
      }
      article(.class("card item"), .labelledBy("item-name")) {
        head
        if isPassword { entries }
        more
        dates
      }
      if !details.conflict.isEmpty { conflict }
      if let certificate = details.certificate {
        CertificateCards(certificate: certificate, names: names, now: now).html
      }
      if let key = details.key { keyCard(key, names) }
      if !isPassword { card("Data", id: "value-card") { value } }
      why
      history
    }
  }

  private var head: HTML {
    header(.class("item-head")) {
      tile(row.name, row.kind)
      div {
        // Names are as long as the log lets them be; a title of an item can have a megabyte.
        h1(.id("item-name")) { dotted(row.name, limit: 400) }
        p(.class("hint")) {
          "\(row.kind.name) in \(a(.href(PageAddress("groups", row.group)), .title(DisplayText(row.group).text)) { dotted(names.display(row.group)) })"
        }
      }
      div(.class("actions")) { actions }
    }
  }

  @HTMLBuilder private var actions: HTML {
    if details.certificate != nil, details.valueGuard.isOpen {
      action("Export certificate", .export, "certificate.pem")
    }
    if details.isWritable {
      linkButton("Edit", .edit, to: place.address("edit"), .data(.key, "e"))
      action("Move", .move, "move")
      action("Delete", .delete, "delete", key: "Delete")
    } else {
      tag("Read only")
    }
  }

  private func action(_ words: String, _ icon: Icon, _ path: String, key: String? = nil) -> HTML {
    a(
      .class("button icon-button"), .href(place.address(path)), .label(words), .title(words),
      .data(.key, key ?? words)
    ) { icon.html }
  }

  // MARK: Fields

  /// What people look for first, each with its own copy button: password, account, code, address and notes.
  private var entries: HTML {
    dl(.class("entries")) {
      entry("Password", value)
      entry("Account", row.account)
      if details.hasCodes {
        entry(
          "One-time code",
          ValueForm(
            subject: .code, address: place.address("code"), csrf: csrf, revision: details.revision, conditions: nil
          ).html)
      }
      entry(row.kind == .internetPassword ? "Website" : "Service", row.kind == .internetPassword ? website : row.title)
      entry("Description", stored("desc"))
      entry("Notes", stored("icmt"))
    }
  }

  /// The codes of the attributes that ``entries`` and ``dates`` show.
  private var shown: Set<String> {
    var codes: Set = ["svce", "srvr", "ptcl", "port", "path", "desc", "icmt", "totp", "mdat", "cdat"]
    if !isPassword { codes = ["mdat", "cdat"] }
    if row.account == row.subtitle, isPassword { codes.insert("acct") }
    if !details.programAttributes.isEmpty { codes.insert("gena") }
    if row.label == row.name { codes.insert("labl") }
    return codes
  }

  private func stored(_ code: String) -> String { details.attributes.first { $0.code == code }?.fieldText ?? "" }

  /// The server with what belongs to its address.
  private var website: String {
    let schemes = ["htps": "https://", "http": "http://"]
    let (port, path) = (stored("port"), stored("path"))
    return (schemes[stored("ptcl")] ?? "") + (row.names.server ?? row.title)
      + (port.isEmpty || port == "0" ? "" : ":\(port)") + (path.isEmpty || path.hasPrefix("/") ? path : "/\(path)")
  }

  private func entry(_ name: HTML, _ content: HTML) -> HTML {
    div(.class("entry")) {
      dt { name }
      dd { content }
    }
  }

  /// A text with a button that copies it; nil for an empty one.
  private func entry(_ name: String, _ content: String) -> HTML? {
    guard !content.isEmpty else { return nil }
    return entry(
      text(name),
      div(.class("secret-line")) {
        Self.whole(content, named: name)
        if content.utf8.count < 10_000 {
          iconButton("Copy \(name.lowercased())", .copy, .copyText, .value(HTML.visible(content)))
        }
      })
  }

  /// The other attributes, the attributes by which a desktop program finds the item, and how files refer to it.
  private var more: HTML {
    let others = details.attributes.filter { !shown.contains($0.code) && !$0.text.isEmpty }
    return CofferInspectProgram.details(.class("more-facts")) {
      summary { "More" }
      facts(
        others.map { (text($0.name), Self.whole($0)) }
          + [("Group", code { dotted(row.group) }), ("Reference in files", reference)])
      if !details.programAttributes.isEmpty {
        h3 { "Attributes of the program" }
        facts(details.programAttributes.map { (given($0.name, limit: 60), given($0.value, limit: 1000)) })
      }
    }
  }

  /// How files and commands refer to the value.
  private var reference: HTML? {
    guard isPassword else { return nil }
    let reference = SecretReference(
      group: names.short(row.group), service: row.title, account: row.subtitle)
    return code { dotted(reference.text, limit: 400) }
  }

  private var dates: HTML {
    p(.class("hint")) {
      "Changed \(ago(row.modified, at: now)) by \(dotted(names.words(row.writer))) · created \(ago(row.created, at: now))"
      details.versionCount > 1 ? " · \(counted(details.versionCount, "version"))" : ""
    }
  }

  private var conflict: HTML {
    card("Conflict: choose a version", id: "conflict") {
      p(.class("hint")) {
        "Machines have changed this item at the same time. The first version is the one that apps read now."
      }
      ConflictVersions(
        versions: details.conflict, comparison: comparison, revision: details.revision, conditions: details.valueGuard,
        valueAddress: place.address("value"), keepAddress: place.address("restore"), isWritable: details.isWritable,
        names: names, csrf: csrf
      ).html
    }
  }

  private var value: HTML {
    ValueForm(
      address: place.address("value"), csrf: csrf, revision: details.revision, conditions: details.valueGuard,
      command: details.command("get", app: app)
    ).html
  }

  /// An attribute with its whole text: lists shorten it.
  static func whole(_ attribute: ItemAttributeRow) -> HTML {
    attribute.date.map { moment($0, isExact: true) } ?? whole(attribute.text, named: attribute.name)
  }

  private static func whole(_ content: String, named name: String) -> HTML {
    let isLong = content.utf8.count > 1000 || content.contains("\n")
    guard isLong else { return bdi { text(content) } }
    return div(.class("text"), .automaticDirection, .tabindex(0), .role("group"), .label(name)) {
      text(content)
    }
  }

  /// Who can read the item: for the owner a form with an app, for an app the question about itself.
  private var why: HTML {
    card("Who can read it", id: "why") {
      if let apps {
        if apps.isEmpty {
          p(.class("hint")) { "No app is registered. The owner reads every group." }
        } else {
          ul(.class("readers")) { for reader in readers { html(of: reader) } }
          if details.isDeviceLocal { p(.class("hint")) { "It stays on this machine." } }
          ExplanationPage.question {
            ExplanationPage.subject(group: row.group, item: row.reference)
            ExplanationPage.choice(of: apps)
          }
        }
        p { a(.href(PageAddress("access").with("group", row.group))) { "Apps and machines that read this group" } }
      } else if let app {
        p {
          a(.href(ExplanationPage.address(of: app, group: row.group, item: row.reference))) {
            "Why this app can read it"
          }
        }
      }
    }
  }

  /// The owner or an app, with the machines on which it can read the item.
  private func html(of reader: AccessGraph.Reader) -> HTML {
    li {
      div {
        strong {
          reader.app.map { app in a(.href(PageAddress("apps", app.id)), .title(app.name)) { dotted(app.title) } }
            ?? "The owner"
        }
        p(.class("quiet")) {
          for (index, place) in reader.places.enumerated() {
            let isSame = index > 0 && reader.places[index - 1].isWritable == place.isWritable
            text(isSame ? ", " : (index > 0 ? "; " : "") + (place.isWritable ? "reads and writes on " : "reads on "))
            a(.href(PageAddress("machines", place.machine.id))) { given(place.machine.name) }
          }
        }
      }
      // What holds on another machine is not known here.
      if let app = reader.app, reader.places.contains(where: \.machine.isThisMachine) {
        linkButton(
          "Why", to: ExplanationPage.address(of: app.id, group: row.group, item: row.reference), style: "small",
          .label("Why \(DisplayText(app.name, limit: 60).text) can read it"))
      }
    }
  }

  /// The newest versions.
  private var history: HTML {
    card(
      "History", id: "history",
      actions: linkButton("Show changes", .history, to: place.address("history"), style: "small")
    ) {
      ol(.class("timeline")) {
        for version in versions.prefix(3) {
          li(.class(version.isCurrent ? "now" : "")) {
            div(.class("what")) {
              strong { version.isDeletion ? "Deleted" : version.isCurrent ? "Current version" : "Earlier version" }
              ago(version.written, at: now)
            }
            p(.class("quiet")) { given(names.words(version.writer), limit: 120) }
          }
        }
      }
      p(.class("hint")) {
        if versions.count > 3 { "\(counted(versions.count - 3, "older version")). " }
        "Earlier versions are kept for 30 days."
      }
    }
  }
}

/// The rows of a list of lines about an item, with links to what they name.
func factRows(_ facts: [ItemFact], _ names: TeamNames) -> [(name: HTML, value: HTML?)] {
  facts.map { fact in
    let value: HTML =
      switch fact.content {
      case .text: given(fact.text, limit: 1000)
      case .digits: code { text(fact.text) }
      case .list(let texts): ul { for text in texts { li { given(text) } } }
      case .item(let row):
        "\(a(.href(PageAddress(of: row.reference))) { given(row.title, limit: 120) }) in \(given(names.short(row.group)))"
      }
    return (text(fact.name), value)
  }
}

extension Term {
  /// The name as text of a page.
  var html: HTML { text(rawValue) }
}

/// The addresses of an item's page and of what is below it.
struct ItemPlace: Sendable {
  let reference: ItemReference
  /// The full name of the group, if the address names it: one reference can be in several groups.
  var group: String?
  /// The list that the item was chosen of; nil for none.
  var list: ListPlace?

  /// The page of the item, or of what can be done with it.
  func address(_ action: String? = nil) -> PageAddress {
    let page = PageAddress(of: reference)
    let address = (action.map { page.appending($0) } ?? page).with("group", group)
    return list?.carried(byItem: address) ?? address
  }
}
