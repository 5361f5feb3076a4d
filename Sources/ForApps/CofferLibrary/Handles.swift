internal import Coffer
internal import CofferCrypto
internal import CofferPlatform
internal import CofferRequests
internal import CofferSystem
internal import Synchronization

/// What a handle of C stands for. C owns one reference.
protocol HandleContents: AnyObject, Sendable {}

extension HandleContents {
  /// Returns a handle, which owns this object until it is freed.
  func retained() -> Handle { unsafe Unmanaged.passRetained(self).toOpaque() }

  /// Returns the contents of a handle. Throws `invalidArgument` for NULL; any other pointer must be a handle.
  static func contents(of handle: Handle?) throws(VaultError) -> Self {
    guard let handle = unsafe handle else { throw .argument("a handle is NULL") }
    return unsafe Unmanaged<Self>.fromOpaque(handle).takeUnretainedValue()
  }

  static func free(_ handle: Handle?) {
    if let handle = unsafe handle { unsafe Unmanaged<Self>.fromOpaque(handle).release() }
  }
}

/// A vault, with the watches that end when it is closed. In a sandbox, the broker outside of it has the vault.
final class OpenVault: HandleContents {
  private let vault: Vault?
  /// The connection with the broker. A request holds it until its answer has arrived.
  private let broker: Mutex<Broker?>
  /// What ends each watch.
  private let watches = Mutex<[@Sendable () -> Void]>([])

  /// Opens the vault of the app that a plist describes. In a sandbox, the plist that is installed with the app counts.
  init(_ entitlements: EntitlementsSource) throws(VaultError) {
    guard SandboxBroker.isNeeded, !VaultLocation.isInMemory else {
      vault = try Vault.open(entitlements)
      broker = Mutex(nil)
      return
    }
    vault = nil
    var connected = Broker(socket: try SandboxBroker.connect())
    var value: [UInt8]?
    // What keeps the broker from opening the vault is an error of this call.
    _ = try connected.ask(VaultRequest(.status), value: &value)
    broker = Mutex(connected)
  }

  func close() {
    for end in watches.withLock({ $0 }) { end() }
    broker.withLock { $0 = nil }
    vault?.lock()
  }

  /// Asks for something that has no value.
  @discardableResult
  func ask(_ request: VaultRequest) throws(VaultError) -> VaultAnswer {
    var value: [UInt8]?
    return try ask(request, value: &value)
  }

  /// Asks. `value` is the value to write, and then the value that was read.
  func ask(_ request: VaultRequest, value: inout [UInt8]?) throws(VaultError) -> VaultAnswer {
    if let vault { return try vault.answer(request, value: &value) }
    var given = value
    value = nil
    let result = broker.withLock { broker -> Result<(VaultAnswer, [UInt8]?), VaultError> in
      do throws(VaultError) {
        guard let answer = try broker?.ask(request, value: &given) else { throw .argument("the vault is closed") }
        return .success((answer, given))
      } catch {
        return .failure(error)
      }
    }
    let answer: VaultAnswer
    (answer, value) = try result.get()
    return answer
  }

  /// The vault of this process. Throws `notEntitled` in a sandbox.
  func own(_ call: String) throws(VaultError) -> Vault {
    guard let vault else {
      throw VaultError(
        .notEntitled, "\(call) is not possible in a sandbox", recoverySuggestion: "see coffer.h")
    }
    return vault
  }

  /// Starts a watch, and returns the descriptor that becomes readable.
  func watch(_ group: String?) throws(VaultError) -> Int32 {
    let request = VaultRequest(.watch, group: group)
    var broker: RequestSocket?
    // Errors are reported here, and not by a descriptor that ends at once.
    if vault == nil {
      let socket = try SandboxBroker.connect()
      var value: [UInt8]?
      _ = try socket.ask(request, value: &value)
      broker = socket
    } else {
      try ask(request)
    }
    let pair: DescriptorPair
    do throws(SystemError) { pair = try Descriptor.socketPair() } catch { throw Self.noDescriptor }
    let socket = RequestSocket(Descriptor(owning: try Self.copy(of: pair.ours)))
    guard let vault else {
      guard let broker, BlockingThread.start({ broker.passChanges(to: socket) }) else {
        throw VaultError(.io, "the system has no more threads", recoverySuggestion: "end other watches")
      }
      watches.withLock { $0.append { [weak broker] in broker?.close() } }
      return try Self.copy(of: pair.theirs)
    }
    // From here on, so that no change is missed before the task runs.
    let started = vault.changes(in: group).makeAsyncIterator()
    let task = Task.detached {
      var changes = started
      while let _ = try? await changes.next() {
        guard socket.sendChange() else { return }
      }
    }
    watches.withLock { $0.append { task.cancel() } }
    return try Self.copy(of: pair.theirs)
  }

