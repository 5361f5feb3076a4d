internal import CofferPlatform
internal import CofferSystem

/// The programs that carry the bytes of a transfer: the user's own ssh, with its configuration, and git.
package struct TransportPrograms: Sendable, Hashable {
  /// The ssh program, by path or by its name in `PATH`. It must accept OpenSSH's options.
  package var ssh: String

  /// The configuration file that ssh reads instead of the user's, or nil for the user's.
  package var sshConfiguration: String?

  /// The git program, by path or by its name in `PATH`.
  package var git: String

  /// The path of the program that speaks HTTP and connects with git daemons, or nil if it is not installed.
  package var transport: String?

  /// How to reach remotes over HTTP.
  package var http = HTTPSettings()

  package init(
    ssh: String = "ssh", sshConfiguration: String? = nil, git: String = "git",
    transport: String? = InstalledProgram.path(of: "coffer-transport")
  ) {
    self.ssh = ssh
    self.sshConfiguration = sshConfiguration
    self.git = git
    self.transport = transport
  }

  func transportProgram(for context: String) throws(GitError) -> String {
    if let transport { return transport }
    throw GitError(
      .missingProgram, "the program coffer-transport, which carries https:// and git://, is not installed",
      context: context,
      recoverySuggestion: "install it in the folder of coffer-sync, or set COFFER_LIBEXEC to its folder")
  }

  /// `ssh` and `git` from `PATH`. The environment variables `COFFER_SSH` and `COFFER_SSH_CONFIG` override ssh and its
  /// configuration.
  ///
  /// In a process with elevated privileges all of these variables are ignored, and both programs are those in
  /// `/usr/bin`.
  package static var fromEnvironment: TransportPrograms {
    guard !CurrentProcess.hasElevatedPrivileges else {
      return TransportPrograms(ssh: "/usr/bin/ssh", git: "/usr/bin/git")
    }
    let environment = CurrentProcess.environment
    return TransportPrograms(
      ssh: environment["COFFER_SSH"] ?? "ssh", sshConfiguration: environment["COFFER_SSH_CONFIG"])
  }
}

