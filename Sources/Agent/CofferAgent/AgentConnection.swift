package import CofferCrypto
package import CofferFormat
internal import CofferPlatform
package import CofferSystem
package import CofferVault

/// A client's connection to the agent of its user.
package struct AgentConnection: ~Copyable, Sendable {
  private let channel: AgentChannel
  /// The process of the agent, or of systemd, which started it.
  package let process: Int32

  private init(_ channel: consuming AgentChannel, process: Int32) {
    self.channel = channel
    self.process = process
  }

  /// How long the agent may take to answer, and how long a person may.
  private static let timeout = Duration.seconds(10)
  private static let answerTimeout = Duration.seconds(150)

  /// Connects to the agent. Nil if none runs, or if what listens there may be another user's.
  package static func open(in folder: AgentFolder = .standard) -> AgentConnection? {
    guard folder.isPrivate else { return nil }
    do throws(SystemError) {
      let socket = try LocalSocket.connect(to: folder.socketPath)
      let peer = try socket.peer()
      guard peer.user == geteuid() else { return nil }
      try socket.setTimeouts(receiving: timeout, sending: timeout)
      return AgentConnection(AgentChannel(socket), process: peer.process)
    } catch {
      return nil
    }
  }

  /// Sends a request and returns the answer. Nil if the agent has ended, does not answer in time, or answers what is no
  /// answer. Without `awaitsPerson`, an agent that asks a person is not waited for: the answer is `leaseRequired`, and
  /// the connection is of no use any more.
  package func ask(_ request: AgentRequest, awaitsPerson: Bool = true) -> AgentResponse? {
    do throws(SystemError) {
      try channel.send(request)
      while true {
        guard
          case .success(let response)? = try channel.receive(
            upTo: AgentResponse.byteCountLimit, AgentResponse.init(packet:))
        else { return nil }
        guard case .asking = response else { return response }
        guard awaitsPerson else { return .refused(.leaseRequired, message: "a group") }
        try channel.socket.setTimeouts(receiving: Self.answerTimeout, sending: Self.timeout)
      }
    } catch {
      return nil
    }
  }
}

/// One end of a connection between a client and the agent. Its packets have keys, and are in guarded memory only.
package struct AgentChannel: ~Copyable, Sendable {
  package let socket: LocalSocket

  package init(_ socket: consuming LocalSocket) { self.socket = socket }

  package func send(_ request: AgentRequest) throws(SystemError) { try send(request.packet()) }

  package func send(_ response: AgentResponse) throws(SystemError) { try send(response.packet()) }

  private func send(_ packet: SecretText) throws(SystemError) {
    try unsafe packet.withBytes { (bytes) throws(SystemError) in try unsafe socket.send(bytes) }
  }

  /// Waits for a packet of at most `limit` bytes and passes it to `read`. Nil at the end of the connection.
  package func receive<Message>(
    upTo limit: Int, _ read: (SecretText) throws(FormatError) -> Message
  ) throws(SystemError) -> Result<Message, FormatError>? {
    // Memory that is locked is scarce: there is none for a client that sends nothing.
    let count = try socket.awaitPacket()
    guard count > 0 else { return nil }
    // A larger packet does not fit, which is an error.
    let packet = try SecretText(capacity: min(count, limit)) { (packet) throws(SystemError) in
      try unsafe packet.append { (bytes) throws(SystemError) in try unsafe socket.receive(into: bytes) }
    }
    return Result { () throws(FormatError) in try read(packet) }
  }
}

/// The folder in which the agent of a user listens: `/run/user/UID/coffer`, or `/tmp/coffer-UID` on a system without a
/// runtime folder for each user.
///
/// It is never taken from the environment, which another program may have set to lead to an agent of its own.
package struct AgentFolder: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  package var socketPath: String { "\(path)/agent" }
  /// Locked by the running agent.
  package var lockPath: String { "\(path)/agent.lock" }

  /// The folder of the user of this process. It need not exist.
  package static var standard: AgentFolder {
    #if DEBUG
      // Tests run many agents of one user. A release does not read the variable.
      if let path = CurrentProcess.variable("COFFER_TEST_RUNTIME") { return AgentFolder(path: path) }
    #endif
    let user = geteuid()
    let runtime = "/run/user/\(user)"
    return AgentFolder(path: isOwn(runtime) ? "\(runtime)/coffer" : "/tmp/coffer-\(user)")
  }

  /// Creates the folder if it is missing. Throws `readOnly` if it is not a folder that only this user can open.
  package func prepare() throws(VaultError) {
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw systemFailure("create \(path)") }
    guard isPrivate else {
      throw VaultError(
        .readOnly, "\(path) is not a folder that only this user can open, so no agent can listen there",
        recoverySuggestion: "find out who made it with `ls -ld \(path)`, and remove it")
    }
  }

  /// Whether the folder is one that only this user can open.
  package var isPrivate: Bool { Self.isOwn(path) }

  private static func isOwn(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
  }
}

/// What commands ask of the agent, apart from keys.
package enum AgentClient {
  /// Makes the agent drop all keys. Returns how many it had, or nil if none runs. Throws `io` if it does not answer.
  package static func lock() throws(VaultError) -> Int? {
    guard let connection = AgentConnection.open() else { return nil }
    guard case .done(let count)? = connection.ask(.lock) else { throw silent(connection) }
    return Int(count)
  }

  /// Returns the state of the agent, also if none runs. Throws `io` if it does not answer.
  package static func status() throws(VaultError) -> AgentStatus {
    guard let connection = AgentConnection.open() else { return AgentStatus() }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard case .status(let json)? = connection.ask(.status),
      let status = try? decoder.decode(AgentStatus.self, from: Data(json))
    else { throw silent(connection) }
    return status
  }

  /// Gives the agent keys. Throws `io` if none runs, does not answer, or refuses.
  package static func keep(_ deposit: AgentDeposit) throws(VaultError) {
    guard let connection = AgentConnection.open() else {
      throw VaultError(.io, "no agent runs", recoverySuggestion: "start one with: coffer unlock")
    }
    switch connection.ask(.keep(deposit)) {
    case .done?: return
    case .refused(let reason, let message)?: throw RemoteKeys.error(reason, message)
    default: throw silent(connection)
    }
  }

  private static func silent(_ connection: borrowing AgentConnection) -> VaultError {
    let process = connection.process
    // If systemd listens for it, that is the process at the other end.
    let isAgent = ProcessLineage.member(process)?.name == "coffer-agent"
    return VaultError(
      .io, "the agent does not answer, and may keep its keys",
      recoverySuggestion: isAgent
        ? "end it with: kill -KILL \(process)" : "end it with: systemctl --user kill --signal=KILL coffer-agent")
  }
}
