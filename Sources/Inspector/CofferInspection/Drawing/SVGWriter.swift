/// Writes the elements of an SVG document. Every text and attribute is escaped here and nowhere else.
struct SVGWriter {
  private(set) var text = ""

  /// An attribute's value: text, or a number with at most one digit after the point.
  enum Value {
    case text(String)
    case number(Double)

    var description: String {
      switch self {
      case .text(let text): return text.escapedForMarkup
      case .number(let number):
        // Not by a format of the locale, which could write a comma.
        let tenths = Int((number * 10).rounded())
        let fraction = abs(tenths % 10)
        let sign = tenths < 0 ? "-" : ""
        return fraction == 0 ? "\(sign)\(abs(tenths) / 10)" : "\(sign)\(abs(tenths) / 10).\(fraction)"
      }
    }
  }

  typealias Attributes = KeyValuePairs<String, Value>

  /// Writes an element without content.
  mutating func empty(_ name: String, _ attributes: Attributes) {
    open(name, attributes, end: "/>\n")
  }

  /// Writes an element with text.
  mutating func element(_ name: String, _ attributes: Attributes, _ content: String) {
    open(name, attributes, end: ">")
    text += content.escapedForMarkup
    text += "</\(name)>\n"
  }

  /// Writes the text that pointers and screen readers get for the element around it.
  mutating func title(_ words: String) { element("title", [:], words) }

  /// Writes an element with other elements in it.
  mutating func element(_ name: String, _ attributes: Attributes, _ content: (inout SVGWriter) -> Void) {
    open(name, attributes, end: ">\n")
    content(&self)
    text += "</\(name)>\n"
  }

  /// Writes a group, or a link if there is an address.
  mutating func group(link: String?, _ attributes: Attributes, _ content: (inout SVGWriter) -> Void) {
    guard let link else { return element("g", attributes, content) }
    element("a", ["href": .text(link)]) { $0.element("g", attributes, content) }
  }

  /// Writes a style sheet, which is not escaped: it is a constant without `<` and `&`.
  mutating func style(_ sheet: String) { text += "<style>\n\(sheet)</style>\n" }

  private mutating func open(_ name: String, _ attributes: Attributes, end: String) {
    text += "<\(name)"
    for (key, value) in attributes { text += " \(key)=\"\(value.description)\"" }
    text += end
  }
}

extension SVGWriter.Value: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  init(stringLiteral value: String) { self = .text(value) }
  init(floatLiteral value: Double) { self = .number(value) }
  init(integerLiteral value: Int) { self = .number(Double(value)) }
}
