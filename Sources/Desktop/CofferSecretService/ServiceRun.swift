internal import CofferBus
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
