internal import CofferCrypto

/// The words of passphrases that are generated: the large word list of the Electronic Frontier Foundation, with 7,776 words,
/// so that each has 12.9 bits. (https://www.eff.org/files/2016/07/18/eff_large_wordlist.txt, © 2016 Electronic Frontier
/// Foundation, licence CC BY 3.0; without the numbers of the dice before the words. From Debian's package diceware.)
enum WordList {
  /// The numbers of words that can be chosen.
  static let counts = 3...24
  static let separator = UInt8(ascii: "-")

  /// The words, each as bytes.
  static let words = PackageResources.eff_large_wordlist_txt.split(separator: UInt8(ascii: "\n"))

  /// Returns words from libsodium's generator, each with the same probability, with hyphens between them.
  static func passphrase(of count: Int) -> SecretText {
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
