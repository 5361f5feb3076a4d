internal import Coffer
internal import CofferBus
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Synchronization

/// The back end of the portal for secrets, on the thread of the bus. It answers the portal itself and nobody else: only
/// that knows which program asks, and tells it in the call.
final class SecretPortal {
  private let server: BusServer
  /// The requests that run, by their paths.
  private var requests: [String: Request] = [:]

  /// How many requests run at once.
  private static let limit = 16
  private static let version: UInt32 = 1

  init(_ server: BusServer) { self.server = server }

  /// A request that runs on a thread of its own.
  private final class Request: Sendable {
    let sender: String
    private let wasCancelled = Atomic(false)
    private let hasFinished = Atomic(false)

    init(sender: String) { self.sender = sender }

    var isCancelled: Bool { wasCancelled.load(ordering: .relaxed) }
    var isFinished: Bool { hasFinished.load(ordering: .relaxed) }

    func cancel() { wasCancelled.store(true, ordering: .relaxed) }
    func finish() { hasFinished.store(true, ordering: .relaxed) }
  }

  /// The answers of a request, as the portal numbers them.
  private enum Response: UInt32 {
    case success, cancelled, failed
  }

  /// Whether a path is that of an object of the portal.
  static func serves(_ path: String) -> Bool { path == PortalName.root || path.hasPrefix(PortalName.requests) }

  /// Takes a call of an object of the portal.
  func receive(_ call: BusMessage) {
    requests = requests.filter { !$0.value.isFinished }
    do throws(ServiceError) {
      switch (call.interface, call.member) {
      case (ServiceName.peer, "Ping"): server.send(.reply(to: call, []))
      case (ServiceName.introspectable, "Introspect"):
        server.send(.reply(to: call, [.text(Self.introspection)]))
      case (ServiceName.properties, "Get"), (ServiceName.properties, "GetAll"): try answerProperties(call)
      case (PortalName.secret, "RetrieveSecret") where call.path == PortalName.root: try retrieve(call)
      case (PortalName.request, "Close") where call.path != PortalName.root: try close(call)
      default: throw .unknownMethod(call.member.sanitizedForTerminal())
      }
    } catch {
      server.reject(call, error)
    }
  }

  /// Cancels the requests of a connection that has ended.
  func forget(_ connection: String) {
    for request in requests.values where request.sender == connection { request.cancel() }
  }

  /// Cancels all requests.
  func end() { for request in requests.values { request.cancel() } }

  private func answerProperties(_ call: BusMessage) throws(ServiceError) {
    guard call.path == PortalName.root, call.values.first == .text(PortalName.secret) else {
      throw .invalid("the object has no such interface")
    }
    guard call.member == "Get" else {
      return server.send(.reply(to: call, [.properties(["version": .shortNumber(Self.version)])]))
    }
    guard call.values.last == .text("version") else { throw .unknownProperty("") }
    server.send(.reply(to: call, [.variant(.shortNumber(Self.version))]))
  }

  private func close(_ call: BusMessage) throws(ServiceError) {
    guard let request = requests[call.path], request.sender == call.sender else { throw .noSuchObject(call.path) }
    request.cancel()
    server.send(.reply(to: call, []))
  }

  // MARK: Secrets

  /// The order of the types of `RetrieveSecret`: the request's path, the program, where the secret goes, and options.
  private static let signature = "osha{sv}"

  private func retrieve(_ call: BusMessage) throws(ServiceError) {
    guard !call.isTruncated, call.signature == Self.signature, let handle = call.values[0].string,
      let name = call.values[1].string,
      case .descriptor(let output) = call.values[2], handle.hasPrefix(PortalName.requests), handle.utf8.count <= 1_024
    else { throw .invalid("RetrieveSecret takes the path of a request, a program, a descriptor and options") }
    guard requests[handle] == nil else { throw .invalid("the request exists already") }
    guard requests.count < Self.limit else { throw .limit("too many programs wait for their secrets") }
    guard let program = DesktopProgram(portalName: name) else {
      throw .denied("only a program in a sandbox has a secret of its own")
    }
    let request = Request(sender: call.sender)
    requests[handle] = request
    // Whoever calls itself a portal is asked for its name: it could ask for the secret of any program.
    server.callBus("GetNameOwner", PortalName.frontend) { [self] answer in
      guard case .success(let values) = answer, let owner = values.first?.string, owner == call.sender else {
        request.finish()
        return server.reject(call, .denied("only the portal of the desktop gets secrets of programs"))
      }
      run(request, of: program, to: output, call)
    }
  }

  private func run(
    _ request: Request, of program: DesktopProgram, to output: BusDescriptor, _ call: BusMessage
  ) {
    let outbox = server.outbox
    let hasBegun = BlockingThread.start {
      let response = Self.write(PortalSecret(program: program), to: output, request)
      request.finish()
      outbox.send(.reply(to: call, Self.values(response)))
    }
    guard hasBegun else {
      request.finish()
      return server.send(.reply(to: call, Self.values(.failed)))
    }
  }

  private static func values(_ response: Response) -> [BusValue] {
    [.shortNumber(response.rawValue), .properties([:])]
  }

