internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A picture with a QR code, such as a screenshot: the program `zbarimg` reads it, in a process without keys.
enum QRCodePicture {
  private static let program = "zbarimg"
  private static let limit = 8_192

  /// Returns the text of the only QR code in a picture.
  static func read(_ path: String) throws(VaultError) -> String {
    let shown = path.sanitizedForTerminal(limit: .max)
    let picture = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard picture >= 0 else {
      throw VaultError(
        .invalidArgument, "cannot read the picture \(shown): \(unsafe String(cString: strerror(errno)))",
        recoverySuggestion: "name a picture in PNG, JPEG or another common format")
    }
    defer { close(picture) }
    let lines = try Self.lines(of: picture)
    guard lines.count == 1 else {
      throw VaultError(
        .invalidArgument, lines.isEmpty ? "\(shown) has no QR code" : "\(shown) has \(lines.count) QR codes",
        recoverySuggestion: "take a picture in which one code is large and sharp")
    }
    guard !lines[0].hasPrefix("otpauth-migration:") else {
      throw VaultError(
        .invalidArgument, "\(shown) is an export of Google Authenticator, which has several seeds in a form of its own",
        recoverySuggestion: "let each service show its own QR code")
    }
    return lines[0]
  }

  /// Runs the program, which gets the picture as its standard input: a path could be read as something else.
  private static func lines(of picture: Int32) throws(VaultError) -> [String] {
    do throws(SystemError) {
      let pipe = try Descriptor.pipe()
      let child = try ChildProcess.start(
        program, arguments: ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", "-"], searchesPath: true,
        input: .descriptor(picture), output: .descriptor(pipe.theirs.rawValue), errors: .null)
      var output = pipe.closeTheirs().readToEnd(maximumByteCount: limit)
      defer { output.wipe() }
      child.wait()
      return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    } catch {
      throw VaultError(
        .io, error.isNotFound ? "\(program), which reads QR codes, is not installed" : "\(error)",
        recoverySuggestion: "install it (on Debian: sudo apt install zbar-tools), or give the seed as text")
    }
  }
}
