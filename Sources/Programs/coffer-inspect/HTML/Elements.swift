internal import CofferSystem

/// The elements that the pages consist of, each as a function of its name.
///
/// They are functions rather than members of ``HTML``, because a line that begins with a dot continues the line before.

func html(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("html", attributes, content())
}

func head(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("head", attributes, content())
}

func body(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("body", attributes, content())
}

func title(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("title", attributes, content())
}

func h1(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("h1", attributes, content())
}

func h2(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("h2", attributes, content())
}

func h3(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("h3", attributes, content())
}

func h4(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("h4", attributes, content())
}

func p(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("p", attributes, content())
}

func div(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("div", attributes, content())
}

func span(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("span", attributes, content())
}

func strong(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("strong", attributes, content())
}

func em(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("em", attributes, content())
}

func small(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("small", attributes, content())
}

func code(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("code", attributes, content())
}

func pre(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("pre", attributes, content())
}

func bdi(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("bdi", attributes, content())
}

func kbd(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("kbd", attributes, content())
}

func mark(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("mark", attributes, content())
}

func header(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("header", attributes, content())
}

func nav(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("nav", attributes, content())
}

func mainContent(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("main", attributes, content())
}

func aside(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("aside", attributes, content())
}

func footer(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("footer", attributes, content())
}

func section(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("section", attributes, content())
}

func article(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("article", attributes, content())
}

func ul(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("ul", attributes, content())
}

func ol(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("ol", attributes, content())
}

func li(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("li", attributes, content())
}

func dl(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("dl", attributes, content())
}

func dt(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("dt", attributes, content())
}

func dd(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("dd", attributes, content())
}

func a(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("a", attributes, content())
}

func figure(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("figure", attributes, content())
}

func figcaption(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("figcaption", attributes, content())
}

func blockquote(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("blockquote", attributes, content())
}

func table(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("table", attributes, content())
}

func caption(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("caption", attributes, content())
}

func thead(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("thead", attributes, content())
}

func tbody(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("tbody", attributes, content())
}

func tfoot(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("tfoot", attributes, content())
}

func tr(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("tr", attributes, content())
}

func th(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("th", attributes, content())
}

func td(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("td", attributes, content())
}

func form(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("form", attributes, content())
}

func fieldset(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("fieldset", attributes, content())
}

func legend(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("legend", attributes, content())
}

func label(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("label", attributes, content())
}

func button(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("button", attributes, content())
}

func selection(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("select", attributes, content())
}

func option(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("option", attributes, content())
}

func textarea(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("textarea", attributes, content())
}

func details(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("details", attributes, content())
}

func summary(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("summary", attributes, content())
}

func dialog(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("dialog", attributes, content())
}

func noscript(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("noscript", attributes, content())
}

func output(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("output", attributes, content())
}

func progress(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("progress", attributes, content())
}

func meter(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("meter", attributes, content())
}

func timeElement(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("time", attributes, content())
}

func ins(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("ins", attributes, content())
}

func del(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("del", attributes, content())
}

func abbr(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("abbr", attributes, content())
}

func datalist(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("datalist", attributes, content())
}

func script(_ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
  .element("script", attributes, content())
}

func input(_ attributes: Attribute...) -> HTML { .element("input", attributes, nil) }
func br(_ attributes: Attribute...) -> HTML { .element("br", attributes, nil) }
func wbr() -> HTML { .element("wbr", [], nil) }
func hr(_ attributes: Attribute...) -> HTML { .element("hr", attributes, nil) }
func img(_ attributes: Attribute...) -> HTML { .element("img", attributes, nil) }
func link(_ attributes: Attribute...) -> HTML { .element("link", attributes, nil) }
func meta(_ attributes: Attribute...) -> HTML { .element("meta", attributes, nil) }

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
