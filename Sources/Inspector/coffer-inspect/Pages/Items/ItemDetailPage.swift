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

  var page: Page {
    var page = Page(title: row.title, place: .group(row.group))
    page.path = [
      Page.Step(name: "Overview", address: PageAddress()), .group(row.group, names),
    ]
    page.lead = "\(tag(text(row.kind.name), "", icon: row.kind.icon)) \(given(row.subtitle, limit: 80))"
    page.actions = actions
    page.content = joined {
      if !details.damaged.isEmpty {
        damagedNotice(counted(details.damaged.count, "version is", "versions are") + " damaged")
      }
      if !details.conflict.isEmpty { conflict }
      div(.class("columns three")) {
        div(.class("stack")) {
          if details.certificate == nil { value }
          if let certificate = details.certificate {
            CertificateCards(certificate: certificate, names: names, now: now).html
          }
          if let key = details.key { keyCard(key, names) }
          attributes
        }
        div(.class("stack")) {
          div(.class("stack")) {
            about
            if details.certificate != nil { value }
            why
          }
          history
        }
      }
    }
    return page
  }

  @HTMLBuilder private var actions: HTML {
    if details.certificate != nil, details.valueGuard.isOpen {
      linkButton("Export certificate", .export, to: place.address("certificate.pem"))
    }
    if details.isWritable {
      linkButton("Edit", .edit, to: place.address("edit"), .data(.key, "e"))
      linkButton("Move", .move, to: place.address("move"))
      linkButton("Delete", .delete, to: place.address("delete"), style: "danger")
    } else {
      tag("Read only")
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
    let isPassword = row.kind == .genericPassword || row.kind == .internetPassword
    return card(isPassword ? "Value" : "Data", id: "value-card") {
      ValueForm(
        address: place.address("value"), csrf: csrf, revision: details.revision, conditions: details.valueGuard,
        command: details.command("get", app: app)
      ).html
    }
  }

  private var attributes: HTML {
    let isShownAbove = details.certificate != nil || details.key != nil
    let table = facts(details.attributes.map { (text($0.name), Self.whole($0)) })
    return card("Attributes", id: "attributes") {
      if isShownAbove {
        CofferInspectProgram.details {
          summary { "All attributes as stored" }
          table
        }
      } else {
        table
      }
    }
  }

  /// An attribute with its whole text: lists shorten it.
  static func whole(_ attribute: ItemAttributeRow) -> HTML {
    if let date = attribute.date { return moment(date, isExact: true) }
    if attribute.text.isEmpty { return span(.class("hint")) { "empty" } }
    let isLong = attribute.text.utf8.count > 1000 || attribute.text.contains("\n")
    guard isLong else { return bdi { text(attribute.text) } }
    return div(.class("text"), .automaticDirection, .tabindex(0), .role("group"), .label(attribute.name)) {
      text(attribute.text)
    }
  }

  private var about: HTML {
    card("About this item", id: "about") {
      facts(factRows(details.place + details.state, names))
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
          reader.app.map { app in a(.href(PageAddress("apps", app.id))) { dotted(app.name) } } ?? "The owner"
        }
        p(.class("quiet")) {
          for (index, place) in reader.places.enumerated() {
            index > 0 ? "; " : ""
            "\(place.isWritable ? "reads and writes" : "reads") on "
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
        for version in versions.prefix(6) {
          li(.class(version.isCurrent ? "now" : "")) {
            div(.class("what")) {
              strong { version.isDeletion ? "Deleted" : version.isCurrent ? "Current version" : "Earlier version" }
              moment(version.written, isExact: true)
            }
            p(.class("quiet")) { given(names.words(version.writer), limit: 120) }
          }
        }
      }
      p(.class("hint")) {
        if versions.count > 6 { "\(counted(versions.count - 6, "older version")). " }
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
      case .date(let date): moment(date, isExact: true)
      case .group(let group): a(.href(PageAddress("groups", group))) { dotted(names.short(group)) }
      case .writer(let writer): dotted(names.words(writer))
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

  /// The page of the item, or of what can be done with it.
  func address(_ action: String? = nil) -> PageAddress {
    let page = PageAddress(of: reference)
    return (action.map { page.appending($0) } ?? page).with("group", group)
  }
}
