/// Returns a number with its noun: "1 item", "2 items". The plural is for nouns that do not just add an s.
package func counted(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(number.grouped) \(number == 1 ? noun : plural ?? noun + "s")"
}

/// Returns names in a sentence: "a", "a and b", "a, b and c". Of more than `limit`, the others are counted.
package func list(_ names: [String], limit: Int = 5) -> String {
  var shown = names
  if names.count > limit { shown = names.prefix(limit - 1) + ["\(names.count - limit + 1) others"] }
  guard let last = shown.last, shown.count > 1 else { return shown.first ?? "none" }
  return shown.dropLast().joined(separator: ", ") + " and " + last
}

extension Int {
  /// The number with thin spaces between groups of three digits.
  package var grouped: String {
    let digits = Array(String(magnitude))
    var result = self < 0 ? "−" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index).isMultiple(of: 3) { result += "\u{202F}" }
      result.append(digit)
    }
    return result
  }
}

/// Returns a time in words: "10 minutes", "90 seconds".
package func counted(seconds: Int) -> String {
  seconds.isMultiple(of: 60) ? counted(seconds / 60, "minute") : counted(seconds, "second")
}
