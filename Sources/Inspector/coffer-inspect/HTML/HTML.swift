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
    let scalars = text.unicodeScalars
    guard !scalars.allSatisfy({ isPlain($0) || $0.isSafeForTerminal }) else { return text }
    return scalars.indices.map { index in
      let scalar = String(scalars[index])
      return isPlain(scalars[index]) || scalars.showsItself(at: index) ? scalar : DisplayText(scalar).text
    }.joined()
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\t" || (" "..."~").contains(scalar)
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

/// Joins the markup of a block, in order.
@resultBuilder
enum HTMLBuilder {
  static func buildExpression(_ markup: HTML) -> HTML { markup }
  static func buildExpression(_ markup: HTML?) -> HTML { markup ?? HTML() }
  static func buildBlock(_ parts: HTML...) -> HTML { joined(parts) }
  static func buildArray(_ parts: [HTML]) -> HTML { joined(parts) }
  static func buildOptional(_ part: HTML?) -> HTML { part ?? HTML() }
  static func buildEither(first: HTML) -> HTML { first }
  static func buildEither(second: HTML) -> HTML { second }

  private static func joined(_ parts: [HTML]) -> HTML {
    var result = HTML()
    for part in parts { result.append(part) }
    return result
  }
}

/// An element that is called as a function of its attributes and its content.
struct Element: Sendable {
  private let name: StaticString

  fileprivate init(_ name: StaticString) { self.name = name }

  func callAsFunction(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
    .element(name, attributes, content())
  }
}

/// An element without content and end tag.
struct VoidElement: Sendable {
  private let name: StaticString

  fileprivate init(_ name: StaticString) { self.name = name }

  func callAsFunction(_ attributes: Attribute...) -> HTML { .element(name, attributes, nil) }
}

// The elements of the pages. They are no members of `HTML`: a line that begins with a dot continues the line before.

let html = Element("html")
let head = Element("head")
let body = Element("body")
let h1 = Element("h1")
let h2 = Element("h2")
let h3 = Element("h3")
let p = Element("p")
let div = Element("div")
let span = Element("span")
let strong = Element("strong")
let small = Element("small")
let code = Element("code")
let pre = Element("pre")
let bdi = Element("bdi")
let kbd = Element("kbd")
let mark = Element("mark")
let header = Element("header")
let nav = Element("nav")
let mainContent = Element("main")
let section = Element("section")
let article = Element("article")
let ul = Element("ul")
let ol = Element("ol")
let li = Element("li")
let dl = Element("dl")
let dt = Element("dt")
let dd = Element("dd")
let a = Element("a")
let table = Element("table")
let caption = Element("caption")
let thead = Element("thead")
let tbody = Element("tbody")
let tr = Element("tr")
let th = Element("th")
let td = Element("td")
let form = Element("form")
let fieldset = Element("fieldset")
let legend = Element("legend")
let label = Element("label")
let button = Element("button")
let selection = Element("select")
let option = Element("option")
let textarea = Element("textarea")
let details = Element("details")
let summary = Element("summary")
let dialog = Element("dialog")
let noscript = Element("noscript")
let progress = Element("progress")
let timeElement = Element("time")
let ins = Element("ins")
let del = Element("del")
let script = Element("script")

let input = VoidElement("input")
let br = VoidElement("br")
let wbr = VoidElement("wbr")
let link = VoidElement("link")
let meta = VoidElement("meta")

/// Text of any length from a vault or a machine, isolated from the text around it, with its own direction, on one line.
/// At most `limit` scalars of it are shown.
func given(_ text: String, limit: Int = 200) -> HTML {
  bdi { .text(DisplayText(text, limit: limit).text) }
}

/// Text from a vault as ``given(_:limit:)``, whose lines break after dots and the like rather than within words: names
/// of apps, groups and hosts.
func dotted(_ text: String, limit: Int = 200) -> HTML {
  bdi { breaking(DisplayText(text, limit: limit).text, beyond: 0) }
}

/// A computed text with names, whose lines break within long names as those of ``dotted(_:limit:)``. A name of at most
/// `length` stays whole if it fits on a line.
func breaking(_ text: String, beyond length: Int = 30) -> HTML {
  var result = HTML()
  for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
    if index > 0 { result.append(" ") }
    var rest = word
    while word.count > length, let end = rest.dropLast().firstIndex(where: { "./@_:".contains($0) }) {
      result.append(.text(String(rest[...end])))
      result.append(wbr())
      rest = rest[rest.index(after: end)...]
    }
    result.append(.text(String(rest)))
  }
  return result
}

/// Text that is computed, as a part of a block.
func text(_ text: String) -> HTML { .text(text) }
