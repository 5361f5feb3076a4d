internal import CofferBus
internal import CofferPlatform
internal import CofferSystem
internal import Dispatch

/// The service on the thread of the bus: it finds out who calls, and gives each call to the worker of the caller's app. It
/// waits for neither a disk nor a person.
final class SecretService {
  private let server: BusServer
  private let identification = CallerIdentification()
  private var connections: [String: Connection] = [:]
  private var workers: [CallerIdentity: SerialWorker<AppService>] = [:]
  private let portal: SecretPortal
  /// What people have answered about programs; nil if nobody is asked.
  private let leases: ProgramLeases?
  /// Who waits for a person's answer, by the path of the program.
  private var questions: [String: [(caller: Caller, worker: SerialWorker<AppService>)]] = [:]

  /// A connection that has called.
  private enum Connection {
    /// Its identity is not known yet: its calls wait.
    case unidentified([BusMessage])
    case identified(Caller, SerialWorker<AppService>)
    /// It cannot be identified, for a reason.
    case refused(String)
  }

  /// How many calls of one connection wait for its identity.
  private static let waitingLimit = 256
  /// How many calls of the programs with one identity wait for the vault.
  private static let jobLimit = 8_192
  /// How many connections are served at once; a session has some hundred.
  private static let connectionLimit = 4_096
  private static let timeout = Duration.seconds(20)
  /// About how many programs people are asked at once.
  private static let questionLimit = 8

  init(_ server: BusServer, asks: Bool) {
    self.server = server
    portal = SecretPortal(server)
    leases = asks ? ProgramLeases() : nil
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
    if SecretPortal.serves(message.path) { return portal.receive(message) }
    switch connections[message.sender] {
    case .identified(let caller, let worker)?:
      guard needsAnswer(about: caller) else {
        guard worker.jobCount < Self.jobLimit else { return refuse(message, "too many calls wait") }
        return worker.perform { $0.receive(message, from: caller) }
      }
      connections[message.sender] = .unidentified([message])
      ask(about: caller, worker)
    case .refused(let reason)?:
      let error = ServiceError.denied(reason)
      server.send(.failure(of: message, name: error.name, text: error.text))
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
      let name = signal.values[0].string, signal.values[2] == .text("")
    else { return }
    portal.forget(name)
    if case .identified(let caller, let worker)? = connections.removeValue(forKey: name) {
      worker.perform { $0.forget(caller.connection) }
    }
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
      let asks = leases != nil
      // The identity of a program depends on files.
      let accept = server.onThisThread { [self] (found: (Caller, CallerIdentity)) in self.accept(found.0, as: found.1) }
      identification.identify(credentials) { identity in
        let program = credentials.process.flatMap { ProcessLineage.member($0)?.name }
        var caller = Caller(connection: connection, program: program)
        if asks, identity == .common { caller.leasePath = credentials.process.flatMap(CallerIdentification.path) ?? "" }
        accept((caller, identity))
      }
    }
  }

  private func accept(_ caller: Caller, as identity: CallerIdentity) {
    // It may have closed the connection meanwhile.
    guard case .unidentified? = connections[caller.connection] else { return }
    if let refusal = identity.refusal {
      let reason = "it cannot be determined which program this is: \(refusal.description)"
      return refusal.isTemporary ? reject(caller.connection, reason) : refuse(caller.connection, reason)
    }
    guard let worker = worker(of: identity) else { return reject(caller.connection, "the system has no more threads") }
    if needsAnswer(about: caller) { ask(about: caller, worker) } else { admit(caller, worker) }
  }

  private func admit(_ caller: Caller, _ worker: SerialWorker<AppService>) {
    guard case .unidentified(let waiting)? = connections[caller.connection] else { return }
    connections[caller.connection] = .identified(caller, worker)
    for message in waiting { worker.perform { $0.receive(message, from: caller) } }
  }

  // MARK: Questions

  /// Whether a person has to be asked before a caller goes on.
  private func needsAnswer(about caller: Caller) -> Bool {
    guard let leases, let path = caller.leasePath else { return false }
    return leases.answer(for: path) != true
  }

  /// Asks a person about a caller's program, whose calls wait. Callers with the same program get the same answer.
  private func ask(about caller: Caller, _ worker: SerialWorker<AppService>) {
    guard let leases, let path = caller.leasePath else { return admit(caller, worker) }
    guard questions[path] == nil else {
      questions[path]?.append((caller, worker))
      return
    }
    guard questions.count < Self.questionLimit else {
      return reject(caller.connection, "a person is asked about too many programs")
    }
    questions[path] = [(caller, worker)]
    let answer = server.onThisThread { [self] (isAllowed: Bool) in receive(isAllowed, about: path) }
    let isStarted = BlockingThread.start { answer(leases.ask(about: path)) }
    if !isStarted { receive(false, about: path) }
  }

  private func receive(_ isAllowed: Bool, about path: String) {
    for (caller, worker) in questions.removeValue(forKey: path) ?? [] {
      if isAllowed {
        admit(caller, worker)
      } else {
        reject(caller.connection, "nobody has allowed this program to use the passwords of desktop programs")
      }
    }
  }

  private func worker(of identity: CallerIdentity) -> SerialWorker<AppService>? {
    if let worker = workers[identity] { return worker }
    let outbox = server.outbox
    guard let worker = SerialWorker<AppService>({ AppService(identity, outbox) }) else { return nil }
    worker.perform { [weak worker] in $0.worker = worker }
    workers[identity] = worker
    return worker
  }

  /// Refuses the calls of a connection that wait, and all later ones.
  private func refuse(_ connection: String, _ reason: String) {
    reject(connection, reason)
    connections[connection] = .refused(reason)
  }

  /// Refuses the calls of a connection that wait.
  private func reject(_ connection: String, _ reason: String) {
    guard case .unidentified(let waiting)? = connections.removeValue(forKey: connection) else { return }
    let error = ServiceError.denied(reason)
    for call in waiting { server.send(.failure(of: call, name: error.name, text: error.text)) }
  }

  /// Ends the service: prompts end, and the secrets in memory are wiped. A write that a worker has begun is completed.
  func end() {
    portal.end()
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
