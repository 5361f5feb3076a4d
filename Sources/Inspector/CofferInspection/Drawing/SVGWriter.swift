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

  /// Writes words that begin at a point, or have their middle there if the class says so.
  mutating func words(_ words: String, _ classes: String, x: Double, y: Double) {
    element("text", ["class": .text(classes), "x": .number(x), "y": .number(y)], words)
  }

  /// Writes a level line.
  mutating func line(_ classes: String, from start: Double, to end: Double, y: Double) {
    empty(
      "line", ["class": .text(classes), "x1": .number(start), "x2": .number(end), "y1": .number(y), "y2": .number(y)])
  }

  /// Writes a box with round corners.
  mutating func box(_ classes: String, x: Double, y: Double, width: Double, height: Double, radius: Double) {
    empty(
      "rect",
      [
        "class": .text(classes), "x": .number(x), "y": .number(y), "width": .number(width), "height": .number(height),
        "rx": .number(radius),
      ])
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
  mutating func group(link: String?, _ content: (inout SVGWriter) -> Void) {
    guard let link else { return element("g", [:], content) }
    element("a", ["href": .text(link)]) { $0.element("g", [:], content) }
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

extension String {
  /// The width of the text in a sans-serif font, estimated from wide fonts, so that text fits whatever font a viewer
  /// has. It is in the unit of `size`, which is ``AccessDrawing/boldSize`` for bold text.
  func estimatedWidth(size: Double) -> Double {
    unicodeScalars.reduce(0) { $0 + $1.estimatedWidth } * size
  }

  /// Returns the text, or its beginning and end with "…" between them if it is wider than `width`. Names of apps and
  /// groups differ at the end more often than at the beginning, so more of the end is kept.
  func fitting(_ width: Double, size: Double) -> String {
    guard estimatedWidth(size: size) > width else { return self }
    let scalars = Array(unicodeScalars)
    let available = width / size - Unicode.Scalar("…").estimatedWidth
    var start = 0
    var end = scalars.count
    var used = 0.0
    var usedAtStart = 0.0
    while start < end {
      let isStart = usedAtStart < used * 0.4
      let next = isStart ? scalars[start] : scalars[end - 1]
      guard used + next.estimatedWidth <= available else { break }
      used += next.estimatedWidth
      if isStart {
        usedAtStart += next.estimatedWidth
        start += 1
      } else {
        end -= 1
      }
    }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: scalars[..<start])
    result.append("…")
    result.append(contentsOf: scalars[end...])
    return String(result)
  }
}

extension Unicode.Scalar {
  /// The width in parts of the font's size.
  fileprivate var estimatedWidth: Double {
    switch self {
    case "i", "j", "l", "I", ".", ",", ":", ";", "'", "|", "!", " ": 0.36
    case "f", "r", "t", "-", "(", ")", "/": 0.44
    case "m", "w", "M", "W", "@", "%": 0.98
    case "A"..."Z", "…": 0.74
    default: value < 0x1100 ? 0.64 : 1.05
    }
  }
}

extension String {
  /// The text for the content or an attribute in quotation marks of HTML or XML, and thus of SVG.
  ///
  /// `&`, `<`, `>`, `"` and `'` are escaped. Characters that these formats cannot contain, such as NUL, become U+FFFD,
  /// the replacement character. Characters that change the direction of text are kept: a name that is shown in a line
  /// must be passed through `sanitizedForTerminal(limit:)` first.
  package var escapedForMarkup: String {
    var result = ""
    result.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar.isAllowedInMarkup ? scalar : "\u{FFFD}")
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether XML 1.0 and HTML can contain the scalar.
  fileprivate var isAllowedInMarkup: Bool {
    switch value {
    case 0x09, 0x0A, 0x0D: true
    case 0..<0x20, 0x7F..<0xA0: false
    // The last two of each plane, and the block in the Arabic presentation forms, are no characters.
    case 0xFDD0...0xFDEF: false
    default: value & 0xFFFE != 0xFFFE
    }
  }
}
