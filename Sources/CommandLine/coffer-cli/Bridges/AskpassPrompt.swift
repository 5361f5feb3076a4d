internal import CofferPlatform

/// What ssh, ssh-add or git asks, by the words of the question. OpenSSH puts the user and the host before those of a server since
/// version 8.5.
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
