internal import Coffer
internal import CofferInspection
internal import CofferSystem
internal import CofferVault

/// The form that changes an item. The value's field is always empty: the stored one is not sent to the page.
struct ItemEditPage {
  let place: ItemPlace
  let details: ItemDetails
  /// What the person typed before, if it could not be saved.
  var entered: [String: String] = [:]
  var failure: String?
  /// The full identifier of the app whose rights the pages have; nil for the owner.
  let app: String?
  let names: TeamNames
  let csrf: String

  /// Longer texts cannot be edited in a form.
  private static let maximumByteCount = InspectedVault.maximumCommentByteCount

  var page: Page {
    var page = Page(title: "Edit", place: .group(details.row.group))
    page.path = [
      Page.Step(name: names.short(details.row.group), address: PageAddress("groups", details.row.group)),
      Page.Step(name: details.row.title, address: place.address()),
    ]
    page.lead = "\(given(details.row.title, limit: 120)) in \(given(names.short(details.row.group)))"
    page.notice =
      failure.map { words in
        Notice(kind: .danger, title: "The item was not saved.", detail: p { text(words) })
      } ?? ChangeWarning.conflict(details)
    page.content = card("Attributes and value", id: "edit") {
      form(.class("stack"), .method(.post), .action(place.address("edit"))) {
        csrfField(csrf)
        input(.type("hidden"), .name("revision"), .value(details.revision.text))
        div(.class("fields")) {
          for field in details.fields { html(of: field) }
          if hasValue { value }
        }
        div(.class("actions")) {
          button(.type("submit"), .class("primary")) { "Save changes" }
          a(.class("button"), .href(place.address())) { "Cancel" }
        }
      }
    }
    return page
  }

  private var hasValue: Bool {
    (details.row.kind == .genericPassword || details.row.kind == .internetPassword)
      && !details.valueGuard.requiresApplicationPassword
  }

  private var value: HTML {
    div(.class("field")) {
      label(.for("field-value")) { "New value" }
      input(
        .id("field-value"), .type("password"), .name("value"), .placeholder("unchanged"),
        .autocomplete("new-password"), .describedBy("hint-value"))
      p(.id("hint-value"), .class("hint")) {
        "Leave it empty to keep the stored value. "
        if let command = details.command("set", app: app) {
          "A value of several lines: \(code { text("\(command) < FILE") })"
        }
      }
    }
  }

  private func html(of field: ItemAttributeRow) -> HTML {
    let id = "field-\(field.code)"
    let shown = entered[field.code] ?? Self.shown(field)
    if case .flag = field.field { return flag(field, id, isOn: shown == "1") }
    return div(.class(Self.needsLines(field) ? "field whole" : "field")) {
      label(.for(id)) { text(field.name) }
      switch field.field {
      case .choice(let choices):
        selection(.id(id), .name(field.code), .describedBy(warning(of: field) == nil ? nil : "hint-\(id)")) {
          if !choices.contains(where: { $0.value == shown }) {
            option(.value(shown), .selected(true)) { text(shown.isEmpty ? "not set" : shown) }
          }
          for choice in choices {
            option(.value(choice.value), .selected(choice.value == shown)) { text(choice.name) }
          }
        }
        warning(of: field).map { warning in p(.id("hint-\(id)"), .class("hint")) { warning } }
      case .number:
        input(.id(id), .type("number"), .minimum(0), .name(field.code), .value(shown))
      default:
        if field.fieldText.utf8.count > Self.maximumByteCount {
          p(.class("hint")) { "This text has \(field.fieldText.utf8.count.grouped) bytes, too many for a form." }
          input(.id(id), .type("text"), .disabled(), .value(DisplayText(field.fieldText, limit: 60).text))
        } else if Self.needsLines(field) {
          textarea(.id(id), .name(field.code), .rows(4), .automaticDirection, .noSpellCheck) { text("\n" + shown) }
        } else {
          input(
            .id(id), .type("text"), .name(field.code), .value(shown), .automaticDirection, .autocomplete("off"),
            .noSpellCheck, .noCapitals)
        }
      }
    }
  }

  /// What another choice of a field may do, besides changing the attribute.
  private func warning(of field: ItemAttributeRow) -> HTML? {
    field.code == "pdmn" && !details.isDeviceLocal ? ChangeWarning.staysHere : nil
  }

  private func flag(_ field: ItemAttributeRow, _ id: String, isOn: Bool) -> HTML {
    div(.class("check")) {
      // A checkbox that is off sends nothing: this field tells it from one that the form does not have.
      input(.type("hidden"), .name(field.code), .value("0"))
      input(.id(id), .type("checkbox"), .name(field.code), .value("1"), .checked(isOn))
      label(.for(id)) { text(field.name) }
    }
  }

  private static func needsLines(_ field: ItemAttributeRow) -> Bool {
    field.field == .text && (field.code == "icmt" || field.fieldText.utf8.contains { $0 == 0x0A || $0 == 0x0D })
  }

  /// An attribute's text as the form shows it: controls are visible there.
  private static func shown(_ field: ItemAttributeRow) -> String { HTML.visible(field.fieldText) }

  /// Returns the attributes that a form changes. A text that is still as the form showed it is not changed, even if the
  /// form cannot hold it as it is stored.
  ///
  /// - Parameters:
  ///   - fields: The fields of the form.
  ///   - sent: Returns the last text that was sent for a code; nil for none.
  /// - Returns: The new texts by their codes.
  static func changes(of fields: [ItemAttributeRow], sent: (String) -> String?) -> [String: String] {
    var changes: [String: String] = [:]
    for field in fields {
      guard let text = sent(field.code).map(unixLines) else { continue }
      let isSame =
        field.field == .flag ? (text == "1") == (field.fieldText == "1") : text == unixLines(shown(field))
      if !isSame { changes[field.code] = text }
    }
    return changes
  }

  /// The line ends that forms send become those that texts have.
  private static func unixLines(_ text: String) -> String {
    text.replacing("\r\n", with: "\n").replacing("␍\n", with: "\n")
  }
}
