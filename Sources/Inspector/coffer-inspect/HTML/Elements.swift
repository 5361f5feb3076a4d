internal import CofferSystem

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

/// Text from a vault as ``given(_:limit:)``, whose lines break after dots and the like rather than within words: names of
/// apps, groups and hosts.
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
