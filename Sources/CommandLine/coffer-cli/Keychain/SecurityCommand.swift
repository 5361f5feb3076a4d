internal import ArgumentParser
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct SecurityCommand: ParsableCommand {
  /// The name of a link to `coffer` that is this command.
  static let programName = "security"

  static let configuration = CommandConfiguration(
    commandName: programName, abstract: "Find, add and delete passwords in the words of macOS's program of this name.",
    discussion: """
      For scripts that were written for macOS: find-, add- and delete-generic-password and -internet-password, with the \
      options, outputs and exit codes that they have there. `coffer security find-generic-password -h` lists the options. A \
      link to `coffer` with the name security is this command, too.

      Acts as the app that COFFER_APP names, or as the owner: in a group of your own, unless the name of an access group is \
      given in the place of a keychain. Instead of the option -w, which every user of the machine can read, give the commands \
      on standard input: coffer security -i
      """)
  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("A command of macOS, and its options.", valueName: "command"))
  var words: [String] = []

  func run() throws {
    let status = SecurityTool.run(words)
    if status != 0 { throw ExitCode(status) }
  }
}

/// The program `security` of macOS, as far as it is about passwords: Apple's Security-61901, SecurityTool.
enum SecurityTool {
  /// What macOS's program returns for a function that is not implemented: errSecUnimplemented, -4.
  private static let unimplemented: Int32 = 252
  /// What it returns after it has shown how a command is used.
  private static let usage: Int32 = 2

  /// Runs a command with its options. Returns the exit code.
  static func run(_ words: [String]) -> Int32 {
    guard let name = words.first else { return showCommands() }
    switch name {
    case "-h", "--help", "help": return words.count > 1 ? showUsage(of: words[1]) : showCommands()
    case "-i": return runInteractively()
    // Quiet and verbose.
    case "-q", "-v": return run(Array(words.dropFirst()))
    default: break
    }
    if let command = SecurityPasswordCommand(name: name) {
      guard let arguments = command.arguments(of: words) else { return showUsage(of: name) }
      return SecurityRun(command: command, arguments: arguments).run()
    }
    if let reason = refused[name] {
      StandardError.line("security: \(name): \(reason)")
      return unimplemented
    }
    // The word is not shown: it may be a secret.
    StandardError.line("security: unknown command; see: coffer security help")
    return 1
  }

  private static func showCommands() -> Int32 {
    for command in SecurityPasswordCommand.all { StandardError.line(command.usage) }
    StandardError.line("Usage: security -i    Run the commands of standard input, one in each line.")
    return usage
  }

  private static func showUsage(of name: String) -> Int32 {
    guard let command = SecurityPasswordCommand(name: name) else { return showCommands() }
    StandardError.line(command.usage)
    for (letter, words) in command.optionWords { StandardError.line("    -\(letter)  \(words)") }
    return usage
  }

  /// Runs the commands of standard input. Returns the exit code of the last one.
  private static func runInteractively() -> Int32 {
    var status: Int32 = 0
    while true {
      if Terminal.isInput { try? Terminal.write(Data("security> ".utf8)) }
      let words: [String]
      do throws(VaultError) {
        guard var line = try SecurityInput.line() else { return status }
        defer { line.wipe() }
        guard let text = String(validating: line, as: UTF8.self) else {
          StandardError.line("security: a command is not UTF-8")
          status = 1
          continue
        }
        words = SecurityLine.words(text.hasSuffix("\r") ? String(text.dropLast()) : text)
      } catch {
        StandardError.line("security: \(error.description)")
        return 1
      }
      guard let first = words.first else { continue }
      if ["quit", "exit"].contains(first) { return status }
      status = run(words)
    }
  }

  /// The commands that are about keychain files, code signing and trust settings, and what there is in their place.
  private static let refused: [String: String] = {
    let file = "a vault is not a keychain file. Apps have access groups of their own: see `coffer help app`"
    let lock = "a vault is unlocked for the next commands with: coffer unlock"
    let signing = "code is signed on macOS only"
    let certificate = "certificates are listed with: coffer list --tree"
    return [
      "create-keychain": file, "delete-keychain": file, "default-keychain": file, "login-keychain": file,
      "list-keychains": file, "show-keychain-info": file, "set-keychain-settings": file, "set-keychain-password": file,
      "unlock-keychain": lock, "lock-keychain": "it is locked with: coffer lock",
      "dump-keychain": "items are listed with: coffer list --tree",
      "set-key-partition-list": signing, "set-generic-password-partition-list": signing,
      "set-internet-password-partition-list": signing, "find-identity": signing, "import": signing, "export": signing,
      "create-keypair": signing, "cms": signing, "add-certificates": certificate, "find-certificate": certificate,
      "delete-certificate": certificate, "find-key": certificate, "verify-cert": signing,
      "add-trusted-cert": signing, "remove-trusted-cert": signing, "trust-settings-export": signing,
      "authorizationdb": signing, "authorize": signing, "execute-with-privileges": signing,
    ]
  }()
}

/// Standard input, of which commands and passwords are lines.
enum SecurityInput {
  private static let limit = 1 << 20

  /// Reads a line, without its newline, byte for byte; nil at the end. Bytes after it stay unread, for the next
  /// command. Throws `invalidArgument` for a line of more than 1 MiB.
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

/// A command of `security -i`.
enum SecurityLine {
  /// Returns the words of a line: white space separates them, quotes of both kinds keep it, and a backslash takes the
  /// next character as it is.
  static func words(_ line: String) -> [String] {
    var words: [String] = []
    var word: String.UnicodeScalarView?
    var quote: Unicode.Scalar?
    var isEscaped = false
    for scalar in line.unicodeScalars {
      if isEscaped {
        word = (word ?? .init()) + [scalar]
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if let open = quote {
        if scalar == open { quote = nil } else { word = (word ?? .init()) + [scalar] }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
        word = word ?? .init()
      } else if scalar == " " || scalar == "\t" {
        if let complete = word { words.append(String(complete)) }
        word = nil
      } else {
        word = (word ?? .init()) + [scalar]
      }
    }
    if let complete = word { words.append(String(complete)) }
    return words
  }
}
