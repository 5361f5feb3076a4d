internal import CofferBus
internal import CofferPlatform
internal import CofferSystem
internal import Dispatch
internal import Synchronization

/// The service on the thread of the bus: it finds out who calls, and gives each call to the worker of the caller's app.
/// It waits for neither a disk nor a person.
final class SecretService {
  private let server: BusServer
  private let identification = CallerIdentification()
  private var connections: [String: Connection] = [:]
  private var workers: [CallerIdentity: SerialWorker<AppService>] = [:]
  private let portal: SecretPortal
  /// What people have answered about programs; nil if nobody is asked.
  private let leases: ProgramLeases?
  /// What a person is being asked, by the path of the program.
  private var questions: [String: Question] = [:]

  private struct Question {
    /// Whose calls wait for the answer.
    var callers: [(caller: Caller, worker: SerialWorker<AppService>)]
    /// Closes the question.
    let cancellation = PendingPrompt.Cancellation()
  }

  /// A connection that has called.
  private struct Connection {
    enum Status {
      /// Its identity is not known yet: its calls wait.
      case unidentified
      /// It is identified, and a person is asked about it: its calls wait.
      case questioned(Caller, SerialWorker<AppService>)
      case identified(Caller, SerialWorker<AppService>)
      /// It cannot be identified, for a reason.
      case refused(String)
    }

    var status = Status.unidentified
    /// The calls that wait for an identity or an answer.
    var waiting: [BusMessage] = []

    /// The worker of its identity.
    var worker: SerialWorker<AppService>? {
      switch status {
      case .identified(_, let worker), .questioned(_, let worker): worker
      case .unidentified, .refused: nil
      }
    }
  }

