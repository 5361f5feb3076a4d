internal import ArgumentParser
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BridgeSSHAskpassCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "ssh-askpass", abstract: "Answer ssh, ssh-add and git, which run this for a passphrase or a password.",
    discussion: """
      The passphrase of a key is the generic password `ssh` with the path of the key as its account. A password of a server is \
      an internet password. Anything else, such as whether a host is known, is asked on the terminal. To type a password instead \
      of one that the server refuses: SSH_ASKPASS_REQUIRE=never ssh HOST
      """)
  @Argument(help: "What they ask.")
  var prompt: String
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "ssh, ssh-add, git"
  private static let programName = "coffer-ssh-askpass"

  static func settings(_ installation: BridgeInstallation) -> [any BridgeSetting] {
    var program = installation.program(programName)
    // With an option of its own, a server could choose the app or the group.
    program.takesNoOptions = true
    return [
      program,
      FileSetting(
        file: .configuration("environment.d/coffer-ssh-askpass.conf"), mark: installation.mark,
        text: "SSH_ASKPASS=\(quoted(program.path))\nSSH_ASKPASS_REQUIRE=force\n"),
    ]
  }

  /// Returns a value as `environment.d` has it. A dollar sign begins a variable in quotes too.
  private static func quoted(_ value: String) -> String {
    var text = ""
    for character in value {
      switch character {
      case "\\", "\"", "`": text += "\\\(character)"
      case "$": text += "$$"
      default: text.append(character)
      }
    }
    return "\"\(text)\""
  }

  static func advice(_ installation: BridgeInstallation) -> [String] {
    let program = installation.program(programName).path.shellWord
    return [
      "Sessions of systemd have the variables from the next login on. Other shells need these lines in ~/.profile:",
      "    export SSH_ASKPASS=\(program) SSH_ASKPASS_REQUIRE=force",
      "Store the passphrase of a key with: coffer set ssh ~/.ssh/id_ed25519",
    ]
  }

  /// Throws `invalidArgument` for a version of ssh that does not say which questions a server has written, and if another program
  /// answers ssh, which may show what Coffer can only ask on a terminal.
  static func checkClient() throws(VaultError) {
    let other = CurrentProcess.environment["SSH_ASKPASS"] ?? ""
    guard other.isEmpty || other.hasSuffix("/\(programName)") else {
      throw VaultError(
        .invalidArgument, "SSH_ASKPASS is \(other.sanitizedForTerminal()) already; nothing was changed",
        recoverySuggestion: "replace that with: env -u SSH_ASKPASS coffer bridge install ssh-askpass")
    }
    guard let version = oldVersion else { return }
    throw VaultError(
      .invalidArgument, "OpenSSH \(version) lets a server ask for the passphrase of a key; nothing was changed",
      recoverySuggestion: "install OpenSSH 8.5 or later, then try again")
  }

  static func findings() throws(VaultError) -> [Finding] {
    guard try installedCommand() != nil, let version = oldVersion else { return [] }
    return [
      Finding(
        .bridgeOldClient, .problem, subject: "OpenSSH \(version)",
        message: "It lets a server ask for the passphrase of a key, which Coffer then answers.",
        fix: "Install OpenSSH 8.5 or later, or run: coffer bridge remove ssh-askpass")
    ]
  }

  /// The version of OpenSSH if it is one before 8.5, the first to put the user and the host before a server's questions.
  private static var oldVersion: String? {
    // It writes its version to standard error.
    let outcome = try? ChildProcess.output(of: "/bin/sh", arguments: ["-c", "exec ssh -V 2>&1"])
    let text = String(decoding: outcome?.output ?? [], as: UTF8.self)
    guard let match = text.firstMatch(of: /OpenSSH_([0-9]{1,4})\.([0-9]{1,4})/), let major = Int(match.output.1),
      let minor = Int(match.output.2), (major, minor) < (8, 5)
    else { return nil }
    return "\(major).\(minor)"
  }

  func run() throws {
    let request = AskpassPrompt(prompt)
    // What ssh asks without an answer in words: to confirm the use of a key, or to touch a token.
    switch CurrentProcess.environment["SSH_ASKPASS_PROMPT"] {
    case "confirm":
      let advice = "run this in a terminal, or unset SSH_ASKPASS_REQUIRE and SSH_ASKPASS"
      guard try Terminal.askYes(shownPrompt, otherwise: advice) else { throw ExitCode(1) }
      return
    case "none": return Terminal.printNote(shownPrompt)
    default: break
    }
    if let answer = try AskpassBridge(actor: actor, group: group.group).answer(request) {
      return try Terminal.write(answer + [10])
    }
    let advice = "store it in the vault; see: coffer bridge ssh-askpass --help"
    if request.isHidden {
      let typed = try Terminal.askHidden(shownPrompt, for: "the answer", otherwise: advice)
      try Terminal.write(typed)
    } else {
      try Terminal.write(Data(Terminal.askLine(shownPrompt, for: "the answer", otherwise: advice).utf8))
    }
    try Terminal.write(Data([10]))
  }

  /// The prompt without its end, which the terminal adds. A server can have written it.
  private var shownPrompt: String {
    prompt.unicodeScalars.split(separator: "\n").map { String($0).sanitizedForTerminal(limit: .max) }
      .joined(separator: "\n").trimmedSpace.trimmedColon
  }
}

extension String {
  fileprivate var trimmedColon: String { hasSuffix(":") ? String(dropLast()) : self }
}
