package import CofferGit
package import CofferVault

/// How a command reaches a remote: what its user gave, over what this machine has stored.
package struct RemoteAccess: Sendable {
  /// The options of the command. Each wins over that of the vault.
  package var options: RemoteOptions
  /// The time for connecting, and the time for which both sides may be silent; nil for the defaults.
  package var timeout: Duration?
  /// A user name and a password that came with the URL, separated by a zero byte, or nil.
  package var credential: [UInt8]?
  /// What carries the objects in a simulation; nil for transfers by git's protocol.
  package var link: (any RemoteLink)?

  package init(_ options: RemoteOptions = RemoteOptions(), timeout: Duration? = nil, credential: [UInt8]? = nil) {
    self.options = options
    self.timeout = timeout
    self.credential = credential
  }

  package var limits: TransferLimits {
    var limits = TransferLimits()
    if let timeout { (limits.connectTimeout, limits.idleTimeout) = (timeout, timeout) }
    return limits
  }

  /// The programs that carry a transfer, with the options of the command over those of the vault, if there is one.
  package func programs(_ stored: RemoteOptions = RemoteOptions()) -> TransportPrograms {
    var programs = TransportPrograms.fromEnvironment
    programs.http.certificateAuthorityFile = options.certificateAuthorityFile ?? stored.certificateAuthorityFile
    programs.http.allowsInsecureHTTP = options.allowsInsecureHTTP || stored.allowsInsecureHTTP
    programs.http.credential = credential
    return programs
  }
}
