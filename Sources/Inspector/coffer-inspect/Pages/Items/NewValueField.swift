internal import CofferCrypto

/// The field of a new value, of one or several lines, and what fills it: typing, a generator, or the stored value. No page
/// contains the value: scripts fetch it, and without them the server generates it when the form is sent.
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
