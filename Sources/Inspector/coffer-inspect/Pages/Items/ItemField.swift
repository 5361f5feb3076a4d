internal import CofferInspection
internal import CofferSystem

/// The field of an attribute in a form.
struct ItemField {
  let field: ItemAttributeRow
  /// What the person typed before, if it could not be saved.
  var entered: String?
  /// Whether somebody else has changed the attribute meanwhile.
  var isOvertaken = false
  /// What another choice may do, besides changing the attribute.
  var warning: HTML?

  /// Longer texts cannot be edited in a form.
  private static let maximumByteCount = InspectedVault.maximumCommentByteCount

  private var id: String { "field-\(field.code)" }
  private var value: String { entered ?? Self.shown(field) }
  private var hasHint: Bool { warning != nil || isOvertaken }
  private var described: Attribute { .describedBy(hasHint ? "hint-\(id)" : nil) }

  var html: HTML {
    if case .flag = field.field { return flag }
    return div(.class(needsLines ? "field whole" : "field")) {
      label(.for(id)) { text(field.name) }
      control
      if hasHint { hint }
    }
  }

  @HTMLBuilder private var control: HTML {
    switch field.field {
    case .choice(let choices):
      selection(.id(id), .name(field.code), described) {
        if !choices.contains(where: { $0.value == value }) {
          option(.value(value), .selected(true)) { text(value.isEmpty ? "not set" : value) }
        }
        for choice in choices {
          option(.value(choice.value), .selected(choice.value == value)) { text(choice.name) }
        }
      }
    case .number:
      input(.id(id), .type("number"), .minimum(0), .name(field.code), .value(value), described)
    default:
      if field.fieldText.utf8.count > Self.maximumByteCount {
        p(.class("hint")) { "This text has \(field.fieldText.utf8.count.grouped) bytes, too many for a form." }
        input(.id(id), .type("text"), .disabled(), .value(DisplayText(field.fieldText, limit: 60).text))
      } else if needsLines {
        textarea(.id(id), .name(field.code), .rows(4), .automaticDirection, .noSpellCheck, described) {
          text("\n" + value)
        }
      } else {
        input(
          .id(id), .type("text"), .name(field.code), .value(value), .automaticDirection, .autocomplete("off"),
          .noSpellCheck, .noCapitals, described)
      }
    }
  }

  private var hint: HTML {
    p(.id("hint-\(id)"), .class("hint")) {
      warning
      if isOvertaken {
        field.fieldText.isEmpty
          ? "It was removed meanwhile. " : "It was changed meanwhile; stored now: \(given(field.text, limit: 200))"
      }
    }
  }

  private var flag: HTML {
    div(.class("check")) {
      // A checkbox that is off sends nothing: this field tells it from one that the form does not have.
      input(.type("hidden"), .name(field.code), .value("0"))
      input(.id(id), .type("checkbox"), .name(field.code), .value("1"), .checked(value == "1"))
      label(.for(id)) { text(field.name) }
    }
  }

  private var needsLines: Bool {
    field.field == .text && (field.code == "icmt" || field.fieldText.utf8.contains { $0 == 0x0A || $0 == 0x0D })
  }

  /// An attribute's text as the form shows it: controls are visible there.
  static func shown(_ field: ItemAttributeRow) -> String { HTML.visible(field.fieldText) }
}
