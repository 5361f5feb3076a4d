internal import Coffer
internal import CofferAgent
internal import CofferBus
internal import CofferPlatform
internal import CofferSandbox
internal import CofferSystem
internal import CofferVault
internal import Dispatch
internal import Synchronization

/// Serves apps in sandboxes by their entitlements, on the thread of the bus: it finds out which app calls, and gives it
/// a socket, whose requests another thread answers. It waits for neither a disk nor a person.
final class AppBroker {
  private let server: BusServer
  private let identification = CallerIdentification()
  private let sockets = SocketCount()
  /// The calls of each connection that wait for its identity.
  private var waiting: [String: Int] = [:]
  /// The calls of each sandbox, once the bus has said who calls, by its namespace of mounts. The proxy through which a
  /// Flatpak reaches the bus has its own. All programs outside of sandboxes share one.
  private var sandboxes: [String: Int] = [:]

  private static let (waitingLimit, allWaitingLimit, sandboxLimit, allSandboxesLimit) = (2, 4_096, 64, 256)
  /// How long it may take to find out who calls.
  private static let timeout = DispatchTimeInterval.seconds(30)

  init(_ server: BusServer) { self.server = server }

  /// Takes a call.
  func receive(_ call: BusMessage) {
    guard call.kind == .call else { return }
    guard call.path == SandboxBroker.path, call.member == SandboxBroker.open,
      call.interface == SecretServiceReport.appsName || call.interface.isEmpty
    else { return server.reject(call, .unknownMethod(call.member.sanitizedForTerminal(limit: 100))) }
    guard !call.isTruncated, call.signature.isEmpty else {
      return server.reject(call, .invalid("the method Open takes no values"))
    }
    guard waiting[call.sender, default: 0] < Self.waitingLimit,
      waiting.values.reduce(0, +) < Self.allWaitingLimit
    else { return server.reject(call, .limit("too many calls wait")) }
    waiting[call.sender, default: 0] += 1
    identify(call)
  }

  private func identify(_ call: BusMessage) {
    server.callBus("GetConnectionCredentials", call.sender) { [self] result in
      guard case .success(let values) = result, let answer = values.first,
        let credentials = CallerCredentials(connection: call.sender, answer: answer), credentials.user == geteuid(),
        let number = credentials.process, let process = ProcessLineage.member(number)
      else { return finish(call, .failure(.denied("the bus does not say who calls"))) }
      let sandbox = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(number)/ns/mnt")) ?? ""
      guard sandboxes[sandbox, default: 0] < Self.sandboxLimit,
        sandboxes.values.reduce(0, +) < Self.allSandboxesLimit
      else { return finish(call, .failure(.limit("too many calls wait"))) }
      sandboxes[sandbox, default: 0] += 1
      let finish = server.onThisThread { [self] in
        sandboxes.lower(sandbox)
        self.finish(call, $0)
      }
      // The root of the caller can be a file system that never answers, also when it is read again.
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) {
        finish(.failure(.failed("the system does not answer about it")))
      }
      identification.identify(credentials) { identity in
        finish(Self.app(of: identity, credentials, process))
      }
    }
  }

  /// Returns which app a caller is, and where it is deployed. On a thread of the identification: the caller's root can
  /// be a file system that never answers.
  private static func app(
    of identity: CallerIdentity, _ credentials: CallerCredentials, _ process: ProcessLineage.Member
  ) -> Result<DeployedApp, ServiceError> {
    if let refusal = identity.refusal {
      let reason = "it cannot be determined which program this is: \(refusal.description)"
      return .failure(refusal.isTemporary ? .failed(reason) : .denied(reason))
    }
    guard case .flatpak(let application)? = identity.program else {
      return .failure(.denied("only apps in a Flatpak need the broker; others open their vault themselves"))
    }
    guard let number = credentials.process, let bytes = try? FlatpakInfo.bytes(ofProcess: number),
      let app = try? DeployedApp(application, bytes)
    else { return .failure(.denied("its file .flatpak-info does not say where \(application) is installed")) }
    // It was the same process all the time.
    guard ProcessLineage.member(number)?.isSame(as: process) == true,
      credentials.processHandle?.descriptor.hasInput != true
    else { return .failure(.denied("it has ended")) }
    return .success(app)
  }

  private func finish(_ call: BusMessage, _ result: Result<DeployedApp, ServiceError>) {
    waiting.lower(call.sender)
    do throws(ServiceError) {
      server.send(.reply(to: call, [.descriptor(try socket(for: result.get()))]))
    } catch {
      server.reject(call, error)
    }
  }

  /// Returns the app's end of a new socket, whose other end a thread serves.
  private func socket(for app: DeployedApp) throws(ServiceError) -> BusDescriptor {
    guard sockets.take(app.identifier) else { throw .limit("the app has too many connections with Coffer") }
    guard let (ours, theirs) = Self.ends() else {
      sockets.release(app.identifier)
      throw .limit("the system has no descriptors left")
    }
    let socket = RequestSocket(Descriptor(owning: ours))
    let sockets = sockets
    let hasBegun = BlockingThread.start {
      AppSession(app, socket).serve()
      sockets.release(app.identifier)
    }
    guard hasBegun else {
      sockets.release(app.identifier)
      throw .limit("the system has no more threads")
    }
    return theirs
  }

  /// Returns the ends of a new pair of sockets.
  private static func ends() -> (ours: Int32, theirs: BusDescriptor)? {
    guard let pair = try? Descriptor.socketPair() else { return nil }
    let theirs = fcntl(pair.theirs.rawValue, F_DUPFD_CLOEXEC, 0)
    guard theirs >= 0 else { return nil }
    let descriptor = BusDescriptor(Descriptor(owning: theirs))
    let ours = fcntl(pair.ours.rawValue, F_DUPFD_CLOEXEC, 0)
    return ours < 0 ? nil : (ours, descriptor)
  }
}

/// How many sockets apps have: each has a thread.
private final class SocketCount: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  private static let (limit, appLimit) = (128, 16)

  /// Returns false if the app must not have another one.
  func take(_ app: String) -> Bool {
    counts.withLock { counts in
      guard counts[app, default: 0] < Self.appLimit, counts.values.reduce(0, +) < Self.limit else { return false }
      counts[app, default: 0] += 1
      return true
    }
  }

  func release(_ app: String) { counts.withLock { $0.lower(app) } }
}
