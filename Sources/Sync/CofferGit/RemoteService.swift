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
  ) throws(GitError) -> [String] {
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
    case .http(let server):
      guard server.isSecure || LoopbackName.contains(server.host) || programs.http.allowsInsecureHTTP else {
        throw GitError(
          .unsupportedScheme, "http:// is not encrypted, and is used only for this machine", context: description,
          recoverySuggestion:
            "use https://, or allow it with: coffer remote set --insecure-http \(description.shellWord)")
      }
      var arguments = [try programs.transportProgram(for: description)]
      if let file = programs.http.certificateAuthorityFile { arguments += ["--ca-file", file] }
      if !server.isSecure { arguments.append("--insecure-http") }
      if let user = server.user { arguments += ["--user", user] }
      if mayPrompt { arguments.append("--prompt") }
      return arguments + ["--git", programs.git, server.url]
    case .daemon(let host, let port, _):
      return [try programs.transportProgram(for: description), "git://\(host)\(port.map { ":\($0)" } ?? "")/"]
    }
  }

  /// Returns the bytes with which a connection to a git daemon begins; nil for another remote.
  func daemonRequest(for service: RemoteService) -> [UInt8]? {
    guard case .daemon(let host, let port, let path) = location else { return nil }
    let text = "git-\(service.rawValue) \(path)\0host=\(host)\(port.map { ":\($0)" } ?? "")\0"
    let length = String(text.utf8.count + 4, radix: 16)
    return Array((String(repeating: "0", count: 4 - length.count) + length + text).utf8)
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
    case .http, .daemon: "check the URL, or create a repository on the host, which must let you push"
    }
  }
}
