package import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
package import CofferVault

/// A picture with a QR code, such as a screenshot: the program `zbarimg` reads it, in a process without keys.
package enum QRCodePicture {
  private static let program = "zbarimg"
  private static let limit = 8_192
  private static let maximumPictureByteCount = 64 << 20
  /// The exit code of the program for a picture without a code.
  private static var noCode: ChildProcess.Exit { .code(4) }
  private static let timeout = Duration.seconds(30)

  /// Returns the text of the only QR code in the picture of a file.
  package static func read(_ path: String) throws(VaultError) -> String {
    let shown = path.sanitizedForTerminal(limit: .max)
    // A named pipe without a writer must not keep this process waiting.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      throw VaultError(
        .invalidArgument, "cannot read the picture \(shown): \(unsafe String(cString: strerror(errno)))",
        recoverySuggestion: "name a picture in PNG, JPEG or another common format")
    }
    return try read(Descriptor(owning: file), named: shown)
  }

  /// Returns the text of the only QR code in a picture. No disk has the picture then.
  package static func read(_ picture: SecretText) throws(VaultError) -> String {
    try unsafe picture.withBytes { bytes throws(VaultError) in
      let file: Descriptor
      do throws(SystemError) {
        file = try unsafe Descriptor.inMemory(bytes)
      } catch {
        throw VaultError(.io, "\(error)", recoverySuggestion: "give the seed as text")
      }
      return try read(file, named: "the file")
    }
  }

  private static func read(_ file: borrowing Descriptor, named shown: String) throws(VaultError) -> String {
    let picture = file.rawValue
    var status = stat()
    guard unsafe fstat(picture, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= maximumPictureByteCount, isPicture(picture)
    else {
      throw VaultError(
        .invalidArgument, "\(shown) is no picture of at most \(maximumPictureByteCount >> 20) MiB",
        recoverySuggestion: "name a file in PNG, JPEG, GIF, WebP, TIFF, BMP or PNM")
    }
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

  /// Whether a file begins as one of the formats of pictures does: other ones, such as those that are programs, are not
  /// for the libraries that read pictures.
  private static func isPicture(_ file: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 12)
    let count = unsafe pread(file, &bytes, bytes.count, 0)
    let start = bytes.prefix(max(count, 0))
    if start.starts(with: "RIFF".utf8) { return start.dropFirst(8).elementsEqual("WEBP".utf8) }
    // PNM: P1 to P6, and white space.
    if start.first == UInt8(ascii: "P"), start.count > 2 {
      return (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(start[1]) && start[2] <= UInt8(ascii: " ")
    }
    let beginnings: [[UInt8]] = [
      [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8), Array("BM".utf8), [0x49, 0x49, 0x2A, 0],
      [0x4D, 0x4D, 0, 0x2A],
    ]
    return beginnings.contains { start.starts(with: $0) }
  }

  /// Runs the program, which gets the picture as its standard input: a path could be read as something else.
  private static func lines(of picture: Int32) throws(VaultError) -> [String] {
    let end: ChildProcess.Exit?
    var output: [UInt8]
    do throws(SystemError) {
      let pipe = try Descriptor.pipe()
      let child = try ChildProcess.start(
        program, arguments: ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", "-"], searchesPath: true,
        input: .descriptor(picture), output: .descriptor(pipe.theirs.rawValue), errors: .null)
      let ours = pipe.closeTheirs()
      // The codes of a picture fit into the pipe: the program does not wait for a reader.
      end = child.wait(timeout: timeout)
      child.terminate()
      output = ours.readToEnd(maximumByteCount: limit)
    } catch {
      throw VaultError(
        .io, error.isNotFound ? "\(program), which reads QR codes, is not installed" : "\(error)",
        recoverySuggestion: "install it (on Debian: sudo apt install zbar-tools), or give the seed as text")
    }
    defer { output.wipe() }
    guard end == .code(0) || end == noCode else {
      throw VaultError(
        .invalidArgument, "\(program) \(end == nil ? "takes too long for" : "cannot read") the picture",
        recoverySuggestion: "save the picture as PNG, or give the seed as text")
    }
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
