internal import CofferCrypto
internal import CofferInspection

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
        .describedBy("hint-value strength")
      ) { HTML() }
      div(.id("strength"), .class("strength"), .role("status")) { HTML() }
      p(.id("hint-value"), .class("hint")) { hint }
      div(.class("check")) {
        input(.id("reveal"), .class("reveal"), .type("checkbox"))
        label(.for("reveal")) { "Show what is in the field" }
      }
      fieldset(.class("generator")) {
        legend { "Generate a value" }
        choice("Made of", "characters", Self.kinds.map { ($0.value, $0.name) })
        field("Length", "length") { _ in
          input(
            .id("length"), .type("number"), .name("length"), .minimum(WordList.counts.lowerBound),
            .maximum(PasswordRecipe.lengths.upperBound), .value(String(PasswordRecipe.standard.length)),
            .data(.words, String(WordList.standardCount)), .describedBy("hint-length"))
        }
        button(.type("button"), .hidden(), .data(.generate)) { "Generate" }
        if let stored {
          button(.type("button"), .hidden(), .data(.load, stored.text)) { "Load the stored value" }
        }
        p(.id("hint-length"), .class("hint")) { text(Self.numbers) }
        noscript {
          checkField("Generate the value when this is saved", Self.generation, isRequired: false)
        }
      }
      p(.id("new-value-status"), .class("hint"), .role("status")) { HTML() }
    }
  }

  private static let kinds: [(value: String, name: String)] =
    PasswordRecipe.Characters.allCases.map { ($0.rawValue, $0.words) } + [(SecretRecipe.wordsName, "Words")]

  /// The numbers that can be chosen, in words.
  static let numbers = """
    \(PasswordRecipe.lengths.lowerBound) to \(PasswordRecipe.lengths.upperBound) characters, or \
    \(WordList.counts.lowerBound) to \(WordList.counts.upperBound) words.
    """
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
