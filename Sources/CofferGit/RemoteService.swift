internal import CofferSystem

/// The two programs that git runs at a remote repository.
enum RemoteService: String, Sendable {
  /// Sends objects, for a fetch.
  case uploadPack = "upload-pack"
  /// Receives objects, from a push.
  case receivePack = "receive-pack"
}

extension RemoteURL {
  /// Returns the program and its arguments that connect to `service` at this remote.
  func command(
    for service: RemoteService, programs: TransportPrograms, limits: TransferLimits, mayPrompt: Bool
  ) -> [String] {
    switch location {
    case .path(let path):
      return [programs.git, service.rawValue, "--", path]
    case .ssh(let user, let host, let port, let path):
      let seconds = max(1, limits.connectTimeout.components.seconds)
      // The remote is not trusted with a terminal, the user's agent or a display.
      var arguments = [programs.ssh, "-T", "-a", "-x", "-o", "ConnectTimeout=\(seconds)"]
      if !mayPrompt { arguments += ["-o", "BatchMode=yes"] }
      if let file = programs.sshConfiguration { arguments += ["-F", file] }
      if let port { arguments += ["-p", "\(port)"] }
      arguments += ["--", user.map { "\($0)@\(host)" } ?? host]
      return arguments + ["git-\(service.rawValue) \(path.quotedForShell)"]
    }
  }

  /// Returns the advice to connect with ssh alone, where the user can answer its questions; nil if ssh is not used.
  func sshAdvice(_ programs: TransportPrograms) -> String? {
    guard case .ssh(let user, let host, let port, _) = location else { return nil }
    var words = ["ssh"]
    if let file = programs.sshConfiguration { words += ["-F", file.shellWord] }
    if let port { words += ["-p", "\(port)"] }
    return "try: \((words + [user.map { "\($0)@\(host)" } ?? host]).joined(separator: " "))"
  }

  /// Returns the advice for a path without a repository that shall hold a new vault.
  package var creationAdvice: String {
    switch location {
    case .path(let path): "check the path, or create a repository with: git init --bare \(path.shellWord)"
    case .ssh: "check the path, or create a repository on the host"
    }
  }
}
