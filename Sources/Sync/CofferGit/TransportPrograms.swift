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
