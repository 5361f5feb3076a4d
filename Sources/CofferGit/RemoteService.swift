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
      return arguments + ["git-\(service.rawValue) \(Self.quotedForShell(path))"]
    }
  }

  /// Quotes text for the shell that sshd starts: in single quotes, with "'" and, for csh, "!" outside of them. By
  /// scalars: a quote that is followed by a combining mark is another `Character`, and the same byte for the shell.
  private static func quotedForShell(_ text: String) -> String {
    "'" + text.unicodeScalars.map { $0 == "'" || $0 == "!" ? "'\\\($0)'" : String($0) }.joined() + "'"
  }
}
