internal import CofferPlatform
internal import CofferSystem

/// Joins markup outside an element.
func joined(@HTMLBuilder _ content: () -> HTML) -> HTML { content() }

/// A part of a page, which its heading names. No other part of the page has the id. With `isFlush`, the content reaches
/// the edges, as tables and lists do. The actions are links and forms beside the heading.
func card(
  _ title: HTML, id: String, isFlush: Bool = false, actions: HTML? = nil, @HTMLBuilder content: () -> HTML
) -> HTML {
  section(.class(isFlush ? "card flush" : "card"), .labelledBy("\(id)-title"), .id(id)) {
    header {
      h2(.id("\(id)-title")) { title }
      if let actions { div(.class("actions")) { actions } }
    }
    content()
  }
}

/// A table without links that may be wider than its card. It can be focused, so that the keyboard scrolls it.
func scrolling(_ label: String, @HTMLBuilder content: () -> HTML) -> HTML {
  div(.class("scroll"), .tabindex(0), .role("group"), .label(label), content: content)
}

/// What tells parts with the same heading apart for a screen reader: the number of each.
func numbered(_ noun: String, _ index: Int) -> HTML {
  span(.class("visually-hidden")) { ", \(noun) \(index + 1)" }
}

/// A word that marks a state. The word carries the meaning, the colour repeats it.
func tag(_ words: HTML, _ kind: String = "", icon: Icon? = nil) -> HTML {
  span(.class("tag \(kind)")) {
    icon?.html
    words
  }
}

/// A list of names and values. A row without a value is left out.
func facts(_ rows: [(name: HTML, value: HTML?)]) -> HTML {
  dl(.class("facts")) {
    for row in rows {
      if let value = row.value {
        dt { row.name }
        dd { value }
      }
    }
  }
}

/// What a list without entries says: what it would show, and what to do.
func empty(_ icon: Icon, _ title: HTML, _ advice: HTML) -> HTML {
  div(.class("empty")) {
    icon.html
    strong { title }
    p { advice }
  }
}

/// A moment in the machine's time zone, and exact for programs. With `isExact`, it shows seconds too.
func moment(_ date: Date, isExact: Bool = false) -> HTML {
  let local = date.localText
  return timeElement(.datetime(date.formatted(.iso8601)), .title(local)) {
    text(isExact ? local : String(local.dropLast(3)))
  }
}

/// A day in the machine's time zone.
func day(_ date: Date) -> HTML {
  timeElement(.datetime(date.formatted(.iso8601)), .title(date.localText)) { text(String(date.localText.prefix(10))) }
}

/// A link to an entry of the log, below which the earlier ones follow.
func logEntry(_ number: UInt64) -> HTML {
  a(.href(PageAddress("log").with("before", String(number + 1)))) { "entry \(number.description) of the log" }
}
