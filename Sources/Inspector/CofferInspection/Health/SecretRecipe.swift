package import CofferCrypto

/// How a new value is generated: of characters or of words.
package enum SecretRecipe: Sendable, Hashable {
  case characters(PasswordRecipe)
  case words(Int)

  /// The name of words in forms and options, beside those of ``PasswordRecipe/Characters``.
  package static let wordsName = "words"

  /// Creates the recipe of a form: the name of a kind of characters or of words, and how many. Nil for another name and
  /// for a number that cannot be chosen.
  package init?(_ kind: String, count: Int) {
    if kind == Self.wordsName, WordList.counts.contains(count) {
      self = .words(count)
    } else if let characters = PasswordRecipe.Characters(rawValue: kind), PasswordRecipe.lengths.contains(count) {
      self = .characters(PasswordRecipe(length: count, characters: characters))
    } else {
      return nil
    }
  }

  /// Returns a new value, from libsodium's generator.
  package func secret() -> SecretText {
    switch self {
    case .characters(let recipe): recipe.password()
    case .words(let count): WordList.passphrase(of: count)
    }
  }
}

/// The words of passphrases that are generated: the large word list of the Electronic Frontier Foundation, with 7,776
/// words, so that each has 12.9 bits. (https://www.eff.org/files/2016/07/18/eff_large_wordlist.txt, © 2016 Electronic
/// Frontier Foundation, licence CC BY 3.0; without the numbers of the dice before the words. From Debian's package
/// diceware.)
package enum WordList {
  /// The numbers of words that can be chosen.
  package static let counts = 3...24
  /// As hard to guess as 12 characters of all kinds.
  package static let standardCount = 6
  private static let separator = UInt8(ascii: "-")

  /// The words, each as bytes.
  static let words = PackageResources.eff_large_wordlist_txt.split(separator: UInt8(ascii: "\n"))

  /// Returns words from libsodium's generator, each with the same probability, with hyphens between them.
  fileprivate static func passphrase(of count: Int) -> SecretText {
    let words = words
    let longest = words.map(\.count).max() ?? 0
    return SecretText(capacity: count * (longest + 1)) { buffer in
      for index in 0..<count {
        if index > 0 { buffer.append(separator) }
        for byte in words[Random.number(below: words.count)] { buffer.append(byte) }
      }
    }
  }
}
