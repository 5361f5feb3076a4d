internal import ArgumentParser
internal import Coffer
internal import CofferCrypto
internal import CofferTerminal
internal import CofferVault

struct OTPURICommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uri", abstract: "Print the address with the seed, or its QR code, for another program or a phone.",
    discussion: "Whoever has the address can compute all codes.")
  @OptionGroup var choice: OneTimePasswordChoice
  @Flag(help: "Show it as a QR code on the terminal.")
  var qr = false
  @Flag(help: "Print JSON: the address and the item.")
  var json = false

  func validate() throws {
    if qr && json { throw ValidationError("--qr and --json exclude each other") }
  }

  func run() throws {
    let (item, seed) = try choice.find()
    if json { return try Output.json((["uri": seed.uri] as JSONObject).including(item.json())) }
    guard qr else { return try Output.line(seed.uri) }
    let uri = SecretText(copying: Array(seed.uri.utf8))
    guard try TerminalQRCode.print(uri) else {
      throw VaultError(
        .io, "standard output is no terminal that can show a QR code of this size",
        recoverySuggestion: "use a wider terminal, or print the address without --qr")
    }
  }
}
