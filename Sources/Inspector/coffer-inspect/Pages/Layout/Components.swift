internal import CofferInspection
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

/// Says that some of what a page shows is damaged.
func damagedNotice(_ title: String) -> HTML {
  Notice(
    kind: .warning, title: text(title), detail: p { "Run \(code { "coffer check" }) to see what repairs it." }
  ).html
}

/// What a list without entries says: what it would show, and what to do.
func empty(_ icon: Icon, _ title: HTML, _ advice: HTML, action: HTML? = nil) -> HTML {
  div(.class("empty")) {
    icon.html
    strong { title }
    p { advice }
    action
  }
}

/// The square beside a name: its first letter, in one of eight colours that the name decides, or the drawing of a kind
/// that people tell apart by what it is.
func tile(_ name: String, _ kind: ItemKind) -> HTML {
  let colour = name.utf8.prefix(64).reduce(UInt32(5)) { $0 &* 33 &+ UInt32($1) } >> 3 % 8
  let isPassword = kind == .genericPassword || kind == .internetPassword
  let letter = name.prefix(64).first {
    $0.isLetter || $0.isNumber || $0.unicodeScalars.first?.properties.isEmojiPresentation == true
  }
  let shown = letter.map { DisplayText(String($0).uppercased(), limit: 8) }
  return span(.class("tile tile-\(colour)"), .decorative) {
    if isPassword, let shown, !shown.hasSymbols { text(shown.text) } else { kind.icon.html }
  }
}

/// A moment as people say it, with the exact one as its tooltip.
func ago(_ date: Date, at now: Date = Date()) -> HTML {
  timeElement(.datetime(date.formatted(.iso8601)), .title(date.localText)) { text(agoWords(date, at: now)) }
}

/// The words for a moment: its age for a week, then the day and, in another year, the month.
func agoWords(_ date: Date, at now: Date) -> String {
  let seconds = Int(now.timeIntervalSince(date))
  switch seconds {
  case ..<(-60): break
  case ..<60: return "just now"
  case ..<3_600: return "\(seconds / 60) min ago"
  case ..<86_400: return "\(seconds / 3_600) h ago"
  case ..<172_800: return "yesterday"
  case ..<604_800: return "\(seconds / 86_400) days ago"
  default: break
  }
  let parts = date.localText.prefix(10).split(separator: "-").map(String.init)
  guard parts.count == 3, let month = Int(parts[1]), let day = Int(parts[2]) else { return date.localText }
  let name = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][month - 1]
  return now.localText.hasPrefix(parts[0]) ? "\(day) \(name)" : "\(name) \(parts[0])"
}

/// A moment in the machine's time zone, and exact for programs. With `isExact`, it shows seconds too.
func moment(_ date: Date, isExact: Bool = false) -> HTML {
  time(date, isExact ? date.localText : String(date.localText.dropLast(3)))
}

/// A day in the machine's time zone.
func day(_ date: Date) -> HTML { time(date, String(date.localText.prefix(10))) }

/// A day in words.
func longDay(_ date: Date) -> HTML {
  let months = "January February March April May June July August September October November December"
  let parts = date.localText.prefix(10).split(separator: "-").compactMap { Int($0) }
  guard parts.count == 3 else { return day(date) }
  return time(date, "\(parts[2]) \(months.split(separator: " ")[parts[1] - 1]) \(parts[0])")
}

/// The time of a moment below the heading of its day.
func timeOfDay(_ date: Date) -> HTML { time(date, String(date.localText.dropFirst(11).prefix(5))) }

private func time(_ date: Date, _ words: String) -> HTML {
  timeElement(.datetime(date.formatted(.iso8601)), .title(date.localText)) { text(words) }
}

/// A link to an entry of the log, below which the earlier ones follow.
func logEntry(_ number: UInt64) -> HTML {
  a(.href(PageAddress("log").with("before", String(number + 1)))) { "entry \(number.description) of the log" }
}

/// A table of rows, each of which is opened by the link in its first cell. The columns have a heading and the style of
/// their cells: wide ones are left out of narrow windows.
func rowTable(
  _ title: HTML, isTitleHidden: Bool = false, style: String = "rows", _ columns: [(title: HTML, style: String?)],
  @HTMLBuilder rows: () -> HTML
) -> HTML {
  div(.class("scroll")) {
    table(.class(style), .data(.list)) {
      caption(.class(isTitleHidden ? "visually-hidden" : nil)) { title }
      headings(columns)
      tbody { rows() }
    }
  }
}

