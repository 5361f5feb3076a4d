internal import ArgumentParser
internal import Coffer
internal import CofferOneTimeCodes
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

struct OTPCodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "code", abstract: "Print the one-time code of an account.",
    discussion: """
      Finds the password as `coffer get` does, or takes a reference: coffer otp coffer://GROUP/SERVICE/ACCOUNT. Codes depend on \
      the clock of this machine.
      """)
  @OptionGroup var choice: OneTimePasswordChoice
  @OptionGroup var clipboard: ClipboardOptions
  @Flag(help: "Print JSON: the code, how long it is valid, and the item.")
  var json = false

  func validate() throws {
    if clipboard.clip && json { throw ValidationError("--clip and --json exclude each other") }
  }

  func run() throws {
    // Before anybody types a passphrase in vain.
    let clipboard = try clipboard.find()
    let (item, seed) = try choice.find()
    let code = seed.code()
    if let clipboard { return try self.clipboard.copy(Data(code.text.utf8), to: clipboard) }
    try json ? Output.json(item.json(code, of: seed)) : Output.line(code.text)
  }
}
