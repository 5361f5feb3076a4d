internal import CofferInspection
internal import CofferSystem

/// The form for a new item of a class: a password, a key that is generated, or certificates that are imported.
struct ItemCreationPage {
  /// The class. An identity is a certificate and a key, which are added one after the other.
  let kind: ItemKind
  /// The full name of the group that is chosen; nil for the first one.
  let group: String?
  /// The full names of the groups that can be written.
  let groups: [String]
  /// What the person typed before, if it could not be saved.
  var entered: [String: String] = [:]
  var failure: String?
  /// Whether a value was typed, which no page repeats.
  var hasLostValue = false
  let names: TeamNames
  let csrf: String

  /// The classes that can be chosen.
  static let kinds: [ItemKind] = [.genericPassword, .internetPassword, .key, .certificate]

  /// The address of the form.
  static func address(_ kind: ItemKind?, in group: String?) -> PageAddress {
    PageAddress("items", "new").with("class", kind?.rawValue).with("group", group)
  }

  /// A link to the form.
  static func link(in group: String?, kind: ItemKind? = nil) -> HTML {
    a(
      .class("button"), .href(address(kind.flatMap { kinds.contains($0) ? $0 : nil }, in: group)), .data(.key, "n")
    ) {
      Icon.add.html
      kind == .certificate ? "Import certificate" : kind == .key ? "New key" : "New item"
    }
  }

  var page: Page {
    var page = Page(title: title, place: group.map { .group($0) } ?? .items)
    page.path =
      [Page.Step(name: "All items", address: PageAddress("items"))]
      + (group.map { [Page.Step(name: names.short($0), address: PageAddress("groups", $0))] } ?? [])
    page.notice = failure.map { words in
      Notice(
        kind: .danger, title: "Nothing was stored.",
        detail: joined {
          p { text(words) }
          if hasLostValue { p(.data(.lost)) { "Type the value again." } }
        })
    }
    page.content = joined {
      nav(.class("actions"), .label("Class")) {
        for other in Self.kinds {
          a(.class("button small"), .href(Self.address(other, in: group)), .current(other == kind)) {
            other.icon.html
            text(other.name)
          }
        }
      }
      card(cardTitle, id: "new") { groups.isEmpty ? nothingWritable : form }
    }
    return page
  }

  private var title: String { kind == .certificate ? "Import certificates" : "New item" }

  private var cardTitle: HTML {
    switch kind {
    case .certificate, .identity: "Certificates"
    case .key: "New key"
    case .genericPassword, .internetPassword: "Names and value"
    }
  }

  private var nothingWritable: HTML {
    empty(.group, "There is no group that you can write", "Register an app with: \(code { "coffer app add FILE" })")
  }

  private var form: HTML {
    CofferInspectProgram.form(
      .class("stack"), .method(.post), .action(Self.address(kind, in: nil)), .data(.keep)
    ) {
      csrfField(csrf)
      div(.class("fields")) {
        switch kind {
        case .genericPassword, .internetPassword: password
        case .key: key
        case .certificate, .identity: certificate
        }
      }
      div(.class("actions")) {
        button(.type("submit"), .class("primary")) { kind == .certificate ? "Import" : "Save item" }
        a(.class("button"), .href(group.map { PageAddress("groups", $0) } ?? PageAddress("items"))) { "Cancel" }
      }
    }
  }

  private var groupField: HTML {
    let chosen = entered["group"] ?? group
    return div(.class("field")) {
      label(.for("group")) { Term.group.html }
      selection(.id("group"), .name("group"), .describedBy("group-hint")) {
        for name in groups { option(.value(name), .selected(name == chosen)) { text(names.short(name)) } }
      }
      p(.id("group-hint"), .class("hint")) { "The apps of this group can read it." }
    }
  }

  /// The names, the value and the group, and behind a menu the other attributes.
  private var password: HTML {
    let fields = InspectedVault.newFields(of: kind)
    let main = Set(kind.nameFields + ["labl"])
    let others = fields.filter { !main.contains($0.code) }
    let isOpen = others.contains { entered[$0.code].map { !$0.isEmpty && $0 != "0" && $0 != "ak" } ?? false }
    return joined {
      for field in fields where main.contains(field.code) {
        ItemField(field, entered: entered[field.code]).html
      }
      groupField
      NewValueField(title: Term.value.html, hint: "A password, or any text of several lines.").html
      CofferInspectProgram.details(.class("whole"), .open(isOpen)) {
        summary { "More attributes" }
        div(.class("fields")) {
          for field in others { ItemField(field, entered: entered[field.code]).html }
        }
      }
    }
  }

  private var key: HTML {
    joined {
      plain("Label", "label", hint: "A name for people.")
      plain("Application tag", "tag", hint: "How apps find the key; may be empty.")
      div(.class("field")) {
        label(.for("algorithm")) { Term.algorithm.html }
        selection(.id("algorithm"), .name("algorithm")) {
          for key in NewKey.allCases {
            option(.value(key.rawValue), .selected(key.rawValue == entered["algorithm"])) { text(key.name) }
          }
        }
      }
      groupField
    }
  }

  private func plain(_ name: HTML, _ code: String, hint: HTML) -> HTML {
    div(.class("field")) {
      label(.for("field-\(code)")) { name }
      input(
        .id("field-\(code)"), .type("text"), .name(code), .value(entered[code] ?? ""), .automaticDirection,
        .autocomplete("off"), .noSpellCheck, .noCapitals, .describedBy("hint-\(code)"))
      p(.id("hint-\(code)"), .class("hint")) { hint }
    }
  }

  private var certificate: HTML {
    joined {
      div(.class("field"), .data(.script), .hidden()) {
        label(.for("file")) { "File" }
        input(
          .id("file"), .type("file"), .accept(".pem,.crt,.cer,.der,.cert"), .data(.certificate),
          .describedBy("file-status"))
        p(.id("file-status"), .class("hint"), .role("status")) { "It is read here, and shown as text below." }
      }
      groupField
      div(.class("field whole")) {
        label(.for("pem")) { "Certificates in PEM" }
        textarea(
          .id("pem"), .class("mono"), .name("pem"), .rows(10), .required(), .placeholder("-----BEGIN CERTIFICATE-----"),
          .autocomplete("off"), .noSpellCheck, .describedBy("pem-hint")
        ) { text("\n" + (entered["pem"] ?? "")) }
        p(.id("pem-hint"), .class("hint")) {
          "One certificate or a chain, all of which are stored. They are not verified. Private keys are refused."
        }
      }
    }
  }
}