  private static let noDescriptor = VaultError(
    .io, "no descriptor is left", recoverySuggestion: "close files or watches that are not needed")

  private static func copy(of descriptor: borrowing Descriptor) throws(VaultError) -> Int32 {
    let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw noDescriptor }
    return copy
  }
}

/// The broker, as one vault in a sandbox uses it. It is started again by the bus if it has ended between two requests.
private struct Broker {
  var socket: RequestSocket
  private var isLocked = false

  init(socket: RequestSocket) { self.socket = socket }

  mutating func ask(_ request: VaultRequest, value: inout [UInt8]?) throws(VaultError) -> VaultAnswer {
    if socket.hasEnded {
      socket = try SandboxBroker.connect()
      var none: [UInt8]?
      // The app has locked it, and the new one does not know that.
      if isLocked { _ = try socket.ask(VaultRequest(.lock), value: &none) }
    }
    let answer = try socket.ask(request, value: &value)
    if request.kind == .lock || request.kind == .unlock { isLocked = request.kind == .lock }
    return answer
  }
}

/// An error, as C reads it.
final class CallError: HandleContents {
  let message: OwnedText
  let suggestion: OwnedText?

  init(_ error: VaultError) {
    message = OwnedText(error.message)
    suggestion = error.recoverySuggestion.map { OwnedText($0) }
  }
}

/// The rows of a list.
final class RowList: HandleContents {
  struct Row: Sendable {
    var texts: [Int32: OwnedText] = [:]
    var numbers: [Int32: Int64] = [:]
    var value: @Sendable () throws(VaultError) -> [UInt8]? = { () throws(VaultError) in
      throw .argument("the row of a group has no value")
    }
  }

  let rows: [Row]
  let damagedCount: Int

  init(_ rows: [Row], damagedCount: Int = 0) {
    self.rows = rows
    self.damagedCount = damagedCount
  }

  /// Returns the row with this number; nil if there is none.
  func row(_ number: Int) -> Row? { rows.indices.contains(number) ? rows[number] : nil }
}

extension RowList.Row {
  /// Creates the row of a group.
  init(group: VaultRow) {
    texts = [3: OwnedText(group.group)]
    numbers = [5: group.isWritable == true ? 1 : 0]
  }

  /// Creates the row of an item, or of a version of `item`.
  init(_ row: VaultRow, of item: VaultRequest? = nil, in open: OpenVault) {
    let all: [(Int32, String?)] = [
      (0, row.service), (1, row.account), (2, row.label), (3, row.group), (4, row.application), (5, row.device),
    ]
    for (number, text) in all { texts[number] = text.map { OwnedText($0) } }
    numbers[0] = row.created
    numbers[1] = row.modified
    numbers[2] = row.hasConflict.map { $0 ? 1 : 0 }
    numbers[3] = row.isCurrent == true ? 1 : 0
    numbers[4] = row.isDeletion == true ? 1 : 0
    value = { () throws(VaultError) in
      var value: [UInt8]?
      let kind: VaultRequest.Kind = item == nil ? .read : .version
      _ = try open.ask(
        VaultRequest(
          kind, service: item?.service ?? row.service, account: item?.account ?? row.account, group: row.group,
          text: row.version), value: &value)
      return value
    }
  }
}

/// A text at an address that lasts as long as this object. It is wiped at the end: names of items are private, too.
@safe final class OwnedText: Sendable {
  let count: Int
  private let address: UInt

  init(_ text: String) {
    let bytes = Array(text.utf8)
    count = bytes.count
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + 1, alignment: 1)
    unsafe memory.copyBytes(from: bytes + [0])
    address = UInt(bitPattern: memory.baseAddress)
  }

  deinit {
    let memory = unsafe UnsafeMutableRawBufferPointer(start: .init(bitPattern: address), count: count)
    unsafe memory.wipe()
    unsafe memory.deallocate()
  }

  /// The address for C.
  var start: Text? { unsafe Text(bitPattern: address) }
}