  /// How many calls of one connection wait for its identity.
  private static let waitingLimit = 256
  /// The calls of all programs that wait.
  private let load = CallLoad(callLimit: 65_536, byteLimit: 256 << 20)
  /// With how many identities programs are served, and up to how many those without programs are kept.
  private static let (workerLimit, idleWorkerLimit) = (256, 16)
  /// How many connections are served at once; a session has some hundred.
  private static let connectionLimit = 4_096
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
    case (ServiceName.control, ServiceName.lockKeys) where message.path == ServiceName.root: return lockKeys(message)
    default: break
    }
    if SecretPortal.serves(message.path) { return portal.receive(message) }
    switch connections[message.sender]?.status {
    case .identified(let caller, let worker)?:
      guard needsAnswer(about: caller) else { return pass(message, from: caller, to: worker) }
      guard keep(message) else { return }
      connections[message.sender]?.status = .questioned(caller, worker)
      ask(about: caller, worker)
    case .questioned?, .unidentified?: _ = keep(message)
    case .refused(let reason)?: server.reject(message, .denied(reason))
    case nil:
      guard connections.count < Self.connectionLimit, load.add(message) else {
        return server.reject(message, .limit("too many programs are connected"))
      }
      connections[message.sender] = Connection(waiting: [message])
      identify(message.sender)
    }
  }

  /// Keeps a call of a known connection until it may go on. Returns false if too many wait.
  private func keep(_ call: BusMessage) -> Bool {
    guard connections[call.sender]?.waiting.count ?? 0 < Self.waitingLimit, load.add(call) else {
      server.reject(call, Self.tooManyCalls)
      return false
    }
    connections[call.sender]?.waiting.append(call)
    return true
  }

  private static let tooManyCalls = ServiceError.limit("too many calls wait")

  /// Gives a call to the worker of its caller's app.
  private func pass(_ call: BusMessage, from caller: Caller, to worker: SerialWorker<AppService>) {
    guard caller.load.add(call) else { return server.reject(call, .limit("too many calls of the program wait")) }
    guard load.add(call) else {
      caller.load.remove(call)
      return server.reject(call, Self.tooManyCalls)
    }
    let load = load
    worker.perform { service in
      service.receive(call, from: caller)
      caller.load.remove(call)
      load.remove(call)
    }
  }

  private func receive(signal: BusMessage) {
    guard signal.sender == SessionBus.busName, signal.member == "NameOwnerChanged", signal.values.count == 3,
      let name = signal.values[0].string, signal.values[2] == .text("")
    else { return }
    portal.forget(name)
    guard let connection = connections.removeValue(forKey: name) else { return }
    for call in connection.waiting { load.remove(call) }
    if let worker = connection.worker { forget(name, worker) }
    if case .questioned(let caller, _) = connection.status { endQuestion(of: caller) }
  }

  /// Forgets a connection that is closed, and the worker of its identity if there are many and it has nothing to keep.
  private func forget(_ connection: String, _ worker: SerialWorker<AppService>) {
    guard workers.count > Self.idleWorkerLimit else { return worker.perform { $0.forget(connection) } }
    let release = server.onThisThread { [self] (isDisposable: Bool) in
      let isUsed = connections.values.contains { $0.worker === worker }
      guard isDisposable, !isUsed else { return }
      workers = workers.filter { $0.value !== worker }
    }
    worker.perform {
      $0.forget(connection)
      release($0.isDisposable)
    }
  }

  // MARK: Locking

  /// Drops the keys of all apps, for `coffer lock`. A program in a sandbox may not lock the collections of others.
  private func lockKeys(_ call: BusMessage) {
    guard load.add(call) else { return server.reject(call, Self.tooManyCalls) }
    server.callBus("GetConnectionCredentials", call.sender) { [self] result in
      guard case .success(let values) = result, let answer = values.first,
        let credentials = CallerCredentials(connection: call.sender, answer: answer), credentials.user == geteuid()
      else { return deny(call, "the bus does not say who calls") }
      let lock = server.onThisThread { [self] (identity: CallerIdentity) in
        guard identity == .common else {
          return deny(call, "only a program outside of a sandbox locks all collections")
        }
        lockKeys(answering: call)
      }
      identification.identify(credentials, lock)
    }
  }

  private func deny(_ call: BusMessage, _ reason: String) {
    load.remove(call)
    server.reject(call, .denied(reason))
  }

  /// Answers when every app has dropped its keys.
  private func lockKeys(answering call: BusMessage) {
    let counted = KeyCount()
    let group = inAllServices { if $0.lockKeys() { counted.add() } }
    let (outbox, load) = (server.outbox, load)
    group.notify(queue: .global()) {
      load.remove(call)
      outbox.send(.reply(to: call, [.shortNumber(counted.value)]))
    }
  }

  // MARK: Identities

  private func identify(_ connection: String) {
    server.callBus("GetConnectionCredentials", connection) { [self] result in
      guard case .success(let values) = result, let answer = values.first,
        let credentials = CallerCredentials(connection: connection, answer: answer)
      else { return reject(connection, "the bus does not say who calls") }
      guard credentials.user == geteuid() else { return reject(connection, "another user calls") }
      let asks = leases != nil
      // The identity of a program depends on files.
      let accept = server.onThisThread { [self] (found: (Caller, CallerIdentity)) in self.accept(found.0, as: found.1) }
      // Before the identification, which makes sure that it was the same process.
      let deniesReads = credentials.process.flatMap { ProcessLineage.member($0)?.deniesReads } ?? true
      identification.identify(credentials) { identity in
        let program = credentials.process.flatMap { ProcessLineage.member($0)?.name }
        var caller = Caller(connection: connection, program: program)
        caller.deniesReads = deniesReads
        if asks, identity == .common { caller.leasePath = credentials.process.flatMap(CallerIdentification.path) ?? "" }
        accept((caller, identity))
      }
    }
  }

  private func accept(_ caller: Caller, as identity: CallerIdentity) {
    // It may have closed the connection meanwhile.
    guard case .unidentified? = connections[caller.connection]?.status else { return }
    if let refusal = identity.refusal {
      let reason = "it cannot be determined which program this is: \(refusal.description)"
      return reject(caller.connection, reason, isFinal: !refusal.isTemporary)
    }
    guard let worker = worker(of: identity) else { return reject(caller.connection, "the system has no more threads") }
    guard needsAnswer(about: caller) else { return admit(caller, worker) }
    connections[caller.connection]?.status = .questioned(caller, worker)
    ask(about: caller, worker)
  }

  private func admit(_ caller: Caller, _ worker: SerialWorker<AppService>) {
    guard let waiting = connections[caller.connection]?.waiting else { return }
    connections[caller.connection] = Connection(status: .identified(caller, worker))
    for message in waiting {
      load.remove(message)
      pass(message, from: caller, to: worker)
    }
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
      questions[path]?.callers.append((caller, worker))
      return
    }
    guard questions.count < Self.questionLimit else {
      return reject(caller.connection, "a person is asked about too many programs")
    }
    let question = Question(callers: [(caller, worker)])
    questions[path] = question
    let answer = server.onThisThread { [self] (isAllowed: Bool) in receive(isAllowed, about: path) }
    let cancellation = question.cancellation
    let isStarted = BlockingThread.start { answer(leases.ask(about: path, isCancelled: { cancellation.isCancelled })) }
    if !isStarted { receive(false, about: path) }
  }

  /// Closes the question about a program of which no connection waits any more.
  private func endQuestion(of caller: Caller) {
    guard let path = caller.leasePath else { return }
    questions[path]?.callers.removeAll { $0.caller.connection == caller.connection }
    if let question = questions[path], question.callers.isEmpty { question.cancellation.cancel() }
  }

  private func receive(_ isAllowed: Bool, about path: String) {
    for (caller, worker) in questions.removeValue(forKey: path)?.callers ?? [] {
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
    guard workers.count < Self.workerLimit,
      let worker = SerialWorker<AppService>({ AppService(identity, outbox) })
    else { return nil }
    worker.perform { [weak worker] in $0.worker = worker }
    workers[identity] = worker
    return worker
  }

  /// Rejects the calls of a connection that wait and, with `isFinal`, all later ones.
  private func reject(_ connection: String, _ reason: String, isFinal: Bool = false) {
    guard let known = connections[connection] else { return }
    switch known.status {
    case .unidentified: connections[connection] = isFinal ? Connection(status: .refused(reason)) : nil
    // What the connection has in the service, if it was answered before, stays until it is closed.
    case .questioned(let caller, let worker):
      connections[connection] = Connection(status: .identified(caller, worker))
    case .identified, .refused: return
    }
    for call in known.waiting {
      load.remove(call)
      server.reject(call, .denied(reason))
    }
  }

  /// Does something in the service of each identity. The group is empty when all have done it.
  private func inAllServices(_ job: @escaping @Sendable (AppService) -> Void) -> DispatchGroup {
    let group = DispatchGroup()
    for worker in workers.values {
      group.enter()
      worker.perform {
        job($0)
        group.leave()
      }
    }
    return group
  }

  /// Ends the service: prompts end, and the secrets in memory are wiped. A write that a worker has begun is completed.
  func end() {
    portal.end()
    let group = inAllServices { $0.end() }
    _ = group.wait(timeout: .now() + .seconds(10))
  }
}

/// How many apps had keys, counted by their threads.
private final class KeyCount: Sendable {
  private let count = Atomic<UInt32>(0)

  var value: UInt32 { count.load(ordering: .relaxed) }

  func add() { count.add(1, ordering: .relaxed) }
}
