/// A form that changes something, with the token against forged requests and the hidden fields that have a value.
func changeForm(
  _ address: PageAddress, csrf: String, fields: KeyValuePairs<String, String?> = [:], _ attributes: Attribute...,
  @HTMLBuilder content: () -> HTML
) -> HTML {
  .element(
    "form", [.method(.post), .action(address)] + attributes,
    joined {
      hiddenField("csrf", csrf)
      for field in fields { field.value.map { hiddenField(field.key, $0) } }
      content()
    })
}

func hiddenField(_ name: String, _ value: String) -> HTML { input(.type("hidden"), .name(name), .value(value)) }

/// The button that sends a form. The label is what a screen reader says in place of the words.
func submit(_ words: HTML, _ icon: Icon? = nil, style: String? = nil, label: String? = nil) -> HTML {
  button(.type("submit"), .class(style), .label(label)) {
    icon?.html
    words
  }
}

/// The end of a form: the button that sends it, and a link that leads away from it.
func formEnd(_ submit: HTML, cancel address: PageAddress) -> HTML {
  div(.class("actions")) {
    submit
    linkButton("Cancel", to: address)
  }
}

/// A link that looks like a button.
func linkButton(
  _ words: HTML, _ icon: Icon? = nil, to address: PageAddress, style: String? = nil, _ attributes: Attribute...
) -> HTML {
  .element(
    "a", [.class(style.map { "button \($0)" } ?? "button"), .href(address)] + attributes,
    joined {
      icon?.html
      words
    })
}

/// A field with its title above it and a hint below. Its control has the id, and names the hint if there is one.
func field(
  _ title: HTML, _ id: String, style: String? = nil, hint: HTML? = nil, _ control: (_ described: Attribute) -> HTML
) -> HTML {
  div(.class(style.map { "field \($0)" } ?? "field")) {
    label(.for(id)) { title }
    control(.describedBy(hint == nil ? nil : "\(id)-hint"))
    hint.map { hint in p(.id("\(id)-hint"), .class("hint")) { hint } }
  }
}

/// The field of a search, whose results replace the element with an id while a person types.
func searchField(_ words: String, _ placeholder: String, in results: String) -> HTML {
  div(.class("search")) {
    Icon.search.html
    input(
      .id("search"), .type("search"), .name("q"), .value(words), .controls(results), .placeholder(placeholder),
      .autocomplete("off"), .noSpellCheck, .noCapitals)
  }
}

/// A field with a menu of values.
func choice(
  _ title: HTML, _ name: String, id: String? = nil, _ choices: [(value: String, name: String)],
  selected: String? = nil, hint: HTML? = nil
) -> HTML {
  field(title, id ?? name, hint: hint) { described in
    selection(.id(id ?? name), .name(name), described) {
      for choice in choices {
        option(.value(choice.value), .selected(choice.value == selected)) { text(choice.name) }
      }
    }
  }
}

/// A field for a passphrase or a password.
func secretField(
  _ title: HTML, _ name: String, id: String? = nil, autocomplete: String = "off", hint: HTML? = nil,
  _ attributes: Attribute...
) -> HTML {
  field(title, id ?? name, hint: hint) { described in
    .element(
      "input",
      [.id(id ?? name), .type("password"), .name(name), .autocomplete(autocomplete), described] + attributes, nil)
  }
}

/// A box to check.
func checkField(_ words: HTML, _ name: String, id: String? = nil, isRequired: Bool = true) -> HTML {
  div(.class("check")) {
    input(.id(id ?? name), .type("checkbox"), .name(name), .value("1"), .required(isRequired))
    label(.for(id ?? name)) { words }
  }
}
