/// Returns a number with its noun: "1 item", "2 items". `plural` is for nouns that do not just add an s.
package func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
}

/// Returns names in a sentence: "a", "a and b", "a, b and c". Of more than `limit`, the others are counted.
package func list(_ names: [String], limit: Int = 5) -> String {
  var shown = names
  if names.count > limit { shown = names.prefix(limit - 1) + ["\(names.count - limit + 1) others"] }
  guard let last = shown.last, shown.count > 1 else { return shown.first ?? "none" }
  return shown.dropLast().joined(separator: ", ") + " and " + last
}
