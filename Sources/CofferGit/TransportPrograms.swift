#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

/// The programs that carry bytes: the user's own ssh, with everything that it is configured to do, and git.
package struct TransportPrograms: Sendable, Hashable {
  /// A name that is looked up in `PATH`, or a path. Must take OpenSSH's options.
  package var ssh: String

  /// A file that ssh reads in place of the user's configuration; `nil`: the user's.
  package var sshConfiguration: String?

  /// A name that is looked up in `PATH`, or a path.
  package var git: String

  package init(ssh: String = "ssh", sshConfiguration: String? = nil, git: String = "git") {
    self.ssh = ssh
    self.sshConfiguration = sshConfiguration
    self.git = git
  }

  /// `ssh` and `git` from `PATH`, unless `COFFER_SSH` or `COFFER_SSH_CONFIG` says otherwise.
  package static var fromEnvironment: TransportPrograms {
    let environment = ProcessInfo.processInfo.environment
    return TransportPrograms(
      ssh: environment["COFFER_SSH"] ?? "ssh", sshConfiguration: environment["COFFER_SSH_CONFIG"])
  }
}
