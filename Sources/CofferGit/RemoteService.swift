/// The two programs that git runs beside a repository for a peer.
enum RemoteService: String, Sendable {
  case uploadPack = "upload-pack"
  case receivePack = "receive-pack"
}

extension RemoteURL {
  /// The program and its arguments that open a conversation with `service`.
  func command(
    for service: RemoteService, programs: TransportPrograms, limits: TransferLimits, mayPrompt: Bool
  ) -> [String] {
    switch location {
    case .path(let path):
      return [programs.git, service.rawValue, "--", path]
    case .ssh(let user, let host, let port, let path):
      let seconds = max(1, limits.connectTimeout.components.seconds)
      // No terminal, no agent and no display for the remote: it is not trusted with any of them.
      var arguments = [programs.ssh, "-T", "-a", "-x", "-o", "ConnectTimeout=\(seconds)"]
      if !mayPrompt { arguments += ["-o", "BatchMode=yes"] }
      if let file = programs.sshConfiguration { arguments += ["-F", file] }
      if let port { arguments += ["-p", "\(port)"] }
      arguments += ["--", user.map { "\($0)@\(host)" } ?? host]
      return arguments + ["git-\(service.rawValue) \(Self.quotedForShell(path))"]
    }
  }

  /// Single quotes, for the shell that sshd starts; "!" apart, for csh.
  private static func quotedForShell(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "!" ? "'\\\($0)'" : String($0) }.joined() + "'"
  }
}
