internal import CofferInspection
internal import CofferSystem

/// What a key is, and what belongs to it.
struct KeyCards {
  let key: KeyDetails

  init(_ key: KeyDetails) { self.key = key }

  var html: HTML {
    card("Key", id: "key") {
      facts([
        ("Kind", text(key.summary.kind)), ("Algorithm", text(key.summary.algorithm)),
        ("Size", text(key.summary.sizeInBits.map { "\($0) bits" } ?? "not stated")),
        (
          "May be used to", key.summary.usages.isEmpty ? "not stated" : text(key.summary.usages.joined(separator: ", "))
        ),
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
