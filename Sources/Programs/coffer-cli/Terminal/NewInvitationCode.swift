internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault
internal import Foundation

/// Hands the code of a new invitation to the user, once: it is stored nowhere.
enum NewInvitationCode {
  /// Prints a code on standard output, between a heading and an explanation.
  static func print(_ code: InvitationCode, heading: String, explanation: String) throws(VaultError) {
    try Terminal.write(Data("\(heading):\n\n    ".utf8))
    try Terminal.write(SecretText(line: code.text))
    if Terminal.isOutput {
      try Terminal.write(Data("\n".utf8))
      try TerminalQRCode.print(code.text)
    }
    try Terminal.write(Data("\n\(explanation)\n".utf8))
  }
}