/// How to reach remotes over HTTP.
package struct HTTPSettings: Sendable, Hashable {
  /// The path of a file with the certificate authorities to trust instead of those of the system; nil for these.
  package var certificateAuthorityFile: String?

  /// Whether `http://` may leave this machine. Then everybody on the way sees who syncs when, and can refuse the sync,
  /// but opens nothing.
  package var allowsInsecureHTTP = false

  /// A user name and a password that came with the URL, separated by a zero byte, or nil.
  package var credential: [UInt8]?

  package init() {}
}

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
    case .ssh(_, _, _, let path):
      return sshCommand(
        "git-\(service.rawValue) \(path.quotedForShell)", programs: programs, limits: limits, mayPrompt: mayPrompt)
        ?? []
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

  /// Returns the program and its arguments that run a line of the shell on this remote's host; nil if ssh is not used.
  func sshCommand(
    _ line: String, programs: TransportPrograms, limits: TransferLimits, mayPrompt: Bool
  ) -> [String]? {
    guard case .ssh(let user, let host, let port, _) = location else { return nil }
    let seconds = max(1, limits.connectTimeout.components.seconds)
    // The remote is not trusted with a terminal, the user's agent or a display.
    var arguments = [programs.ssh, "-T", "-a", "-x", "-o", "ConnectTimeout=\(seconds)"]
    if !mayPrompt { arguments += ["-o", "BatchMode=yes"] }
    if let file = programs.sshConfiguration { arguments += ["-F", file] }
    if let port { arguments += ["-p", "\(port)"] }
    return arguments + ["--", user.map { "\($0)@\(host)" } ?? host, line]
  }

  /// Returns the variables that configure git for a repository on this machine; none for another remote. `keepsPack` is
  /// whether it shall keep a push as the pack that arrives, instead of one file for each object.
  func configuration(keepsPack: Bool) -> [String: String] {
    guard localPath != nil else { return [:] }
    // Sealed files have no similar parts, and to look for some would take most of the time of a large transfer.
    var settings = [("core.bigFileThreshold", Repository.comparedByteCount)]
    // Its compression is used again whenever somebody clones.
    if keepsPack { settings.append(("receive.unpackLimit", 1)) }
    var variables = ["GIT_CONFIG_COUNT": "\(settings.count)"]
    for (index, (name, value)) in settings.enumerated() {
      (variables["GIT_CONFIG_KEY_\(index)"], variables["GIT_CONFIG_VALUE_\(index)"]) = (name, "\(value)")
    }
    return variables
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

/// A running ssh or git whose standard streams are connected to this process. It is killed and reaped when the object
/// is destroyed.
final class TransportProcess {
  /// This end of the child's standard output.
  let output: Descriptor
  /// This end of the child's standard error.
  let errors: Descriptor
  private var input: Descriptor?
  private let process: ChildProcess

  private init(
    _ process: ChildProcess, input: consuming Descriptor, output: consuming Descriptor, errors: consuming Descriptor
  ) {
    self.process = process
    self.input = .some(input)
    self.output = output
    self.errors = errors
  }

  /// Starts a program, which also ends when this process is killed: a silent server would keep it waiting for ever. The
  /// thread that starts it must live as long as the transfer, which it does as it waits for it. With `keepsTerminal`,
  /// the child stays in this process's group, so that it can prompt on the terminal. Otherwise it leads a group, which
  /// ``terminate()`` kills as a whole. `variables` are added to its environment.
  static func start(
    _ command: [String], _ variables: [String: String] = [:], keepsTerminal: Bool, context: String
  ) throws(GitError) -> TransportProcess {
    let program = command.first ?? ""
    do throws(SystemError) {
      let input = try Descriptor.socketPair()
      let output = try Descriptor.socketPair()
      let errors = try Descriptor.socketPair()
      let process = try ChildProcess.start(
        program, arguments: Array(command.dropFirst()), searchesPath: true,
        environment: environment.merging(variables) { $1 },
        input: .descriptor(input.theirs.rawValue), output: .descriptor(output.theirs.rawValue),
        errors: .descriptor(errors.theirs.rawValue), leadsProcessGroup: !keepsTerminal, endsWithThread: true)
      return TransportProcess(
        process, input: input.closeTheirs(), output: output.closeTheirs(), errors: errors.closeTheirs())
    } catch {
      if error.isNotFound {
        throw GitError(.missingProgram, "\(program) is not installed, or not in PATH", context: context)
      }
      throw GitError(error, context: context)
    }
  }

  /// How the child ended, or nil as long as ``poll()`` and ``terminate()`` have not found that it has.
  var exit: ChildProcess.Exit? { process.exit }

  /// The descriptor from which the child reads, or -1 after ``closeInput()``.
  var inputNumber: Int32 { input?.rawValue ?? -1 }

  /// Closes the child's standard input.
  func closeInput() { input = nil }

  /// Checks whether the child has ended, without waiting.
  func poll() -> ChildProcess.Exit? { process.poll() }

  /// Kills the child at once, with its own children if it leads a process group, and reaps it.
  func terminate() { process.terminate() }

  /// Whether ssh can prompt: a terminal exists, and this process is in its foreground. A child that reads the terminal
  /// from the background would be stopped for ever.
  static var canPrompt: Bool {
    let number = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { return false }
    let terminal = Descriptor(owning: number)
    return tcgetpgrp(terminal.rawValue) == getpgrp()
  }

  /// This process's environment without the variables that would direct git to another repository, change its protocol
  /// or add to its output. Messages are in English, because errors are recognised by them.
  ///
  /// A child of a process with elevated privileges gets none of this process's variables.
  static var environment: [String: String] {
    let kept: Set = ["GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"]
    var environment = CurrentProcess.environment.filter { name, _ in
      !name.hasPrefix("GIT_") || kept.contains(name)
    }
    if CurrentProcess.hasElevatedPrivileges { environment["PATH"] = "/usr/bin:/bin" }
    environment["LC_ALL"] = "C"
    return environment
  }
}
