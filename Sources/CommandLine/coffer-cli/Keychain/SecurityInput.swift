internal import CofferCrypto
internal import CofferPlatform
internal import CofferVault

/// Standard input, of which commands and passwords are lines.
enum SecurityInput {
  private static let limit = 1 << 20

  /// Reads a line, without its newline, byte for byte; nil at the end. Bytes after it stay unread, for the next command.
  /// Throws `invalidArgument` for a line of more than 1 MiB.
  static func line() throws(VaultError) -> [UInt8]? {
    var line: [UInt8] = []
    // So that an array that grows leaves no copies.
    line.reserveCapacity(limit)
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(STDIN_FILENO, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return line.isEmpty ? nil : line }
      if byte == UInt8(ascii: "\n") { return line }
      guard line.count < limit else {
        line.wipe()
        throw VaultError(
          .invalidArgument, "a line of standard input has more than \(limit) bytes",
          recoverySuggestion: "give one command or password in each line")
      }
      line.append(byte)
    }
  }
}
