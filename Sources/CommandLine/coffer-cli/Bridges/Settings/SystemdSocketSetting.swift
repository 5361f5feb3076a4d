internal import CofferVault

/// The units of the current user with which systemd listens for its own questions.
struct SystemdSocketSetting: BridgeSetting {
  private static let socketName = "coffer-credentials.socket"
  /// The begin of the names of the units that answer a question each.
  static let instancePrefix = "coffer-credentials@"
  private static let serviceName = "\(instancePrefix).service"
  private static let mark =
    "# Written by `coffer bridge install systemd`, and deleted by `coffer bridge remove systemd`."

  private let program: String
  private let services: UserServices

  init(program: String) throws(VaultError) {
    self.program = program
    services = try UserServices(
      alternative: "give programs their secrets with `coffer run` on a system without systemd")
  }

  // No unit has a time limit: the end of the service would be the end of an empty credential. The unit that waits for the answer
  // has its own, and does not start then.
  private var files: [ServiceUnits.File] {
    [
      ServiceUnits.File(
        name: Self.serviceName,
        text: """
          \(Self.mark)
          [Unit]
          Description=Coffer: a credential for a unit
          CollectMode=inactive-or-failed

          [Service]
          ExecStart=\(ServiceUnits.quoted(program))
          StandardInput=socket
          StandardOutput=socket
          StandardError=journal
          UMask=0077
          LimitCORE=0
          LimitMEMLOCK=64M
          NoNewPrivileges=yes
          LockPersonality=yes
          RestrictRealtime=yes
          RestrictSUIDSGID=yes
          SystemCallArchitectures=native

          """),
      ServiceUnits.File(
        name: Self.socketName,
        text: """
          \(Self.mark)
          [Unit]
          Description=Coffer: socket for the credentials of units

          [Socket]
          ListenStream=%t/coffer/credentials
          Accept=yes
          MaxConnections=64
          SocketMode=0600
          DirectoryMode=0700

          [Install]
          WantedBy=sockets.target

          """),
    ]
  }

  private var paths: [String] { files.map { services.path(of: $0.name) } }

  var place: String { paths.joined(separator: ", ") }
  var wanted: String { files.map(\.text).joined() }

  func current() throws(VaultError) -> String? {
    let texts = files.compactMap { services.text(of: $0.name) }
    guard !texts.isEmpty else { return nil }
    // Something that is not wanted, and that installing again repairs.
    return isListening ? texts.joined() : ""
  }

  private var isListening: Bool {
    services.holds("is-enabled", Self.socketName) && services.holds("is-active", Self.socketName)
  }

  func findings() throws(VaultError) -> [Finding] {
    guard try !present().isEmpty, (try? services.checkIsManaged()) != nil, !isListening else { return [] }
    return [
      Finding(
        .bridgeSocket, .problem, subject: Self.socketName, message: "It is not enabled or does not listen.",
        fix: "Run: systemctl --user enable --now \(Self.socketName)")
    ]
  }

  func checkIsFree() throws(VaultError) {
    try services.checkIsManaged()
    for file in files {
      guard let text = services.text(of: file.name), !text.hasPrefix(Self.mark) else { continue }
      throw VaultError(
        .invalidArgument, "\(services.path(of: file.name)) was written by somebody else; nothing was changed",
        recoverySuggestion: "remove that unit, then try again")
    }
  }

  func write() throws(VaultError) {
    let former = files.map { (name: $0.name, text: services.text(of: $0.name)) }
    do throws(VaultError) {
      for file in files { try services.write(file) }
      try services.control("daemon-reload")
      try services.control("enable", "--now", Self.socketName)
    } catch {
      if former.allSatisfy({ $0.text == nil }) { _ = try? remove() }
      // What was installed before stays.
      for (name, text) in former { if let text { _ = try? services.write(ServiceUnits.File(name: name, text: text)) } }
      _ = try? services.control("daemon-reload")
      throw error
    }
  }

  func present() throws(VaultError) -> [String] {
    files.filter { services.text(of: $0.name)?.hasPrefix(Self.mark) == true }.map { services.path(of: $0.name) }
  }

  func remove() throws(VaultError) {
    guard try !present().isEmpty else { return }
    _ = try? services.control("disable", "--now", Self.socketName)
    for file in files where services.text(of: file.name)?.hasPrefix(Self.mark) == true {
      _ = try services.delete(file.name)
    }
    _ = try? services.control("daemon-reload")
  }
}
