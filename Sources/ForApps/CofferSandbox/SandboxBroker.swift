package import Coffer
internal import CofferAgent
internal import CofferBus
internal import CofferCrypto
package import CofferFormat
internal import CofferPlatform
internal import CofferSystem
package import CofferVault
internal import Synchronization

/// The broker on the session bus that serves apps in sandboxes, `coffer-secret-service --apps`, as one vault in a
/// sandbox uses it. The bus starts it again if it has ended between two requests.
package final class SandboxBroker: VaultBroker {
  package static let path = "/org/coffer/Vault1"
  /// The only method: it returns a socket for requests, of which each caller has a few.
  package static let open = "Open"

  private struct State {
    var socket: RequestSocket?
    /// Whether the app has locked its vault, which a new broker does not know.
    var isLocked = false
  }

  /// A request holds it until its answer has arrived.
  private let state = Mutex(State())
  private let lastApplication = Mutex<String?>(nil)
  private let connect: @Sendable () throws(VaultError) -> RequestSocket

  /// Creates a connection that opens sockets, the first one for the first request.
  package init(_ connect: @escaping @Sendable () throws(VaultError) -> RequestSocket = Bus.connect) {
    self.connect = connect
  }

  /// Asks, and waits for the answer. `value` is the value to write, and then the one that was read.
  func ask(_ request: VaultRequest, value: inout [UInt8]?) throws(VaultError) -> VaultAnswer {
    var given = value
    value = nil
    do throws(VaultError) {
      let answer: VaultAnswer
      (answer, value) = try state.withLock { state throws(VaultError) in
        if request.kind == .lock { state.isLocked = true }
        let answer = try socket(&state).ask(request, value: &given)
        if request.kind == .unlock { state.isLocked = false }
        return (answer, given)
      }
      return answer
    } catch {
      given?.wipe()
      throw error
    }
  }

  private func socket(_ state: inout State) throws(VaultError) -> RequestSocket {
    if let known = state.socket, !known.hasEnded { return known }
    let socket = try connect()
    var none: [UInt8]?
    if state.isLocked { _ = try socket.ask(VaultRequest(.lock), value: &none) }
    state.socket = socket
    return socket
  }

  package func watch(
    _ group: String?, _ notify: @escaping @Sendable () -> Void
  ) throws(VaultError) -> any AnyObject & Sendable {
    let watch = Watch()
    // Errors are reported here. Later ones are those of the request that follows a change.
    let begin: @Sendable () throws(VaultError) -> RequestSocket = { [connect] () throws(VaultError) in
      let socket = try connect()
      var request = VaultRequest(.watch)
      request.group = group
      var none: [UInt8]?
      _ = try socket.ask(request, value: &none)
      return socket
    }
    let socket = try begin()
    let hasBegun = BlockingThread.start { [weak watch] in
      var socket: RequestSocket? = socket
      var failures = 0
      while watch?.hold(socket) != nil {
        while socket?.receiveChange() == true { notify() }
        // The broker has ended, or the keys are to be asked for again.
        guard watch?.hold(nil) != nil else { break }
        usleep(Watch.pause)
        socket = try? begin()
        failures = socket == nil ? failures + 1 : 0
        // The request that follows says what is wrong, unless that has passed by itself.
        if socket != nil || failures % Watch.attempts == 0 { notify() }
      }
      socket?.close()
    }
    guard hasBegun else {
      throw VaultError(.io, "the system has no more threads", recoverySuggestion: "end other watches")
    }
    return watch
  }

  /// A watch, which ends with this object: its thread does not hold it.
  private final class Watch: Sendable {
    /// How long it takes until the broker is asked again, in microseconds.
    static let pause: UInt32 = 1_000_000
    /// How often that may fail before a change is reported.
    static let attempts = 10

    private let socket = Mutex<RequestSocket?>(nil)

    func hold(_ next: RequestSocket?) { socket.withLock { $0 = next } }

    deinit { socket.withLock { $0?.close() } }
  }

  /// The session bus.
  package enum Bus {
    /// How long the broker may take to examine the caller, in seconds.
    private static let timeout = 60

    /// Connects with the broker. Throws `notEntitled` if the sandbox does not permit it, and for an app that the broker
    /// does not serve.
    @Sendable package static func connect() throws(VaultError) -> RequestSocket {
      let name = SecretServiceReport.appsName
      do throws(BusError) {
        let values = try SessionBus.connect().call(name, path, name, open, timeout: timeout)
        if case .descriptor(let socket)? = values.first {
          let copy = fcntl(socket.descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
          if copy >= 0 { return RequestSocket(Descriptor(owning: copy)) }
        }
        throw BusError("")
      } catch {
        let advice =
          "\(SandboxedApp.permissionAdvice); if it has that, install Coffer on this machine, and run: coffer secret-service install --apps"
        switch error.name {
        case "org.freedesktop.DBus.Error.AccessDenied" where !error.text.isEmpty:
          throw VaultError(
            .notEntitled, error.text.sanitizedForTerminal(limit: 1_000),
            recoverySuggestion: "start the Flatpak again; if it is the bus that refuses this, \(advice)")
        case "", "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
          "org.freedesktop.DBus.Error.AccessDenied":
          throw VaultError(
            .notEntitled, "this app is in a sandbox, and cannot reach Coffer outside of it", recoverySuggestion: advice)
        default:
          let reason = (error.text.isEmpty ? error.name : error.text).sanitizedForTerminal(limit: 200)
          throw VaultError(
            .busy, "Coffer outside of the sandbox does not answer: \(reason)", recoverySuggestion: "try again")
        }
      }
    }
  }
}

extension SandboxBroker {
  private func ask(_ request: VaultRequest) throws(VaultError) -> VaultAnswer {
    var none: [UInt8]?
    return try ask(request, value: &none)
  }

  package var status: BrokeredStatus {
    get throws(VaultError) {
      let answer = try ask(VaultRequest(.status))
      let status = try answer.part(answer.status)
      lastApplication.withLock { $0 = status.application }
      return status
    }
  }

  package var application: String? { lastApplication.withLock { $0 } }

  package func unlock(_ passphrase: [UInt8]?, lockAfter: Duration?) throws(VaultError) {
    var request = VaultRequest(.unlock)
    request.number = lockAfter.map { Int64(min($0 / .milliseconds(1), 1e15).rounded(.up)) }
    var value = passphrase
    _ = try ask(request, value: &value)
  }

  package func lock() { _ = try? ask(VaultRequest(.lock)) }

  package func write(_ draft: ItemDraft, in group: String?, replacing: Bool) throws(VaultError) -> StoredDraft {
    try Vault.checkLimits(of: draft)
    var value: [UInt8]? = draft.value
    let item = ItemSearch(draft.itemClass, attributes: draft.attributes, group: group)
    let answer = try ask(VaultRequest(replacing ? .set : .add, item), value: &value)
    return (try answer.part(answer.attributes), try answer.part(answer.groups?.first))
  }

  package func find(
    _ search: ItemSearch, withValues: Bool, in scope: SearchScope, damaged: ((VaultError) -> Void)?
  ) throws(VaultError) -> [FoundItem] {
    let isRead = withValues && scope == .firstGroup
    var request = VaultRequest(isRead ? .read : .find, search)
    request.scope = scope
    // The broker does not know the conditions.
    if !search.conditions.isEmpty { request.search?.limit = nil }
    var value: [UInt8]?
    let answer = try ask(request, value: &value)
    for report in answer.damaged ?? [] {
      guard let damaged else { throw report.error }
      damaged(report.error)
    }
    let items = try answer.part(answer.items).filter { item in search.conditions.allSatisfy { $0(item.attributes) } }
    return try items.prefix(search.limit ?? .max).map { item throws(VaultError) in
      guard withValues else { return item }
      var item = item
      item.value = isRead ? value : try version(item.version, in: item.address.group)?.value
      return item
    }
  }

  package func delete(_ search: ItemSearch) throws(VaultError) -> Int {
    let answer = try ask(VaultRequest(.delete, search))
    return Int(clamping: try answer.part(answer.number))
  }

  package func apply(
    _ changes: [ItemChange], values: [UInt8], movingTo group: String?
  ) throws(VaultError) -> Int {
    guard !changes.isEmpty else { return 0 }
    guard values.count <= Vault.maximumValueByteCount else {
      throw VaultError(
        .invalidArgument, "the new values of the items have \(values.count) bytes together",
        recoverySuggestion: "update fewer items in one call")
    }
    var request = VaultRequest(.change)
    (request.changes, request.group) = (changes, group)
    var given: [UInt8]? = values
    let answer = try ask(request, value: &given)
    return Int(clamping: try answer.part(answer.number))
  }

  package func history(
    of search: ItemSearch
  ) throws(VaultError) -> (versions: [FoundVersion], damaged: [VaultError]) {
    let answer = try ask(VaultRequest(.versions, search))
    return (try answer.part(answer.versions).flatMap(\.self), (answer.damaged ?? []).map(\.error))
  }

  package func conflicts(of itemClass: ItemClass, in group: String?) throws(VaultError) -> [[FoundVersion]] {
    let answer = try ask(VaultRequest(.conflicts, ItemSearch(itemClass, group: group)))
    return try answer.part(answer.versions)
  }

  package func version(_ hash: RecordHash, in group: GroupID) throws(VaultError) -> FoundItem? {
    var value: [UInt8]?
    let answer = try ask(VaultRequest(.version, hash, in: group), value: &value)
    var item = answer.items?.first
    item?.value = value
    return item
  }

  package func restore(_ hash: RecordHash, in group: GroupID) throws(VaultError) {
    _ = try ask(VaultRequest(.restore, hash, in: group))
  }

  package var receiptBuyer: String {
    get throws(VaultError) {
      let answer = try ask(VaultRequest(.buyer))
      return try answer.part(answer.text)
    }
  }

  package func redeem(_ text: String, for item: GenericPassword, in group: String?) throws(VaultError) -> Receipt {
    var request = VaultRequest(.redeem, ItemSearch(of: item, in: group))
    request.text = text
    let answer = try ask(request)
    return try Receipt(text: answer.part(answer.text))
  }

  package func receipt(for item: GenericPassword, in group: String?) throws(VaultError) -> Receipt? {
    try ask(VaultRequest(.receipt, ItemSearch(of: item, in: group))).text.map { (text) throws(VaultError) in
      try Receipt(text: text)
    }
  }

  package func changedGroups(
    after position: Int64, in group: String?
  ) throws(VaultError) -> (groups: [String], position: Int64) {
    var request = VaultRequest(.changes)
    (request.number, request.group) = (position, group)
    // A watch survives the end of the broker.
    var attempts = 5
    while true {
      do throws(VaultError) {
        let answer = try ask(request)
        return (try answer.part(answer.groups), try answer.part(answer.number))
      } catch {
        attempts -= 1
        guard error.code == .busy, attempts > 0 else { throw error }
      }
    }
  }
}

extension VaultRequest {
  fileprivate init(_ kind: Kind, _ hash: RecordHash, in group: GroupID) {
    self.init(kind)
    (version, place) = (hash, group)
  }
}

extension ItemSearch {
  fileprivate init(of item: GenericPassword, in group: String?) {
    self.init(.genericPassword, attributes: item._fields.attributes, group: group)
  }
}

/// What `Coffer` finds in a program that contains this target.
@_cdecl("coffer_broker_connection") package func makeConnection() -> UnsafeMutableRawPointer {
  unsafe Unmanaged.passRetained(SandboxBroker()).toOpaque()
}
