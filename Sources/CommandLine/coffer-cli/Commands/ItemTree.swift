internal import Coffer
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault

/// The items of a vault by group and kind, for `coffer list --tree`.
struct ItemTree {
  let vault: InspectedVault
  let groups: [String]

  /// Prints the tree as indented lines. Few items are in memory at a time. Returns errors of damaged items.
  func print() throws -> [VaultError] {
    var damaged: [VaultError] = []
    for group in groups {
      try Output.line(Output.cell(group))
      var isEmpty = true
      for kind in ItemKind.allCases {
        var isFirst = true
        let errors = try vault.forEachItem(of: kind, in: group) { row in
          if isFirst { try Output.line("  \(kind.pluralName)") }
          (isFirst, isEmpty) = (false, false)
          try Output.line("    \(Self.line(row))")
        }
        // An identity is damaged if its certificate is, which was named before.
        if kind != .identity { damaged += errors }
      }
      if isEmpty { try Output.line("  no items") }
    }
    return damaged
  }

  /// Prints the tree as JSON. Returns errors of damaged items.
  func printJSON() throws -> [VaultError] {
    var damaged: [VaultError] = []
    let tree = try groups.map { group in
      let classes = try ItemKind.allCases.compactMap { kind -> JSONObject? in
        var items: [JSONObject] = []
        let errors = try vault.forEachItem(of: kind, in: group) { items.append($0.json) }
        if kind != .identity { damaged += errors }
        return items.isEmpty ? nil : ["class": kind.argument, "items": items]
      }
      return ["group": group, "classes": classes] as JSONObject
    }
    try Output.json(tree)
    return damaged
  }

  /// Returns an item's names in one line.
  private static func line(_ row: ItemRow) -> String {
    var parts = [row.title, row.subtitle]
    if let label = row.label, label != row.title { parts.append(label) }
    if let detail = row.detail { parts.append(detail) }
    var line = parts.filter { !$0.isEmpty }.map { Output.name($0) }.joined(separator: "  ")
    if let expires = row.expires { line += "  until \(Output.date(expires))" }
    return row.hasConflict ? "\(line)  (conflict)" : line
  }
}
