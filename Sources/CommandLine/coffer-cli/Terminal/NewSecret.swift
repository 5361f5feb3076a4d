internal import CofferCrypto
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

/// Hands a new secret to the user, once: a vault key or the code of an invitation. It is stored nowhere else.
enum NewSecret {
  /// Prints a secret on standard output, between a heading and an explanation. With `isScannable`, a terminal also
  /// shows it as a QR code, for another machine's camera.
  static func print(
    _ secret: SecretText, heading: String, explanation: String, isScannable: Bool = false
  ) throws(VaultError) {
    try Terminal.write(Data("\(heading):\n\n    ".utf8))
    try Terminal.write(SecretText(line: secret))
    if isScannable && Terminal.isOutput {
      try Terminal.write(Data("\n".utf8))
      if try TerminalQRCode.print(secret) {
        try Terminal.write(
          Data(
            "\nThe picture is the same text: a camera that reads it gives you the text to paste at the prompt.\n".utf8))
      }
    }
    try Terminal.write(Data("\n\(explanation)\n".utf8))
  }
}
