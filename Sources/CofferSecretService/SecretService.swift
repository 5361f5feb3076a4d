internal import CofferBus
internal import CofferPlatform
internal import CofferSystem
internal import Dispatch

/// The service on the thread of the bus: it finds out who calls, and gives each call to the worker of the caller's app. It
/// waits for neither a disk nor a person.
final class SecretService {
  private let server: BusServer
  private let identification = CallerIdentification()
  private let identifier: SerialWorker<Void>?
  private var connections: [String: Connection] = [:]
  private var workers: [CallerIdentity: SerialWorker<AppService>] = [:]

  /// A connection that has called.
  private enum Connection {
    /// Its identity is not known yet: its calls wait.
    case unidentified([BusMessage])
    case identified(Caller, SerialWorker<AppService>)
  }

  /// How many calls of one connection wait for its identity.
  private static let waitingLimit = 256
  /// How many connections are served at once; a session has some hundred.
  private static let connectionLimit = 4_096
  private static let timeout = Duration.seconds(20)

  init(_ server: BusServer) {
    self.server = server
    identifier = SerialWorker {}
  }

  /// Takes a call or a signal.
  func receive(_ message: BusMessage) {
    guard message.kind == .call else { return receive(signal: message) }
    switch (message.interface, message.member) {
    case (ServiceName.peer, "Ping"): return server.send(.reply(to: message, []))
    case (ServiceName.peer, "GetMachineId"):
      let text = FileManager.default.contents(atPath: "/etc/machine-id").map { String(decoding: $0, as: UTF8.self) }
      return server.send(.reply(to: message, [.text((text ?? "").filter { $0.isHexDigit })]))
    default: break
    }
    switch connections[message.sender] {
    case .identified(let caller, let worker)?: worker.perform { $0.receive(message, from: caller) }
    case .unidentified(var waiting)?:
      guard waiting.count < Self.waitingLimit else { return refuse(message, "too many calls wait") }
      waiting.append(message)
      connections[message.sender] = .unidentified(waiting)
    case nil:
      guard connections.count < Self.connectionLimit else { return refuse(message, "too many programs are connected") }
      connections[message.sender] = .unidentified([message])
      identify(message.sender)
    }
  }

  private func refuse(_ call: BusMessage, _ text: String) {
    let error = ServiceError.limit(text)
    server.send(.failure(of: call, name: error.name, text: error.text))
  }

  private func receive(signal: BusMessage) {
    guard signal.sender == SessionBus.busName, signal.member == "NameOwnerChanged", signal.values.count == 3,
      let name = signal.values[0].string, signal.values[2] == .text(""),
      let connection = connections.removeValue(forKey: name)
    else { return }
    if case .identified(let caller, let worker) = connection { worker.perform { $0.forget(caller.connection) } }
  }

  // MARK: Identities

  private func identify(_ connection: String) {
    server.call(
      SessionBus.busName, SessionBus.busPath, SessionBus.busName, "GetConnectionCredentials", [.text(connection)],
      timeout: Self.timeout
    ) { [self] result in
      guard case .success(let values) = result, let answer = values.first,
        let credentials = CallerCredentials(connection: connection, answer: answer)
      else { return reject(connection, "the bus does not say who calls") }
      guard credentials.user == geteuid() else { return reject(connection, "another user calls") }
      let identification = identification
      guard let identifier else { return reject(connection, "the system has no more threads") }
      // The identity of a program can depend on files.
      let accept = server.onThisThread { [self] (found: (Caller, CallerIdentity)) in self.accept(found.0, as: found.1) }
      identifier.perform { _ in
        let identity = identification.identity(of: credentials)
        let program = credentials.process.flatMap { ProcessLineage.member($0)?.name }
        accept((Caller(connection: connection, program: program), identity))
      }
    }
  }

  private func accept(_ caller: Caller, as identity: CallerIdentity) {
    // It may have closed the connection meanwhile.
    guard case .unidentified(let waiting)? = connections[caller.connection] else { return }
    guard let worker = worker(of: identity) else { return reject(caller.connection, "the system has no more threads") }
    connections[caller.connection] = .identified(caller, worker)
    for message in waiting { worker.perform { $0.receive(message, from: caller) } }
  }

  private func worker(of identity: CallerIdentity) -> SerialWorker<AppService>? {
    if let worker = workers[identity] { return worker }
    let outbox = server.outbox
    guard let worker = SerialWorker<AppService>({ AppService(identity, outbox) }) else { return nil }
    worker.perform { [weak worker] in $0.worker = worker }
    workers[identity] = worker
    return worker
  }

  private func reject(_ connection: String, _ reason: String) {
    guard case .unidentified(let waiting)? = connections.removeValue(forKey: connection) else { return }
    let error = ServiceError.denied(reason)
    for call in waiting { server.send(.failure(of: call, name: error.name, text: error.text)) }
  }

  /// Ends the service: prompts end, and the secrets in memory are wiped. A write that a worker has begun is completed.
  func end() {
    let group = DispatchGroup()
    for worker in workers.values {
      group.enter()
      worker.perform {
        $0.end()
        group.leave()
      }
    }
    _ = group.wait(timeout: .now() + .seconds(10))
  }
}
