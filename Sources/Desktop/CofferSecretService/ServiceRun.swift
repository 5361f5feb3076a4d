internal import CofferAgent
package import CofferBus
internal import CofferPlatform
internal import CofferSystem

/// A run of the service: from the connection with the bus until the end of the process.
package struct ServiceRun: Sendable {
  private let replacesOwnInstance: Bool
  private let asks: Bool

  /// With `asks`, a person is asked about each program that nothing tells apart from others.
  package init(replacesOwnInstance: Bool, asks: Bool) {
    self.replacesOwnInstance = replacesOwnInstance
    self.asks = asks
  }

  /// How long the instance that is replaced may take to end.
  private static let replacementTimeout = Duration.seconds(30)

  /// Serves until a signal ends it.
  package func run() throws(ServiceStartError) {
    let bus: SessionBus
    let wake: DescriptorPair
    do {
      bus = try SessionBus.connect()
      wake = try Descriptor.socketPair()
    } catch let error as SystemError {
      throw .failed(error.description)
    } catch {
      throw .noBus
    }
    bus.observe(
      "type='signal',sender='\(SessionBus.busName)',interface='\(SessionBus.busName)',member='NameOwnerChanged'")
    try takeName(on: bus)
    // Without this name, it is the Secret Service all the same.
    _ = try? bus.requestName(PortalName.bus)
    let server = BusServer(bus, wake: wake)
    let outbox = server.outbox
    let termination = SignalObserver([SIGTERM, SIGINT, SIGHUP]) { outbox.stop() }
    let service = SecretService(server, asks: asks)
    let wasStopped = server.run { service.receive($0) }
    termination.stop()
    if wasStopped {
      // The next calls start the service again, or go to its successor; those that have arrived are answered.
      server.releaseName(ServiceName.bus)
      server.releaseName(PortalName.bus)
      server.receiveArrived { service.receive($0) }
    }
    service.end()
    server.finish()
    if !wasStopped { throw .disconnected }
  }

  private func takeName(on bus: SessionBus) throws(ServiceStartError) {
    do {
      if try bus.requestName(ServiceName.bus) { return }
      let owner = try NameOwner.current(on: bus)
      guard replacesOwnInstance, let owner, owner.isThisProgram, let process = owner.process else {
        throw ServiceStartError.nameTaken(owner)
      }
      try replace(owner, process, on: bus)
    } catch let error as ServiceStartError {
      throw error
    } catch let error as BusError {
      throw .failed(error.name.sanitizedForTerminal())
    } catch {
      throw .failed("\(error)")
    }
  }

  /// Ends another instance, and waits until the name is free.
  private func replace(_ owner: NameOwner, _ process: Int32, on bus: SessionBus) throws {
    // The process that has the name now, and no later one with its number.
    if let handle = try? ProcessHandle.open(process), let now = try NameOwner.current(on: bus),
      now.connection == owner.connection, !handle.hasEnded
    {
      guard kill(process, SIGTERM) == 0 || errno == ESRCH else { throw ServiceStartError.replacementFailed(owner) }
    }
    let end = ContinuousClock.now + Self.replacementTimeout
    while ContinuousClock.now < end {
      if try bus.requestName(ServiceName.bus) { return }
      // The bus may have started another instance meanwhile, for a call.
      if let next = try NameOwner.current(on: bus), next.connection != owner.connection {
        throw ServiceStartError.nameTaken(next)
      }
      usleep(50_000)
    }
    throw ServiceStartError.replacementFailed(owner)
  }
}

/// A run of the broker for apps in sandboxes. It has a bus name of its own, whoever is the secret service.
package enum AppBrokerRun {
  /// Serves until a signal ends it.
  package static func run() throws(ServiceStartError) {
    let bus: SessionBus
    let wake: DescriptorPair
    do {
      bus = try SessionBus.connect()
      wake = try Descriptor.socketPair()
    } catch {
      throw error is BusError ? .noBus : .failed("\(error)")
    }
    guard (try? bus.requestName(SecretServiceReport.appsName)) == true else {
      throw .failed("another program has the name \(SecretServiceReport.appsName) on the session bus")
    }
    let server = BusServer(bus, wake: wake)
    let outbox = server.outbox
    let termination = SignalObserver([SIGTERM, SIGINT, SIGHUP]) { outbox.stop() }
    RegistrationQuestion.begin()
    let broker = AppBroker(server)
    let wasStopped = server.run { broker.receive($0) }
    termination.stop()
    server.finish()
    if !wasStopped { throw .disconnected }
  }
}

/// The program that owns the name of the secret service.
package struct NameOwner: Sendable {
  /// The unique name of its connection.
  package let connection: String
  /// Its process; nil if the bus does not say.
  package let process: Int32?
  /// The path of its program; nil if the system does not show it.
  package let program: String?
  /// The name of its process, which the kernel keeps: at most 15 bytes.
  package var name: String? { process.flatMap { ProcessLineage.member($0)?.name } }

  /// Asks the bus; nil if nobody owns the name.
  package static func current(on bus: SessionBus) throws(BusError) -> NameOwner? {
    guard let connection = try bus.owner(of: ServiceName.bus) else { return nil }
    guard let process = bus.process(of: connection) else {
      return NameOwner(connection: connection, process: nil, program: nil)
    }
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    return NameOwner(connection: connection, process: process, program: program)
  }

  /// Whether the program is this one, perhaps in an earlier version: by its path or, if that is hidden, by its name.
  package var isThisProgram: Bool {
    // A program that keeps secrets, as this one, does not show its path.
    guard let program else { return name != nil && name == ProcessLineage.member(getpid())?.name }
    // The kernel says so if the file was replaced by an update.
    let suffix = " (deleted)"
    let path = program.hasSuffix(suffix) ? String(program.dropLast(suffix.count)) : program
    return path == CurrentProcess.executablePath
  }

  /// The program and its process, for people.
  package var words: String {
    let shown = (program ?? name).map { $0.sanitizedForTerminal(limit: 200) } ?? "another program"
    return process.map { "\(shown) (process \($0))" } ?? shown
  }
}

/// Why the service does not run.
package enum ServiceStartError: Error, CustomStringConvertible {
  /// There is no session bus.
  case noBus
  /// Another program, or another instance, owns the name.
  case nameTaken(NameOwner?)
  /// The instance that was to be replaced does not end.
  case replacementFailed(NameOwner)
  /// The bus has closed the connection, for example because the session ends.
  case disconnected
  /// The bus or the system refuses something.
  case failed(String)

  /// The exit code of the program.
  package var exitCode: Int32 {
    switch self {
    case .nameTaken, .replacementFailed: 9
    case .noBus, .failed: 1
    case .disconnected: 0
    }
  }

  package var description: String {
    switch self {
    case .noBus: "there is no session bus; start it in a desktop session, or with: dbus-run-session -- PROGRAM"
    case .nameTaken(let owner?) where owner.isThisProgram:
      "it runs already as process \(owner.process ?? 0); replace it with: coffer-secret-service --replace"
    case .nameTaken(let owner):
      "\(owner?.words ?? "another program") is the secret service of this session; "
        + "switch with: coffer secret-service install, and back with: coffer secret-service remove"
    case .replacementFailed(let owner):
      "\(owner.words) does not end; end it with: kill -KILL \(owner.process ?? 0)"
    case .disconnected: "the session bus has closed the connection"
    case .failed(let reason): "the service cannot run: \(reason)"
    }
  }
}
