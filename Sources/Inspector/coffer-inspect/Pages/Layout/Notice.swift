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
