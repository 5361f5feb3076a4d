internal import CofferCrypto
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

/// The field of a new value, of one or several lines, and what fills it: typing, a generator, or the stored value. No
/// page contains the value: scripts fetch it, and without them the server generates it when the form is sent.
struct NewValueField {
  let title: HTML
  let hint: HTML
  /// Where the stored value is asked for, to be edited; nil if there is none.
  var stored: PageAddress?

  /// The name of the field that asks the server to generate the value.
  static let generation = "generate"

  var html: HTML {
    div(.class("field whole new-value"), .data(.newValue)) {
      label(.for("field-value")) { title }
      textarea(
        .id("field-value"), .name("value"), .rows(3), .autocomplete("off"), .noSpellCheck, .noCapitals,
        .describedBy("hint-value")
      ) { HTML() }
      p(.id("hint-value"), .class("hint")) { hint }
      div(.class("check")) {
        input(.id("reveal"), .class("reveal"), .type("checkbox"))
        label(.for("reveal")) { "Show what is in the field" }
      }
      fieldset(.class("generator")) {
        legend { "Generate a value" }
        choice(
          "Length", "length", Self.lengths.map { (String($0), String($0)) },
          selected: String(PasswordRecipe.standard.length))
        choice("Characters", "characters", PasswordRecipe.Characters.allCases.map { ($0.rawValue, $0.words) })
        button(.type("button"), .hidden(), .data(.generate)) { "Generate" }
        if let stored {
          button(.type("button"), .hidden(), .data(.load, stored.text)) { "Load the stored value" }
        }
        noscript {
          checkField("Generate the value when this is saved", Self.generation, isRequired: false)
        }
      }
      p(.id("new-value-status"), .class("hint"), .role("status")) { HTML() }
    }
  }

  private static let lengths = [8, 12, 16, 20, 24, 32, 48, 64]
}

extension PasswordRecipe.Characters {
  /// The characters in words.
  fileprivate var words: String {
    switch self {
    case .all: "Letters, digits and symbols"
    case .lettersAndDigits: "Letters and digits"
    case .digits: "Digits"
    }
  }
}
