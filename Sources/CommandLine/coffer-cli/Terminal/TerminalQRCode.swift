internal import CofferCrypto
internal import CofferPlatform
internal import CofferQRCode
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A QR code on the terminal, for a camera. The text that it stands for is printed as well: many cannot scan it.
enum TerminalQRCode {
  /// Draws the QR code of a text, which may be a secret, if the output is a terminal that shows UTF-8 and is wide
  /// enough. Returns whether the code is on the terminal; if not, nothing was written. Throws `io` if the terminal was
  /// closed meanwhile.
  @discardableResult
  static func print(
    _ text: SecretText, on descriptor: Int32 = STDOUT_FILENO, environment: [String: String] = CurrentProcess.environment
  ) throws(VaultError) -> Bool {
    guard let window = TerminalWindow.find(on: descriptor, environment: environment), window.showsUnicode,
      // A text that is too long for a code is an address of a remote: the text alone serves as well.
      let code = try? QRCode(text), code.columns <= window.columns
    else { return false }
    let drawing = code.terminalDrawing()
    guard unsafe drawing.withBytes({ unsafe Terminal.writeAll($0, to: descriptor) }) else {
      throw VaultError(.io, "the terminal was closed")
    }
    return true
  }
}
