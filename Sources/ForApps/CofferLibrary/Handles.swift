internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSandbox
internal import CofferSystem
internal import CofferVault
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

/// A vault, with the watches that end when it is closed.
final class OpenVault: HandleContents {
  let vault: Vault
  /// The tasks of the watches.
  private let watches = Mutex<[Task<Void, Never>]>([])

  init(_ vault: Vault) { self.vault = vault }

  func close() {
    for watch in watches.withLock({ $0 }) { watch.cancel() }
    vault.lock()
  }

  /// Starts a watch, and returns the descriptor that becomes readable.
  func watch(_ group: String?) throws(VaultError) -> Int32 {
    // Errors are reported here, and not by a descriptor that ends at once.
    _ = try vault.changedGroups(after: .max, in: group)
    let pair: DescriptorPair
    do throws(SystemError) { pair = try Descriptor.socketPair() } catch { throw Self.noDescriptor }
    let socket = RequestSocket(Descriptor(owning: try Self.copy(of: pair.ours)))
    // From here on, so that no change is missed before the task runs.
    let started = vault.changes(in: group).makeAsyncIterator()
    let task = Task.detached {
      var changes = started
      while let _ = try? await changes.next() {
        guard socket.sendChange() else { return }
      }
    }
    watches.withLock { $0.append(task) }
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
  init(_ group: Vault.AccessGroup) {
    texts = [3: OwnedText(group.name)]
    numbers = [5: group.isWritable ? 1 : 0]
  }

  /// Creates the row of an item.
  init(_ stored: StoredItem<GenericPassword>, in vault: Vault) {
    self.init(stored.item, stored.accessGroup, stored.writer)
    numbers[0] = stored.created.microseconds
    numbers[1] = stored.modified.microseconds
    numbers[2] = stored.hasConflict ? 1 : 0
    numbers[3] = 1
    numbers[4] = 0
    value = { () throws(VaultError) in try vault.bytes(for: stored.item, in: stored.accessGroup) }
  }

  /// Creates the row of a version.
  init(_ version: ItemVersion<GenericPassword>, in vault: Vault) {
    self.init(version.item, version.accessGroup, version.writer)
    numbers[1] = version.written.microseconds
    numbers[3] = version.isCurrent ? 1 : 0
    numbers[4] = version.isDeletion ? 1 : 0
    value = { () throws(VaultError) in try vault.bytes(of: version) }
  }

  private init(_ item: GenericPassword?, _ group: String, _ writer: ItemWriter) {
    let all: [(Int32, String?)] = [
      (0, item?.service), (1, item?.account), (2, item?.label), (3, group), (4, writer.application), (5, writer.device),
    ]
    for (number, text) in all { texts[number] = text.map { OwnedText($0) } }
  }
}

extension Date {
  /// Clamped to 64 bits: the author of a record can state any time.
  fileprivate var microseconds: Int64 { Timestamp(self).microseconds }
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
