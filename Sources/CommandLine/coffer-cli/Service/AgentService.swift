internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

/// The agent as a service of the current user, which systemd starts when a command connects.
struct AgentService {
  private let program: String
  private let services: UserServices

  private static let socketName = "coffer-agent.socket"
  private static let serviceName = "coffer-agent.service"

  /// Finds the program. Throws `io` if it is missing.
  static func find() throws(VaultError) -> AgentService {
    AgentService(
      program: try SiblingProgram.locate(AgentProgram.name),
      services: try UserServices(alternative: "`coffer unlock` starts the agent without systemd"))
  }

  /// The files, with the enabled unit at the end.
  var files: [ServiceUnits.File] {
    [ServiceUnits.File(name: Self.serviceName, text: service), ServiceUnits.File(name: Self.socketName, text: socket)]
  }

  private var service: String {
    """
    # Written by `coffer agent install`, and deleted by `coffer agent remove`.
    [Unit]
    Description=Coffer: agent that keeps the keys of unlocked vaults
    Requires=\(Self.socketName)

    [Service]
    Type=exec
    ExecStart=\(ServiceUnits.quoted(program))
    UMask=0077
    LimitCORE=0
    LimitMEMLOCK=64M
    NoNewPrivileges=yes
    LockPersonality=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    RestrictAddressFamilies=AF_UNIX
    SystemCallArchitectures=native

    """
  }

  private var socket: String {
    """
    # Written by `coffer agent install`, and deleted by `coffer agent remove`.
    [Unit]
    Description=Coffer: socket of the agent that keeps the keys of unlocked vaults

    [Socket]
    ListenSequentialPacket=%t/coffer/agent
    SocketMode=0600
    DirectoryMode=0700

    [Install]
    WantedBy=sockets.target

    """
  }

  /// The paths of the files that are installed.
  var installed: [String] { files.map(\.name).filter { services.text(of: $0) != nil }.map(services.path(of:)) }

  /// Installs the units, and lets systemd listen.
  func install() throws(VaultError) -> [String] {
    try services.checkIsManaged()
    // An agent that was started without systemd has the socket.
    if installed.isEmpty, let process = try AgentClient.status().process {
      throw VaultError(
        .busy, "an agent runs that `coffer unlock` has started",
        recoverySuggestion: "end it with `kill \(process)`, then run: coffer agent install")
    }
    do throws(VaultError) {
      for file in files { try services.write(file) }
      try services.control("daemon-reload")
      try services.control("enable", "--now", Self.socketName)
    } catch {
      _ = try? remove()
      throw error
    }
    return installed
  }

  /// Stops the agent and deletes the units. Returns the paths of the files; none if it was not installed.
  func remove() throws(VaultError) -> [String] {
    guard !installed.isEmpty else { return [] }
    _ = try? services.control("disable", "--now", Self.socketName)
    _ = try? services.control("stop", Self.serviceName)
    var deleted: [String] = []
    for file in files where try services.delete(file.name) { deleted.append(services.path(of: file.name)) }
    _ = try? services.control("daemon-reload")
    return deleted
  }
}
