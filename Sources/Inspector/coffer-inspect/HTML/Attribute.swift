/// An attribute of an element. Its name is fixed when the program is built, as a literal or a case, and its value is
/// escaped.
///
/// No attribute can hold a script or a style, and an address is a ``PageAddress``.
struct Attribute: Sendable {
  let name: String
  /// The value; empty for an attribute that is only present, and `nil` for one that is left out.
  let value: String?

  private init(_ name: StaticString, _ value: String?) {
    self.name = name.description
    self.value = value
  }

  private init(_ name: StaticString, isPresent: Bool) {
    self.init(name, isPresent ? "" : nil)
  }

  static func `class`(_ names: String?) -> Attribute { Attribute("class", names) }
  static func id(_ id: String) -> Attribute { Attribute("id", id) }
  static func title(_ text: String) -> Attribute { Attribute("title", text) }
  static func lang(_ language: String) -> Attribute { Attribute("lang", language) }
  static func role(_ role: String) -> Attribute { Attribute("role", role) }
  static func tabindex(_ index: Int) -> Attribute { Attribute("tabindex", String(index)) }
  static func hidden(_ isHidden: Bool = true) -> Attribute { Attribute("hidden", isPresent: isHidden) }
  static func open(_ isOpen: Bool = true) -> Attribute { Attribute("open", isPresent: isOpen) }
  /// The direction is that of the text's first letter that has one.
  static let automaticDirection = Attribute("dir", "auto")

  static func href(_ address: PageAddress) -> Attribute { Attribute("href", address.text) }
  static func src(_ address: PageAddress) -> Attribute { Attribute("src", address.text) }
  static func rel(_ relation: String) -> Attribute { Attribute("rel", relation) }
  static let deferred = Attribute("defer", isPresent: true)

  static func action(_ address: PageAddress) -> Attribute { Attribute("action", address.text) }
  static func method(_ method: Method) -> Attribute { Attribute("method", method.rawValue) }
  /// The form can send files.
  static let sendsFiles = Attribute("enctype", "multipart/form-data")
  static func type(_ type: String) -> Attribute { Attribute("type", type) }
  static func name(_ name: String) -> Attribute { Attribute("name", name) }
  static func content(_ content: String) -> Attribute { Attribute("content", content) }
  static func charset(_ charset: String) -> Attribute { Attribute("charset", charset) }
  /// The value of a control. A value of an item must never be passed.
  static func value(_ text: String) -> Attribute { Attribute("value", text) }
  static func placeholder(_ text: String) -> Attribute { Attribute("placeholder", text) }
  static func autocomplete(_ text: String) -> Attribute { Attribute("autocomplete", text) }
  static func `for`(_ id: String) -> Attribute { Attribute("for", id) }
  static func accept(_ types: String) -> Attribute { Attribute("accept", types) }
  static func rows(_ count: Int) -> Attribute { Attribute("rows", String(count)) }
  static func minimum(_ number: Int) -> Attribute { Attribute("min", String(number)) }
  static func maximum(_ number: Int) -> Attribute { Attribute("max", String(number)) }
  static func checked(_ isChecked: Bool) -> Attribute { Attribute("checked", isPresent: isChecked) }
  static func selected(_ isSelected: Bool) -> Attribute { Attribute("selected", isPresent: isSelected) }
  static func disabled(_ isDisabled: Bool = true) -> Attribute { Attribute("disabled", isPresent: isDisabled) }
  static func required(_ isRequired: Bool = true) -> Attribute { Attribute("required", isPresent: isRequired) }
  static func autofocus(_ isFocused: Bool = true) -> Attribute { Attribute("autofocus", isPresent: isFocused) }
  static let noSpellCheck = Attribute("spellcheck", "false")
  static let noCapitals = Attribute("autocapitalize", "none")

  static func scope(_ scope: String) -> Attribute { Attribute("scope", scope) }
  static func colspan(_ count: Int) -> Attribute { Attribute("colspan", String(count)) }
  static func datetime(_ text: String) -> Attribute { Attribute("datetime", text) }

  static func viewBox(_ box: String) -> Attribute { Attribute("viewBox", box) }
  static func path(_ path: String) -> Attribute { Attribute("d", path) }
  static func width(_ number: Int) -> Attribute { Attribute("width", String(number)) }
  static func height(_ number: Int) -> Attribute { Attribute("height", String(number)) }
  static func preserveAspectRatio(_ text: String) -> Attribute { Attribute("preserveAspectRatio", text) }

  /// The element is above the page, and shown and hidden by a button of its id.
  static let popover = Attribute("popover", isPresent: true)
  static func popoverTarget(_ id: String) -> Attribute { Attribute("popovertarget", id) }

  static func label(_ text: String?) -> Attribute { Attribute("aria-label", text) }
  static func labelledBy(_ id: String) -> Attribute { Attribute("aria-labelledby", id) }
  static func describedBy(_ id: String?) -> Attribute { Attribute("aria-describedby", id) }
  static func controls(_ id: String) -> Attribute { Attribute("aria-controls", id) }
  static func current(_ isCurrent: Bool) -> Attribute { Attribute("aria-current", isCurrent ? "page" : nil) }
  static func invalid(_ isInvalid: Bool) -> Attribute { Attribute("aria-invalid", isInvalid ? "true" : nil) }
  static func sorted(_ direction: String?) -> Attribute { Attribute("aria-sort", direction) }
  /// The element is decoration, which a screen reader skips.
  static let decorative = Attribute("aria-hidden", "true")

  /// What the script of the pages looks for.
  static func data(_ purpose: DataPurpose, _ value: String = "") -> Attribute { Attribute(purpose, value) }

  private init(_ purpose: DataPurpose, _ value: String) {
    name = "data-\(purpose.rawValue)"
    self.value = value
  }

  enum Method: String { case get, post }
}

/// What an element is to the script of the pages.
enum DataPurpose: String {
  /// A form whose answer replaces the element with the id of the value while a person types.
  case search
  /// A list whose links can be reached with arrow keys.
  case list
  /// The address that a value is fetched from.
  case reveal
  /// A button that shows the value, copies it, or hides it.
  case show, copy, hide
  /// A button that shows the seed of one-time codes as a QR code.
  case qr
  /// A button that copies a text which is no secret.
  case copyText = "copy-text"
  /// Seconds after which a value is hidden.
  case seconds
  /// The address of the progress of a sync.
  case progress
  /// A phase of a sync, by its name, with its words and its state.
  case phase, words, state
  /// Where Esc leads.
  case back
  /// The token of the session, which every request that changes something sends.
  case csrf
  /// The lines of a sync.
  case text
  /// What is hidden unless the script runs.
  case script
  /// A form that keeps what was typed if it cannot be saved.
  case keep
  /// The field of a new value, and its buttons: one that generates a value, and one that loads the stored value.
  case newValue = "new-value"
  case generate, load
  /// What only holds if the value and the seed are not kept.
  case lost
  /// The form of a file to import, by the element of its preview, and the button that stores what that shows.
  case transfer, store
  /// Where a file can be dropped or pasted, for the field of a file in it.
  case drop
  /// A link that opens the search over everything.
  case palette
  /// The key that chooses a link or a button.
  case key
}
