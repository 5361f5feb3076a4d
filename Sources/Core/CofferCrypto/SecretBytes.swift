internal import CRegisters
internal import CSodium
internal import Synchronization

/// Up to 64 secret bytes in guarded memory, wiped when the last reference is released. What copies them leaves no copy
/// in registers, which the next call could store on the stack.
///
/// A noncopyable struct would enforce a single owner, but keys are kept in dictionaries by group and generation, so
/// this is a class. Copying the reference does not copy the secret. The type has no description and no coding. The
/// bytes are written once, inside `init`, so any thread may read them.
package final class SecretBytes: Sendable {
  /// The number of bytes, 0…64.
  package let count: Int
  private let slot: UInt

  /// Creates a secret of `count` bytes that `fill` writes into a zeroed buffer. Rethrows the error of `fill`.
  package init<Failure: Error>(
    count: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(count <= GuardedArena.slotByteCount, "a secret is at most 64 bytes")
    self.count = count
    let acquired = GuardedArena.shared.acquire()
    let buffer = unsafe UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(bitPattern: acquired), count: count)
    do {
      defer { coffer_clear_vector_registers() }
      try unsafe fill(buffer)
    } catch {
      GuardedArena.shared.release(acquired)
      throw error
    }
    // The last statement on purpose: once every property is set, `deinit` also runs for an initialiser that throws. The
    // slot would then be released twice and shared by two secrets.
    slot = acquired
  }

  /// Generates a random secret of `count` bytes.
  package static func random(count: Int) -> SecretBytes {
    unsafe SecretBytes(count: count) { buffer in
      if let start = buffer.baseAddress { unsafe randombytes_buf(start, buffer.count) }
    }
  }

  /// Copies `bytes` (at most 64) into guarded memory, and wipes the array if it is the only owner of its storage.
  package convenience init(moving bytes: inout [UInt8]) {
    self.init(copying: bytes[...])
    bytes.wipe()
  }

  /// Copies a slice (at most 64 bytes) into guarded memory.
  package convenience init(copying bytes: ArraySlice<UInt8>) {
    unsafe self.init(count: bytes.count) { buffer in
      unsafe buffer.copyBytes(from: bytes)
    }
  }

  /// Concatenates two secrets of at most 64 bytes together.
  package convenience init(joining first: SecretBytes, _ second: SecretBytes) {
    unsafe self.init(count: first.count + second.count) { buffer in
      unsafe first.withBytes { unsafe buffer.copyBytes(from: $0) }
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[first.count...])
      unsafe second.withBytes { unsafe rest.copyBytes(from: $0) }
    }
  }

  deinit { GuardedArena.shared.release(slot) }

  /// Returns a range of the bytes as a separate secret.
  package func slice(_ range: Range<Int>) -> SecretBytes {
    unsafe SecretBytes(count: range.count) { buffer in
      unsafe withBytes { unsafe buffer.copyBytes(from: $0[range]) }
    }
  }

  /// Calls `body` with the bytes. The pointer is valid only until `body` returns.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { coffer_clear_vector_registers() }
    return try unsafe body(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: slot), count: count))
  }
}

extension [UInt8] {
  /// Overwrites the bytes with zeros if this array is the only owner of its storage, then empties the array.
  package mutating func wipe() {
    unsafe withUnsafeMutableBytes { unsafe $0.wipe() }
    coffer_clear_vector_registers()
    removeAll(keepingCapacity: false)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Overwrites the bytes with zeros in a way that the compiler cannot optimise away.
  package func wipe() { if let start = baseAddress { unsafe sodium_memzero(start, count) } }
}

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

/// The pointer types that libsodium's functions take. Internal: outside this target, a pointer is only lent to a
/// closure.
extension UnsafeRawBufferPointer {
  /// The start of the buffer as bytes. A secret's slot has an address even if the secret has zero bytes.
  var octets: UnsafePointer<UInt8> {
    guard let start = unsafe bindMemory(to: UInt8.self).baseAddress else {
      preconditionFailure("a secret's buffer has no address")
    }
    return unsafe start
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The start of the buffer as bytes. A secret's slot has an address even if the secret has zero bytes.
  var octets: UnsafeMutablePointer<UInt8> {
    guard let start = unsafe bindMemory(to: UInt8.self).baseAddress else {
      preconditionFailure("a secret's buffer has no address")
    }
    return unsafe start
  }
}

/// libsodium, initialised once per process before the first call into it.
enum Sodium {
  private static let isReady = sodium_init() >= 0

  /// Stops the program if libsodium cannot be initialised: without a source of randomness, every new key would be
  /// predictable.
  static func require() {
    precondition(isReady, "libsodium could not be initialised: the system provides no random numbers")
  }
}
