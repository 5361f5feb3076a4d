internal import CofferSystem

/// The programs that carry the bytes of a transfer: the user's own ssh, with its configuration, and git.
package struct TransportPrograms: Sendable, Hashable {
  /// The ssh program, by path or by its name in `PATH`. It must accept OpenSSH's options.
  package var ssh: String

  /// The configuration file that ssh reads instead of the user's, or nil for the user's.
  package var sshConfiguration: String?

  /// The git program, by path or by its name in `PATH`.
  package var git: String

  package init(ssh: String = "ssh", sshConfiguration: String? = nil, git: String = "git") {
    self.ssh = ssh
    self.sshConfiguration = sshConfiguration
    self.git = git
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
