internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

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
      return SecurityRun(command, arguments).run()
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
