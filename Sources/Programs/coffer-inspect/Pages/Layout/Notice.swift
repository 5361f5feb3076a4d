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

  private var icon: Icon {
    switch kind {
    case .good: .done
    case .information: .information
    case .warning, .danger: .warning
    }
  }
}
