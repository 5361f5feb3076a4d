internal import CofferInspection
internal import CofferSystem

/// The form for a new item of a class: a password, or a key that is generated. Certificates are imported.
struct ItemCreationPage {
  /// The class.
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
  /// Whether a seed of one-time codes was entered, as text or as a picture, which no page repeats.
  var hasLostSeed = false
  let names: TeamNames
  let csrf: String

  /// The classes that can be chosen.
  static let kinds: [ItemKind] = [.genericPassword, .internetPassword, .key]

  /// The address of the form.
  static func address(_ kind: ItemKind?, in group: String?) -> PageAddress {
    PageAddress("items", "new").with("class", kind?.rawValue).with("group", group)
  }

  /// A link to the form.
  static func link(in group: String?, kind: ItemKind? = nil) -> HTML {
    guard kind != .certificate else {
      return linkButton(
        "Import certificate", .add, to: PageAddress("import").with("group", group), .data(.key, "n"))
    }
    return linkButton(
      kind == .key ? "New key" : "New item", .add,
      to: address(kind.flatMap { kinds.contains($0) ? $0 : nil }, in: group), .data(.key, "n"))
  }

  var page: Page {
    var page = Page(title: "New item", place: group.map { .group($0) } ?? .items)
    page.path =
      [Page.Step(name: "All items", address: PageAddress("items"))]
      + (group.map { [.group($0, names)] } ?? [])
    page.notice = .failure(
      "Nothing was stored.", failure, lost: ItemEditPage.lost("value", hasLostValue, seed: hasLostSeed))
    page.content = joined {
      nav(.class("actions"), .label("Class")) {
        for other in Self.kinds {
          linkButton(
            text(other.name), other.icon, to: Self.address(other, in: group), style: "small",
            .current(other == kind))
        }
        linkButton(
          text(ItemKind.certificate.name), .certificate, to: PageAddress("import").with("group", group), style: "small")
      }
      card(kind == .key ? "New key" : "Names and value", id: "new") { groups.isEmpty ? nothingWritable : form }
    }
    return page
  }

  private var nothingWritable: HTML {
    empty(.group, "There is no group that you can write", "Register an app with: \(code { "coffer app add FILE" })")
  }

  private var form: HTML {
    changeForm(Self.address(kind, in: nil), csrf: csrf, .class("stack"), .data(.keep), .sendsFiles) {
      div(.class("fields")) { kind == .key ? key : password }
      formEnd(
        submit("Save item", style: "primary"), cancel: group.map { PageAddress("groups", $0) } ?? PageAddress("items"))
    }
  }

  private var groupField: HTML {
    choice(
      Term.group.html, "group", groups.map { ($0, names.short($0)) }, selected: entered["group"] ?? group,
      hint: "The apps of this group can read it.")
  }

  /// The names, the value and the group, and behind a menu the other attributes.
  private var password: HTML {
    let fields = InspectedVault.newFields(of: kind)
    let main = Set(kind.nameFields + ["labl"])
    let others = fields.filter { !main.contains($0.code) }
    let isOpen =
      hasLostSeed || others.contains { entered[$0.code].map { !$0.isEmpty && $0 != "0" && $0 != "ak" } ?? false }
    return joined {
      for field in fields where main.contains(field.code) {
        ItemField(field: field, entered: entered[field.code]).html
      }
      groupField
      NewValueField(title: Term.value.html, hint: "A password, or any text of several lines.").html
      CofferInspectProgram.details(.class("whole"), .open(isOpen)) {
        summary { "More attributes" }
        div(.class("fields")) {
          for field in others { ItemField(field: field, entered: entered[field.code]).html }
          ItemEditPage.seedField("Seed of one-time codes", empty: "Empty for none.")
        }
      }
    }
  }

  private var key: HTML {
    joined {
      plain("Label", "label", hint: "A name for people.")
      plain("Application tag", "tag", hint: "How apps find the key; may be empty.")
      choice(
        Term.algorithm.html, "algorithm", NewKey.allCases.map { ($0.rawValue, $0.name) },
        selected: entered["algorithm"])
      groupField
    }
  }

  private func plain(_ name: HTML, _ code: String, hint: HTML) -> HTML {
    field(name, "field-\(code)", hint: hint) { described in
      input(
        .id("field-\(code)"), .type("text"), .name(code), .value(entered[code] ?? ""), .automaticDirection,
        .autocomplete("off"), .noSpellCheck, .noCapitals, described)
    }
  }
}