  private static func write(_ secret: PortalSecret, to output: BusDescriptor, _ request: Request) -> Response {
    do throws(VaultError) {
      var bytes = try secret.bytes { request.isCancelled }
      defer { bytes.wipe() }
      guard !request.isCancelled else { return .cancelled }
      return writeAll(bytes, to: output.descriptor.rawValue) ? .success : .failed
    } catch {
      return error.code == .authenticationCancelled || request.isCancelled ? .cancelled : .failed
    }
  }

  private static let introspection = """
    <node>
      <interface name="\(PortalName.secret)">
        <method name="RetrieveSecret">
          <arg type="o" name="handle" direction="in"/>
          <arg type="s" name="app_id" direction="in"/>
          <arg type="h" name="fd" direction="in"/>
          <arg type="a{sv}" name="options" direction="in"/>
          <arg type="u" name="response" direction="out"/>
          <arg type="a{sv}" name="results" direction="out"/>
        </method>
        <property name="version" type="u" access="read"/>
      </interface>
    </node>
    """
}

/// Writes bytes to what is a pipe of a program. Returns false if nobody reads it.
private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var written = 0
  while written < bytes.count {
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&wait, 1, 10_000) == 1, Int32(wait.revents) & (POLLERR | POLLHUP | POLLNVAL) == 0 else {
      return false
    }
    let count = unsafe bytes.withUnsafeBytes { bytes in
      unsafe write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
    }
    if count < 0, errno == EINTR || errno == EAGAIN { continue }
    guard count > 0 else { return false }
    written += count
  }
  return true
}

/// The secret of a sandboxed program, with which it encrypts its own file of passwords: 64 random bytes, made once and
/// kept in the access group of the program's app.
struct PortalSecret: Sendable {
  let program: DesktopProgram

  private static let byteCount = 64
  /// The schema of the item's attributes.
  private static let schema = "org.freedesktop.portal.Secret"

  /// Returns the secret, which the caller wipes. A person may be asked, first whether the program gets a collection and
  /// then for the passphrase.
  ///
  /// - Throws: ``VaultError``: `authenticationCancelled` if a person has declined or has not answered; `locked` if
  ///   nobody can be asked; errors of the vault.
  func bytes(isCancelled: @escaping @Sendable () -> Bool) throws(VaultError) -> [UInt8] {
    let vault = try openVault(isCancelled)
    let item = NewItem(
      label: "Secret of \(program.name ?? "")",
      attributes: ["app_id": program.name ?? "", IndexedItem.schemaName: Self.schema],
      contentType: "application/octet-stream", value: []
    ).password(isUnique: false)
    if let known = try vault.bytes(for: item) { return known }
    let fresh = Random.bytes(count: Self.byteCount)
    do throws(VaultError) {
      try vault.add(fresh, for: item)
      return fresh
    } catch {
      // Another call was faster.
      guard error.code == .duplicateItem, let known = try vault.bytes(for: item) else { throw error }
      return known
    }
  }

  private func openVault(_ isCancelled: @escaping @Sendable () -> Bool) throws(VaultError) -> Vault {
    let folder = try VaultFolder(.standard())
    let app = DesktopApp(CallerIdentity(program))
    if try app.installed(in: folder) == nil {
      _ = try UnlockQuestion(.registration(app, folder)).ask(for: program.words, isCancelled: isCancelled)
    }
    guard let application = try app.installed(in: folder) else {
      throw VaultError(
        .locked, "\(program.words) has no collection", recoverySuggestion: program.addCommand ?? "try again")
    }
    let vault = try Vault.open(applicationNamed: application.description, in: folder).vault
    guard vault.isLocked else { return vault }
    // The agent may have the keys.
    try? vault.unlock()
    if vault.isLocked { _ = try UnlockQuestion(.sealed(vault)).ask(for: program.words, isCancelled: isCancelled) }
    return vault
  }
}

/// The names of the back end of the portal for secrets (`org.freedesktop.impl.portal.Secret`).
package enum PortalName {
  /// The name of the back end on the bus.
  package static let bus = "org.freedesktop.impl.portal.desktop.coffer"
  /// The portal itself, which calls the back end for the programs of sandboxes.
  static let frontend = "org.freedesktop.portal.Desktop"
  static let root = "/org/freedesktop/portal/desktop"
  static let secret = "org.freedesktop.impl.portal.Secret"
  static let request = "org.freedesktop.impl.portal.Request"
  /// What the paths of requests begin with.
  static let requests = "\(root)/request/"
}

extension DesktopProgram {
  /// Creates the program that the portal calls by a name: a Flatpak by its application ID, and a snap by its name after
  /// `snap.`. Nil for a program outside of a sandbox, whose name the portal leaves empty.
  init?(portalName name: String) {
    let snap = "snap."
    let program: DesktopProgram = name.hasPrefix(snap) ? .snap(String(name.dropFirst(snap.count))) : .flatpak(name)
    guard name.contains("."), program.bundleID != nil else { return nil }
    self = program
  }
}

extension DesktopApp {
  /// Returns the full identifier of the app if it is in a vault and has a credential on this machine; nil otherwise.
  func installed(in folder: VaultFolder) throws(VaultError) -> ApplicationID? {
    if case .installed(let application) = try status(in: folder).status { application } else { nil }
  }
}
