internal import CofferInspection
internal import CofferSystem

/// Lines about an item, with links to what they name.
struct ItemFactList {
  let facts: [ItemFact]
  let names: TeamNames

  /// The rows of a list.
  var rows: [(name: HTML, value: HTML?)] { facts.map { (text($0.name), value(of: $0)) } }

  private func value(of fact: ItemFact) -> HTML {
    switch fact.content {
    case .text: given(fact.text, limit: 1000)
    case .digits: code { text(fact.text) }
    case .date(let date): moment(date, isExact: true)
    case .group(let group): a(.href(PageAddress("groups", group))) { dotted(names.short(group)) }
    case .writer(let writer): dotted(names.words(writer))
    case .list(let texts):
      ul {
        for text in texts { li { given(text) } }
      }
    case .item(let row, let title):
      "\(a(.href(PageAddress(of: row.reference))) { given(title, limit: 120) }) in \(given(names.short(row.group)))"
    }
  }
}

extension Term {
  /// The name as text of a page.
  var html: HTML { text(rawValue) }
}
