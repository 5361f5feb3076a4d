/// How similar two words are.
enum EditDistance {
  /// Returns the number of characters to insert, delete, replace or exchange with their neighbour to turn one word into the
  /// other (the optimal string alignment distance).
  static func between(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first), Array(second))
    var rows = [Array(0...second.count)]
    for (row, character) in first.enumerated() {
      var costs = [row + 1]
      for (column, other) in second.enumerated() {
        var cost = min(
          rows[row][column + 1] + 1, costs[column] + 1, rows[row][column] + (character == other ? 0 : 1))
        if row > 0, column > 0, character == second[column - 1], first[row - 1] == other {
          cost = min(cost, rows[row - 1][column - 1] + 1)
        }
        costs.append(cost)
      }
      rows.append(costs)
    }
    return rows[first.count][second.count]
  }

  /// Returns the word that is most similar to a mistyped one; nil if none is similar enough to be meant. Words that
  /// differ in length by more than a typing error are not compared.
  static func nearest(to word: String, in others: [String]) -> String? {
    let limit = word.count < 5 ? 1 : 2
    let candidates = others.filter { $0 != word && abs($0.count - word.count) <= limit && $0.count <= maximumLength }
    let compared = candidates.prefix(maximumCount).map {
      (word: $0, distance: between(word.lowercased(), $0.lowercased()))
    }
    return compared.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.word
  }

  /// The comparison takes time in proportion to the product of the lengths.
  private static let maximumLength = 256
  private static let maximumCount = 1_000
}
