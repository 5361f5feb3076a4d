internal import ArgumentParser
internal import CofferCrypto
internal import CofferPlatform

/// How a new password is generated.
struct GenerationOptions: ParsableArguments {
  @Flag(help: "Store a random password, from libsodium's generator, instead of a given value.")
  var generate = false
  @Option(
    help: ArgumentHelp("How many characters it has, from 4 to 128. Default: 20.", valueName: "number"))
  var length: Int?
  @Option(
    help: ArgumentHelp(
      "Which characters it has: all, alphanumeric or digits.", discussion: "Default: all.", valueName: "characters"))
  var characters: PasswordRecipe.Characters?
  @Option(
    help: ArgumentHelp(
      "Generate this many words in place of characters, from 3 to 24, with hyphens between them.",
      discussion: "Six words are as hard to guess as 12 characters of all kinds.", valueName: "number"))
  var words: Int?

  func validate() throws {
    guard generate || length == nil && characters == nil && words == nil else {
      throw ValidationError("--length, --characters and --words are for --generate")
    }
    guard words == nil || length == nil && characters == nil else {
      throw ValidationError("--words excludes --length and --characters")
    }
    guard words.map(WordList.counts.contains) ?? true else {
      throw ValidationError("--words takes a number from 3 to 24")
    }
    guard length.map(PasswordRecipe.lengths.contains) ?? true else {
      throw ValidationError("--length takes a number from 4 to 128")
    }
  }

  /// The number that follows `--generate` on the command line: somebody meant a length, and it would become the
  /// service.
  var misplacedLength: String? {
    let words = CommandLine.arguments
    guard generate, let place = words.firstIndex(of: "--generate") else { return nil }
    let next = place + 1
    guard next < words.endIndex else { return nil }
    return words[next].wholeMatch(of: /[0-9]{1,3}/).map { String($0.output) }
  }

  /// Returns a new password.
  func value() -> Data {
    if let words { return unsafe WordList.passphrase(of: words).withBytes { unsafe Data($0) } }
    let recipe = PasswordRecipe(
      length: length ?? PasswordRecipe.standard.length, characters: characters ?? PasswordRecipe.standard.characters)
    return unsafe recipe.password().withBytes { unsafe Data($0) }
  }
}

extension PasswordRecipe.Characters: ExpressibleByArgument {}

/// The words of passphrases that are generated: the large word list of the Electronic Frontier Foundation, with 7,776
/// words, so that each has 12.9 bits. (https://www.eff.org/files/2016/07/18/eff_large_wordlist.txt, © 2016 Electronic
/// Frontier Foundation, licence CC BY 3.0; without the numbers of the dice before the words. From Debian's package
/// diceware.)
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
