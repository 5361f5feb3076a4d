internal import Coffer
internal import CofferVault
internal import Foundation

/// The person at the terminal, if there is one.
enum Terminal {
  /// One line on standard error, after the program's name.
  static func complain(_ message: String) {
    FileHandle.standardError.write(Data("coffer: \(message)\n".utf8))
  }

  /// One line on standard error that is no error: what is going on, or a word of advice.
  static func note(_ message: String) {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
  }

  /// True where standard output is a terminal.
  static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

  /// True where standard input is a terminal.
  static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

  /// Writes bytes to standard output, whole.
  static func write(_ bytes: Data) throws(VaultError) {
    do {
      try FileHandle.standardOutput.write(contentsOf: bytes)
    } catch {
      throw VaultError(.io, "standard output was closed")
    }
  }

  /// Asks for a line that is not shown while it is typed, on the controlling terminal. Throws `locked` where there is none;
  /// `what` names in the error what was to be asked for.
  static func askHidden(_ prompt: String, for what: String, otherwise mend: String) throws(VaultError) -> [UInt8] {
    let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw VaultError(.locked, "there is no terminal to ask for \(what) on", mend: mend)
    }
    defer { close(descriptor) }
    var saved = termios()
    guard unsafe tcgetattr(descriptor, &saved) == 0 else {
      throw VaultError(.locked, "the terminal cannot be used to ask for \(what)", mend: mend)
    }
    var quiet = saved
    // Keys arrive one by one and Ctrl-C as a character, so that no signal can leave the terminal without its echo.
    quiet.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    guard unsafe tcsetattr(descriptor, TCSAFLUSH, &quiet) == 0 else {
      throw VaultError(.locked, "the terminal cannot hide what is typed", mend: mend)
    }
    defer {
      unsafe tcsetattr(descriptor, TCSAFLUSH, &saved)
      put("\n", to: descriptor)
    }
    put("\(prompt): ", to: descriptor)
    var line: [UInt8] = []
    while true {
      var key: UInt8 = 0
      let count = unsafe read(descriptor, &key, 1)
      if count < 0 && errno == EINTR { continue }
      guard count == 1 else { throw cancelled }
      switch key {
      case 10, 13: return line
      case 3, 4: throw cancelled
      case 8, 127:
        // A character of several bytes goes as a whole.
        while let last = line.popLast(), last & 0xC0 == 0x80 {}
      case 21: line.removeAll()
      default:
        guard line.count < 65_536 else { throw VaultError(.invalidArgument, "the line is too long") }
        line.append(key)
      }
    }
  }

  private static var cancelled: VaultError { VaultError(.locked, "cancelled; nothing was changed") }

  private static func put(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe Foundation.write(descriptor, bytes, bytes.count)
  }
}