/// The links to the other pages of a list; nil if it has one page.
func pageLinks(_ page: Int, of count: Int, _ address: (Int) -> PageAddress) -> HTML? {
  guard count > 1 else { return nil }
  func step(_ name: HTML, to target: Int) -> HTML? {
    guard target != page, (1...count).contains(target) else { return nil }
    return linkButton(name, to: address(target), style: "small")
  }
  return nav(.class("pages"), .label("Pages")) {
    div(.class("actions")) {
      step("First", to: 1)
      step("Previous", to: page - 1)
    }
    span { "Page \(page.grouped) of \(count.grouped)" }
    div(.class("actions")) {
      step("Next", to: page + 1)
      step("Last", to: count)
    }
  }
}

/// Which items of a list are shown, and their number. `isAll` if the list has one page.
func shownRange(_ shown: Range<Int>, of total: Int, isAll: Bool) -> HTML {
  let items = counted(total, "item")
  return text(isAll ? items : "\((shown.lowerBound + 1).grouped)–\(shown.upperBound.grouped) of \(items)")
}

/// The first row of a table.
func headings(_ columns: [(title: HTML, style: String?)]) -> HTML {
  thead {
    tr {
      for column in columns { th(.scope("col"), .class(column.style)) { column.title } }
    }
  }
}

/// The first cell of a row: a name with a link that opens it, a mark beside it, and quieter lines below.
func nameCell(
  _ icon: Icon, _ name: HTML, opens address: PageAddress?, mark: HTML? = nil,
  @HTMLBuilder below: () -> HTML = { HTML() }
) -> HTML {
  let link = address.map { address in a(.class("open"), .href(address)) { name } } ?? name
  return th(.scope("row")) {
    div(.class("item-name")) {
      icon.html
      mark.map { mark in div { "\(link) \(mark)" } } ?? link
      below()
    }
  }
}

/// What an item is, for the line below its name. The class is hidden if there is more to say.
func subtitle(_ subtitle: String, of kind: ItemKind, limit: Int = 60) -> HTML {
  "\(span(.class("visually-hidden")) { "\(kind.name), " })\(subtitle.isEmpty ? text(kind.name) : given(subtitle, limit: limit))"
}

/// A message at the top of a page.
struct Notice: Sendable {
  enum Kind: String, Sendable { case good, information, warning, danger }

  var kind: Kind
  var title: HTML
  var detail: HTML = HTML()
  var action: HTML = HTML()

  var html: HTML {
    div(.class("message \(kind.rawValue)")) {
      icon.html
      div {
        strong { title }
        detail
      }
      action
    }
  }

  /// Says that a form has changed nothing, and why; nil before the first attempt. `lost` says what to type again.
  static func failure(_ title: HTML, _ words: String?, lost: HTML? = nil) -> Notice? {
    words.map { words in
      Notice(
        kind: .danger, title: title,
        detail: joined {
          p { advice(words) }
          lost.map { lost in p(.data(.lost)) { lost } }
        })
    }
  }

  private var icon: Icon {
    switch kind {
    case .good: .done
    case .information: .information
    case .warning, .danger: .warning
    }
  }
}

/// A sentence of the model or of an error, in which commands are set as code: those in backticks, and the one after a
/// colon that ends it.
func advice(_ sentence: String) -> HTML {
  guard let start = sentence.commandStart else { return withCode(sentence[...]) }
  return joined {
    withCode(sentence[..<start])
    code { text(String(sentence[start...])) }
  }
}

/// Text in which the parts between backticks are set as code.
private func withCode(_ sentence: Substring) -> HTML {
  let parts = sentence.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
  // A backtick without another one is text.
  guard !parts.count.isMultiple(of: 2) else { return text(String(sentence)) }
  return joined {
    for (index, part) in parts.enumerated() {
      if index.isMultiple(of: 2) { text(part) } else { code { text(part) } }
    }
  }
}

