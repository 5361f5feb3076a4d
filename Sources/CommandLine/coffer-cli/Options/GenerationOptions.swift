internal import ArgumentParser
internal import CofferCrypto
internal import CofferInspection
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
    let standard = PasswordRecipe.standard
    let recipe =
      words.map { SecretRecipe.words($0) }
      ?? .characters(PasswordRecipe(length: length ?? standard.length, characters: characters ?? standard.characters))
    return unsafe recipe.secret().withBytes { unsafe Data($0) }
  }
}

extension PasswordRecipe.Characters: ExpressibleByArgument {}
