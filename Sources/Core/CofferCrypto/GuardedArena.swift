internal import CSodium
internal import Synchronization

/// Slots of guarded memory for keys.
///
/// A libsodium allocation has its own guard pages and canary, but takes 26 µs and at least three pages. Keys therefore
/// share larger allocations ("chunks"), divided into slots. `sodium_malloc` also locks the memory, to keep it out of
/// swap, as far as RLIMIT_MEMLOCK allows.
final class GuardedArena: Sendable {
  static let shared = GuardedArena()

  /// The size of a slot: that of the longest secret in Coffer (an Ed25519 secret key, or two symmetric keys).
  static let slotByteCount = 64
  private static let chunkSlots = 256

  /// The addresses of the free slots. Addresses instead of pointers: a slot belongs to its holder, and the list never
  /// accesses the memory.
  private let free = Mutex<[UInt]>([])

  /// Returns a zeroed slot. Stops the program if no memory is left: the alternative is to keep keys in ordinary
  /// memory.
  func acquire() -> UInt {
    Sodium.require()
    return free.withLock { free in
      if let slot = free.popLast() { return slot }
      let byteCount = Self.slotByteCount * Self.chunkSlots
      guard let chunk = unsafe sodium_malloc(byteCount) else {
        fatalError("no guarded memory left for keys")
      }
      unsafe sodium_memzero(chunk, byteCount)
      let start = UInt(bitPattern: chunk)
      free = (1..<Self.chunkSlots).reversed().map { start + UInt($0 * Self.slotByteCount) }
      return start
    }
  }

  /// Wipes a slot and makes it available again.
  func release(_ slot: UInt) {
    guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: slot) else { return }
    unsafe sodium_memzero(pointer, Self.slotByteCount)
    free.withLock { $0.append(slot) }
  }
}
