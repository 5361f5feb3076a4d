internal import CSodium
internal import Synchronization

/// Slots of guarded memory for keys.
///
/// One libsodium allocation has guard pages and a canary of its own but costs 26 µs and at least three pages, so
/// keys share chunks of slots. `sodium_malloc` does not say when the system refuses to lock its pages; the lock is
/// asked for again here, where the answer can be seen.
final class GuardedArena: Sendable {
  static let shared = GuardedArena()

  /// A slot's size: the longest secret that Coffer holds (an Ed25519 secret key, or two symmetric keys).
  static let slotByteCount = 64
  private static let chunkSlots = 256

  private struct State {
    /// Addresses rather than pointers: a slot belongs to whoever took it, and the list itself touches no memory.
    var free: [UInt] = []
    var isLocked = true
  }
  private let state = Mutex(State())

  /// False once the system refused to keep a chunk out of swap (RLIMIT_MEMLOCK).
  var isLocked: Bool { state.withLock { $0.isLocked } }

  /// Takes a zeroed slot. Stops the program when no memory is left: continuing without a place for keys would put
  /// them into ordinary memory.
  func take() -> UInt {
    Sodium.require()
    return state.withLock { state in
      if let slot = state.free.popLast() { return slot }
      let byteCount = Self.slotByteCount * Self.chunkSlots
      guard let chunk = unsafe sodium_malloc(byteCount) else {
        fatalError("no memory left for keys")
      }
      unsafe sodium_memzero(chunk, byteCount)
      if unsafe sodium_mlock(chunk, byteCount) != 0 { state.isLocked = false }
      let start = UInt(bitPattern: chunk)
      state.free = (1..<Self.chunkSlots).reversed().map { start + UInt($0 * Self.slotByteCount) }
      return start
    }
  }

  /// Wipes a slot and makes it available again.
  func giveBack(_ slot: UInt) {
    guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: slot) else { return }
    unsafe sodium_memzero(pointer, Self.slotByteCount)
    state.withLock { $0.free.append(slot) }
  }
}
