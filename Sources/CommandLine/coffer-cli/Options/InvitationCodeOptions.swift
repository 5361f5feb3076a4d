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

  /// Reads the code if a file contains it; nil otherwise.
  func readFile() throws(VaultError) -> InvitationCode? {
    guard let inviteCodeFile else { return nil }
    return try InvitationCode.typed(SecretInput.file(inviteCodeFile, limit: 256, what: "invitation's code"))
  }

  /// Asks for the code on the terminal, three times in all if it is mistyped. Returns nil for an empty line, which
  /// continues the request of the machine `continued`, if there is one. Throws `locked` if no terminal exists.
  func ask(orContinue continued: String?) throws(VaultError) -> InvitationCode? {
    let prompt = continued.map { "Invitation code (Return: go on with the request of \(Output.cell($0)))" }
    return try Terminal.askRepeatedly(
      prompt ?? "Invitation code", for: "the invitation's code", otherwise: "give --invite-code-file"
    ) { (text) throws(VaultError) in
      text.isEmpty && continued != nil ? nil : try InvitationCode.typed(text)
    }
  }
}