/// A small drawing beside a word, which carries the meaning; screen readers skip the drawing.
enum Icon: String, Sendable {
  case vault = "M4 4h16v15H4zM7 19v2M17 19v2M12 8.5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M12 8.5v-1M12 15.5v-1M15 11.5h1M8 11.5h1"
  case overview = "M4 4h7v7H4zM13 4h7v4h-7zM13 10.5h7V20h-7zM4 13.5h7V20H4z"
  case items = "M4 6h16M4 12h16M4 18h10"
  case password = "M5 11h14v9H5zM8 11V8a4 4 0 0 1 8 0v3M12 14.5v2"
  case internet = "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M3 12h18M12 3c5 5 5 13 0 18c-5-5-5-13 0-18"
  case certificate = "M4 4h16v11H4zM7.5 8h9M7.5 11h5M15.5 11.5a2.5 2.5 0 1 0 .01 0M14 16v5l1.5-1l1.5 1v-5"
  case key = "M8 10.5a4 4 0 1 0 .01 0M11 13.5l9-9M16 8.5l2.5 2.5M13.5 11l2 2"
  case identity = "M12 4a3.5 3.5 0 1 0 .01 0M5 20c0-8 14-8 14 0"
  case group = "M3 7h7l2 2h9v10H3z"
  case app = "M4 8l8-4l8 4v8l-8 4l-8-4zM4 8l8 4l8-4M12 12v8"
  case machine = "M4 5h16v10H4zM9 19h6M12 15v4"
  case log = "M6 4v16M6 7h4M6 12h4M6 17h4M13 7h6M13 12h6M13 17h4"
  case access = "M6 4a2 2 0 1 0 .01 0M6 16a2 2 0 1 0 .01 0M18 10a2 2 0 1 0 .01 0M8 6.7l8 4.5M8 17.3l8-4.5"
  case conflict = "M12 21v-7M12 14L6 8V3M12 14l6-6V3M3.5 5.5L6 3l2.5 2.5M15.5 5.500L18 3l2.5 2.5"
  case sync = "M20 11a8 8 0 0 0-14.5-4L4 9M4 4v5h5M4 13a8 8 0 0 0 14.5 4L20 15M20 20v-5h-5"
  case search = "M10.5 4a6.5 6.5 0 1 0 .01 0M15.5 15.500L21 21"
  case warning = "M12 4L2.5 20h19zM12 10v4.500M12 17.200v.3"
  case information = "M12 3a9 9 0 1 0 .01 0M12 11v5.500M12 7.500v.3"
  case done = "M12 3a9 9 0 1 0 .01 0M8 12l3 3l5-6"
  case edit = "M4 20h4L19.5 8.500l-4-4L4 16zM13 7l4 4"
  case move = "M4 12h15M13.5 6.500L19 12l-5.5 5.5"
  case delete = "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5"
  case history = "M4 12a8 8 0 1 0 2.5-5.800L4 8.500M4 4v4.500h4.500M12 8v4.500l3 2"
  case show = "M2 12c5-8 15-8 20 0c-5 8-15 8-20 0M12 9a3 3 0 1 0 .01 0"
  case cover =
    "M4 4l16 16M2 12c2-3 4.500-5 7-5.700M14.500 6.300c3 .8 5.500 2.700 7.500 5.700c-1.200 1.800-2.500 3.200-4 4.200M14 17.700c-4.500 1-8.500-1-12-5.700"
  case copy = "M9 9h11v11H9zM5 15H4V4h11v1"
  case menu = "M4 7h16M4 12h16M4 17h16"
  case undo = "M4 9h10a5.5 5.5 0 0 1 0 11h-4M8 5L4 9l4 4"
  case restore = "M12 4v10M7.5 9.500L12 14l4.5-4.500M4 18h16"
  case add = "M12 5v14M5 12h14"
  case export = "M12 15V4M7.5 8.500L12 4l4.500 4.500M4 20h16"
  case health = "M12 3l7.500 3v5.500c0 4.500-3 7.500-7.500 9.500c-4.500-2-7.500-5-7.500-9.500V6zM8.500 12l3 3l4-5"
  case device = "M7 3h10v18H7zM11 18h2"
  case filter = "M4 6h16M7 12h10M10 18h4"
  case code = "M5 5h5v5H5zM14 5h5v5h-5zM5 14h5v5H5zM14 14h2v2h-2zM18 18h1v1h-1zM18 14h1M14 18h1"

  /// The drawing.
  var html: HTML {
    .element("svg", [.class("icon"), .viewBox("0 0 24 24"), .decorative], .element("path", [.path(rawValue)], HTML()))
  }
}
