internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault

/// The code of an invitation.
struct InvitationCodeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "With --invite: read the code from a file instead of asking for it.", valueName: "file"),
    completion: .file())
  var inviteCodeFile: String?

  private static let purpose = "the invitation's code"
  private static let alternative = "give --invite-code-file"

  /// Reads the code if a file contains it; nil otherwise.
  func readFile() throws(VaultError) -> InvitationCode? {
    guard let inviteCodeFile else { return nil }
    return try InvitationCode.typed(SecretInput.file(inviteCodeFile, limit: 256, what: "invitation's code"))
  }

  /// Asks for the code on the terminal, three times in all if it is mistyped. Returns nil for an empty line, which
  /// continues the request of the machine `continued`, if there is one. Throws `locked` if no terminal exists.
  func ask(orContinue continued: String?) throws(VaultError) -> InvitationCode? {
    let prompt = continued.map { "Invitation code (Return: go on with the request of \(Output.cell($0)))" }
    var remaining = 3
    while true {
      let text = try Terminal.askHidden(prompt ?? "Invitation code", for: Self.purpose, otherwise: Self.alternative)
      if text.isEmpty, continued != nil { return nil }
      do throws(VaultError) {
        return try InvitationCode.typed(text)
      } catch {
        remaining -= 1
        guard remaining > 0 else { throw error }
        Terminal.printError(error.description)
      }
    }
  }

  /// Throws the error that ``ask(orContinue:)`` would throw because no terminal exists.
  func checkCanAsk() throws(VaultError) {
    try Terminal.checkCanAsk(for: Self.purpose, otherwise: Self.alternative)
  }
}
