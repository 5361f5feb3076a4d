internal import ArgumentParser
internal import Coffer
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BridgeSystemdCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "systemd", abstract: "Answer systemd, which asks for a unit's credential on a socket.",
    discussion: """
      systemd starts this for each connection to %t/coffer/credentials, which a unit names with LoadCredential=ID:PATH. Writes \
      the generic password with the name of the unit as its service and the ID of the credential as its account. If there is \
      none or it cannot be read, systemd does not start the unit.
      """)
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "units of systemd (LoadCredential=)"

  static func settings(_ installation: BridgeInstallation) throws(VaultError) -> [any BridgeSetting] {
    let program = installation.program("coffer-systemd-credential")
    return [program, try SystemdSocketSetting(program: program.path)]
  }

  static func advice(_ installation: BridgeInstallation) -> [String] {
    [
      "Store a credential with: coffer set NAME.service ID",
      "Let the unit have it with: LoadCredential=ID:%t/coffer/credentials",
    ]
  }

  func run() throws {
    let peer = try CredentialRequest.peer(of: STDIN_FILENO)
    do throws(VaultError) {
      let request = try CredentialRequest.named(by: peer.name)
      try request.check(peer.process)
      try Terminal.write(value(for: request))
    } catch {
      // The protocol has no errors, and an early end would be an empty credential. systemd refuses one that is too
      // large, and does not start the unit then.
      let refused = Data(count: CredentialRequest.maximumByteCount + 1)
      _ = unsafe refused.withUnsafeBytes { unsafe Terminal.writeAll($0, to: STDOUT_FILENO) }
      throw error
    }
  }

  private func value(for request: CredentialRequest) throws(VaultError) -> Data {
    let bytes = try actor.valueForBridge(of: request.unit, request.credential, group: group.group)
    guard bytes.count <= CredentialRequest.maximumByteCount else {
      throw BridgeValue(bytes, of: request.unit, request.credential, for: "systemd").refusal("is larger than 1 MiB")
    }
    return bytes
  }
}

/// What systemd asks for on a connection: systemd.exec(5) puts it into the name of its end.
struct CredentialRequest: Equatable {
  let unit: String
  let credential: String

  /// The largest size of a credential, in bytes.
  static let maximumByteCount = 1 << 20

  /// Reads the name of the other end of a connection: a NUL, a random number, `/unit/`, the unit, `/` and the
  /// credential.
  init?(_ name: [UInt8]) {
    guard name.first == 0, let text = String(validating: name.dropFirst(), as: UTF8.self),
      let match = text.wholeMatch(of: /[0-9a-f]+\/unit\/([A-Za-z0-9:_.\\@\-]+)\/([^\/]+)/)
    else { return nil }
    unit = String(match.output.1)
    credential = String(match.output.2)
  }

  /// Returns the other end of a connection. Throws `invalidArgument` if it is no connection, and `notEntitled` if it is
  /// of another user than this one and root.
  static func peer(of descriptor: Int32) throws(VaultError) -> (name: [UInt8], process: LocalPeer) {
    let peer: (name: [UInt8], process: LocalPeer)
    do throws(SystemError) {
      peer = (try SocketPeer.name(of: descriptor), try SocketPeer.process(of: descriptor))
    } catch {
      throw VaultError(
        .invalidArgument, "standard input is no connection of systemd",
        recoverySuggestion: "let systemd start this with: coffer bridge install systemd")
    }
    guard peer.process.user == geteuid() || peer.process.user == 0 else {
      throw VaultError(
        .notEntitled, "another user (uid \(peer.process.user)) asks for a credential",
        recoverySuggestion: "set SocketMode=0600 in coffer-credentials.socket")
    }
    return peer
  }

  /// Throws `notEntitled` if a process asks that is not the unit's, or that is in a process tree that denies reads.
  /// systemd asks from a process that it has put into the control group of the unit, and a confined program of the same
  /// user, which could not open the vault, cannot enter that. Nothing else is checked if systemd has not started this
  /// process.
  func check(_ peer: LocalPeer) throws(VaultError) {
    // systemd has started this process, so it is not in the tree of who asks.
    guard ProcessLineage.member(peer.process)?.deniesReads != true else { throw VaultError.readsAreDenied }
    guard peer.user != 0, let own = SocketPeer.unit(ofProcess: getpid()),
      own.hasPrefix(SystemdSocketSetting.instancePrefix)
    else { return }
    let asking = SocketPeer.unit(ofProcess: peer.process)
    guard asking != unit else { return }
    throw VaultError(
      .notEntitled, "\(asking?.sanitizedForTerminal() ?? "a process of no unit") asks for a credential of \(unit)",
      recoverySuggestion: "name the socket with LoadCredential= in the unit that needs the credential")
  }

  /// Reads the request in the name of the other end. Throws `invalidArgument` if it is not systemd's.
  static func named(by name: [UInt8]) throws(VaultError) -> CredentialRequest {
    guard let request = CredentialRequest(name) else {
      throw VaultError(
        .invalidArgument, "the connection does not name a unit and a credential as systemd does",
        recoverySuggestion: "name the socket in a unit with: LoadCredential=ID:%t/coffer/credentials")
    }
    return request
  }
}

/// The units of the current user with which systemd listens for its own questions.
struct SystemdSocketSetting: BridgeSetting {
  private static let socketName = "coffer-credentials.socket"
  /// The begin of the names of the units that answer a question each.
  static let instancePrefix = "coffer-credentials@"
  private static let serviceName = "\(instancePrefix).service"
  private static let mark = UserUnits.mark(
    install: "coffer bridge install systemd", remove: "coffer bridge remove systemd")

  private let program: String
  private let services: UserServices

  init(program: String) throws(VaultError) {
    self.program = program
    services = try UserServices(
      alternative: "give programs their secrets with `coffer run` on a system without systemd")
  }

  // No unit has a time limit: the end of the service would be the end of an empty credential. The unit that waits for
  // the answer has its own, and does not start then.
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
          \(ServiceUnits.confinement(locksMemory: true))

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
    return .problem(
      .bridgeSocket, subject: Self.socketName, message: "It is not enabled or does not listen.",
      fix: "Run: systemctl --user enable --now \(Self.socketName)")
  }

  func checkIsFree() throws(VaultError) {
    try services.checkIsManaged()
    for file in files {
      guard let text = services.text(of: file.name), !text.hasPrefix(Self.mark) else { continue }
      throw VaultError.fileOfOthers(services.path(of: file.name), "remove that unit, then try again")
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
