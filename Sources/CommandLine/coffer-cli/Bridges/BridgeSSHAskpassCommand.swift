internal import ArgumentParser
internal import Coffer
internal import CofferAgent
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

  /// Throws `invalidArgument` for a version of ssh that does not say which questions a server has written, and if
  /// another program answers ssh, which may show what Coffer can only ask on a terminal.
  static func checkClient() throws(VaultError) {
    let other = CurrentProcess.variable("SSH_ASKPASS") ?? ""
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
    return .problem(
      .bridgeOldClient, subject: "OpenSSH \(version)",
      message: "It lets a server ask for the passphrase of a key, which Coffer then answers.",
      fix: "Install OpenSSH 8.5 or later, or run: coffer bridge remove ssh-askpass")
  }

  /// The version of OpenSSH if it is one before 8.5, the first to put the user and the host before a server's
  /// questions.
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
    switch CurrentProcess.variable("SSH_ASKPASS_PROMPT") {
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

/// What ssh, ssh-add or git asks, by the words of the question. OpenSSH puts the user and the host before those of a
/// server since version 8.5.
enum AskpassPrompt: Equatable {
  /// The passphrase of a key.
  case passphrase(file: String)
  /// The password of a user on a server, for ssh.
  case password(user: String, server: String)
  /// The user name for a URL, for git.
  case gitUser(url: String)
  /// The password for a URL, for git.
  case gitPassword(url: String)
  /// Anything else, also what was asked before and answered wrongly.
  case other(isHidden: Bool)

  init(_ prompt: String) {
    if let match = prompt.wholeMatch(
      of: /Enter passphrase for (?:key '(.+)'|(\/.+?)(?: \(will confirm after each use\))?): ?/),
      let file = match.output.1 ?? match.output.2
    {
      self = .passphrase(file: String(file))
    } else if let match = prompt.wholeMatch(of: /([^ @()]+)@([^ @()]+)'s password: ?/) {
      self = .password(user: String(match.output.1), server: String(match.output.2))
    } else if let match = prompt.wholeMatch(of: /\(([^ @()]+)@([^ @()]+)\) Password: ?/) {
      self = .password(user: String(match.output.1), server: String(match.output.2))
    } else if let match = prompt.wholeMatch(of: /Username for '([^']+)': ?/) {
      self = .gitUser(url: String(match.output.1))
    } else if let match = prompt.wholeMatch(of: /Password for '([^']+)': ?/) {
      self = .gitPassword(url: String(match.output.1))
    } else {
      let isShown = prompt.contains("(yes/no") || prompt.hasPrefix("Please type 'yes'") || prompt.hasPrefix("Username")
      self = .other(isHidden: !isShown)
    }
  }

  /// Whether the answer is secret.
  var isHidden: Bool {
    switch self {
    case .passphrase, .password, .gitPassword: true
    case .gitUser: false
    case .other(let isHidden): isHidden
    }
  }
}

/// Answers ssh, ssh-add and git in place of a dialog.
struct AskpassBridge {
  let actor: ActorOptions
  let group: String?

  private static let service = "ssh"
  /// ssh reads 1,023 bytes, with the newline.
  private static let maximumByteCount = 1_022

  /// Returns the answer, a line without its newline; nil if the vault does not have it.
  func answer(_ prompt: AskpassPrompt) throws(VaultError) -> Data? {
    switch prompt {
    case .passphrase(let file):
      let path = file.hasPrefix("/") ? file : "\(CurrentProcess.workingDirectory ?? "")/\(file)"
      let vault = try actor.openForBridge(for: .reading(group), group: group, to: .show)
      let value = try vault.value(for: GenericPassword(service: Self.service, account: path), in: group)
      return try value.map { value throws(VaultError) in try line(value, Self.service, path) }
    case .password(let user, let server):
      let vault = try actor.openForBridge(for: .reading(group), group: group, to: .show)
      let query = ItemQuery<InternetPassword>(in: group).matching(.server, server).matching(.account, user)
      let items = try vault.list(query).items.sorted { $0.modified > $1.modified }
      // Only a password of the whole server that names no protocol is for any of them.
      let found =
        items.first { $0.item.protocol == .ssh }
        ?? items.first {
          $0.item.namedProtocol == nil && ($0.item.port ?? 0) == 0
            && ($0.item.path ?? "").isEmpty && ($0.item.securityDomain ?? "").isEmpty
        }
      guard let found, let value = try vault.value(for: found.item, in: found.accessGroup) else { return nil }
      return try line(value, server, user)
    case .gitUser(let url): return try git(url, "username")
    case .gitPassword(let url): return try git(url, "password")
    case .other: return nil
    }
  }

  private func line(_ value: Data, _ service: String, _ account: String) throws(VaultError) -> Data {
    try BridgeValue(value, of: service, account, for: "ssh").line(maximumByteCount: Self.maximumByteCount)
  }

  /// Returns a field of what the bridge for git answers for a URL.
  private func git(_ url: String, _ field: String) throws(VaultError) -> Data? {
    guard let match = url.wholeMatch(of: /([a-z][a-z0-9+.\-]*):\/\/(?:([^@\/]+)@)?([^@\/]+)(?:\/(.*))?/) else {
      return nil
    }
    let parts = [
      ("protocol", match.output.1), ("username", match.output.2), ("host", match.output.3), ("path", match.output.4),
    ]
    var message = Data()
    for case (let key, let value?) in parts {
      // A newline would be another field.
      guard let bytes = PercentEscapes.decode(value), !bytes.contains(10) else { return nil }
      message += Data("\(key)=".utf8) + Data(bytes) + [10]
    }
    let answer = try GitBridge(actor: actor, group: group).answer("get") { () throws(VaultError) in message }
    let name = Data("\(field)=".utf8)
    return answer.split(separator: 10).first { $0.starts(with: name) }.map { Data($0.dropFirst(name.count)) }
  }
}
