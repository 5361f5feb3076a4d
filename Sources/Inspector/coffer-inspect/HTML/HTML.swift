internal import CofferInspection
internal import CofferSystem

/// Markup whose text and attribute values are escaped.
///
/// The only ways to make a value are elements, text and ``image(svg:)``, so no text from a vault becomes markup. A
/// string literal is text too: `"<b>"` shows these three characters, and an interpolation of a literal accepts markup
/// and escapes everything else.
struct HTML: Sendable {
  /// The markup as it is sent.
  private(set) var source: String

  /// Creates markup without any content.
  init() { source = "" }

  fileprivate init(source: String) { self.source = source }

  mutating func append(_ other: HTML) { source += other.source }

  /// Markup of text, in which nothing is an element, a reference or a control character.
  static func text(_ text: String) -> HTML { HTML(source: escaped(text)) }

  /// Markup of an image that `CofferInspection` has drawn.
  ///
  /// The source is inserted as it is. Only the drawings of `CofferInspection`, which escape their texts, may be passed.
  static func image(svg: String) -> HTML { HTML(source: svg) }

  /// Markup of an element. The content is `nil` for a void element, which has no end tag. Browsers ignore an attribute
  /// whose name occurs again.
  static func element(_ name: StaticString, _ attributes: [Attribute], _ content: HTML?) -> HTML {
    var source = "<\(name)"
    for attribute in attributes {
      guard let value = attribute.value else { continue }
      source += " \(attribute.name)"
      if !value.isEmpty { source += "=\"" + escaped(value) + "\"" }
    }
    source += ">"
    if let content { source += content.source + "</\(name)>" }
    return HTML(source: source)
  }

  /// Text of several lines as it is shown: line ends and tabs are kept; other control and format characters,
  /// bidirectional ones among them, are shown as ``DisplayText`` shows them.
  static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { !isShown($0) }) else { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      if isShown(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += DisplayText(String(scalar)).text
      }
    }
    return result
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\n", "\t", " "..."~": true
    default: scalar.isSafeForTerminal
    }
  }

  private static func escaped(_ text: String) -> String { visible(text).escapedForMarkup }
}

extension HTML: ExpressibleByStringInterpolation {
  init(stringLiteral value: String) { source = Self.escaped(value) }

  init(stringInterpolation: Interpolation) { source = stringInterpolation.html.source }

  /// Collects the parts of a literal: markup stays markup, everything else becomes text.
  struct Interpolation: StringInterpolationProtocol {
    fileprivate var html = HTML()

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { html.append(.text(literal)) }
    mutating func appendInterpolation(_ markup: HTML) { html.append(markup) }
    mutating func appendInterpolation(_ text: String) { html.append(.text(text)) }
    mutating func appendInterpolation(_ number: Int) { html.append(.text(String(number))) }
  }
}
