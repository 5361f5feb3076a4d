internal import CofferInspection
internal import CofferSystem

/// What a key is, and what belongs to it.
struct KeyCards {
  let key: KeyDetails

  init(_ key: KeyDetails) { self.key = key }

  var html: HTML {
    card("Key", id: "key") {
      facts([
        ("Kind", text(key.kind)), ("Algorithm", text(key.algorithm)),
        ("Size", text(key.sizeInBits.map { "\($0) bits" } ?? "not stated")),
        ("May be used to", key.usages.isEmpty ? "not stated" : text(key.usages.joined(separator: ", "))),
        ("Certificates", links(key.certificates)), ("Other half", links(key.otherKeys)),
      ])
    }
  }

  private func links(_ rows: [ItemRow]) -> HTML {
    guard !rows.isEmpty else { return "none in the groups that you can read" }
    return ul {
      for row in rows { li { ItemLink(row).html } }
    }
  }
}
