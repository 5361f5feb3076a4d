internal import CSodium

/// Up to 64 secret bytes in guarded memory, wiped when the last reference goes.
///
/// A class, where a noncopyable struct would say "one owner" more strictly, because keys live in dictionaries by
/// group and generation; copying the reference copies no secret. It has no description and no coding. The bytes are
/// written once, inside `init`, so any thread may read them.
package final class SecretBytes: Sendable {
  /// How many bytes it holds, 0…64.
  package let count: Int
  private let slot: UInt

  /// Fills `count` bytes through `fill`; the buffer is zeroed before.
  package init<Failure: Error>(
    count: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(count <= GuardedArena.slotByteCount, "a secret is at most 64 bytes")
    self.count = count
    let taken = GuardedArena.shared.take()
    let buffer = unsafe UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(bitPattern: taken), count: count)
    do {
      try unsafe fill(buffer)
    } catch {
      GuardedArena.shared.giveBack(taken)
      throw error
    }
    // Last, not first: with every property set, `deinit` runs for an initialiser that throws, and the slot would be
    // given back twice and shared by two secrets.
    slot = taken
  }

  /// Fresh random bytes.
  package static func random(count: Int) -> SecretBytes {
    unsafe SecretBytes(count: count) { buffer in
      if let start = buffer.baseAddress { unsafe randombytes_buf(start, buffer.count) }
    }
  }

  /// Copies `bytes` (at most 64) into guarded memory and wipes the array if nobody else shares it.
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

  /// One secret after the other; at most 64 bytes together.
  package convenience init(joining first: SecretBytes, _ second: SecretBytes) {
    unsafe self.init(count: first.count + second.count) { buffer in
      unsafe first.withBytes { unsafe buffer.copyBytes(from: $0) }
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[first.count...])
      unsafe second.withBytes { unsafe rest.copyBytes(from: $0) }
    }
  }

  deinit { GuardedArena.shared.giveBack(slot) }

  /// Part of it as a secret of its own.
  package func slice(_ range: Range<Int>) -> SecretBytes {
    unsafe SecretBytes(count: range.count) { buffer in
      unsafe withBytes { unsafe buffer.copyBytes(from: $0[range]) }
    }
  }

  /// Lends the bytes for the time of `body`; the pointer must not leave it.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: slot), count: count))
  }

  /// Compares in constant time.
  package func isEqual(to other: SecretBytes) -> Bool {
    guard count == other.count else { return false }
    return unsafe withBytes { own in
      unsafe other.withBytes { theirs in
        guard let own = own.baseAddress, let theirs = theirs.baseAddress else { return true }
        return unsafe sodium_memcmp(own, theirs, count) == 0
      }
    }
  }

  /// False when the system refused to keep keys out of swap.
  package static var isMemoryLocked: Bool { GuardedArena.shared.isLocked }
}

extension [UInt8] {
  /// Overwrites the bytes with zeros where this array is the only owner of its storage.
  package mutating func wipe() {
    unsafe withUnsafeMutableBytes { unsafe $0.wipe() }
    removeAll(keepingCapacity: false)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Overwrites the bytes with zeros, in a way that no compiler leaves out.
  package func wipe() {
    if let start = baseAddress { unsafe sodium_memzero(start, count) }
  }
}
