internal import CRegisters
internal import CSodium

/// A passphrase, or another secret of any length, in guarded memory that is wiped when the last reference is released.
///
/// Like ``SecretBytes``, which is for keys, it has no description and no coding, and is written once, inside `init`.
package final class SecretText: Sendable {
  /// The number of bytes.
  package let count: Int
  private let address: UInt

  /// Creates a secret of the bytes that `fill` appends to a buffer. The memory has `capacity` bytes and is never
  /// reallocated, which would leave copies.
  package init<Failure: Error>(
    capacity: Int, fill: (inout SecretBuffer) throws(Failure) -> Void
  ) throws(Failure) {
    var buffer = SecretBuffer(capacity: capacity)
    do throws(Failure) {
      try fill(&buffer)
    } catch {
      buffer.free()
      throw error
    }
    count = buffer.count
    // The last statement on purpose: once every property is set, `deinit` also runs for an initialiser that throws.
    address = buffer.address
  }

  /// Copies bytes. The caller wipes them if they are not in guarded memory.
  package convenience init(copying bytes: some Collection<UInt8>) {
    self.init(capacity: bytes.count) { buffer in
      for byte in bytes { buffer.append(byte) }
    }
  }

  /// Copies an array, and wipes it if it is the only owner of its storage.
  package convenience init(moving bytes: inout [UInt8]) {
    self.init(copying: bytes)
    bytes.wipe()
  }

  deinit { SecretBuffer.free(address) }

  /// True if there are no bytes.
  package var isEmpty: Bool { count == 0 }

  /// Calls `body` with the bytes. The pointer is valid only until `body` returns.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { coffer_clear_vector_registers() }
    return try unsafe body(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
  }
}

extension SecretText: Equatable {
  /// Returns whether both have the same bytes, in a time that depends only on their number.
  package static func == (left: SecretText, right: SecretText) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withBytes { left in
      unsafe right.withBytes { unsafe sodium_memcmp(left.octets, $0.octets, left.count) == 0 }
    }
  }
}

/// The memory of a ``SecretText`` while it is written.
package struct SecretBuffer: ~Copyable {
  /// The largest number of bytes.
  package let capacity: Int
  /// The number of bytes so far.
  package private(set) var count = 0
  fileprivate let address: UInt

  /// Stops the program if no memory is left: the alternative is to keep the secret in ordinary memory.
  fileprivate init(capacity: Int) {
    Sodium.require()
    guard let memory = unsafe sodium_malloc(max(capacity, 1)) else { fatalError("no guarded memory left for secrets") }
    unsafe sodium_memzero(memory, max(capacity, 1))
    self.capacity = capacity
    address = UInt(bitPattern: memory)
  }

  fileprivate func free() { Self.free(address) }

  /// Wipes and frees the memory.
  fileprivate static func free(_ address: UInt) {
    unsafe sodium_free(UnsafeMutableRawPointer(bitPattern: address))
  }

  private var memory: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: address), count: capacity)
  }

  /// Appends a byte. Returns false if the buffer is full.
  @discardableResult package mutating func append(_ byte: UInt8) -> Bool {
    guard count < capacity else { return false }
    unsafe memory[count] = byte
    count += 1
    return true
  }

  /// Appends the bytes of a secret, as far as they fit.
  package mutating func append(_ text: SecretText) {
    unsafe text.withBytes { bytes in
      for index in bytes.indices { append(unsafe bytes[index]) }
    }
  }

  /// Appends the bytes that `write` writes to the rest of the buffer, whose number it returns.
  package mutating func append<Failure: Error>(
    writing write: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...])
    let written = try unsafe write(rest)
    precondition((0...rest.count).contains(written), "more bytes than the buffer holds")
    count += written
  }

  /// The last byte; nil if there is none.
  package var last: UInt8? { count == 0 ? nil : unsafe memory[count - 1] }

  /// Removes and wipes the last byte, if there is one.
  package mutating func removeLast() {
    guard count > 0 else { return }
    count -= 1
    unsafe memory[count] = 0
  }

  /// Removes and wipes the last character of UTF-8, if there is one.
  package mutating func removeLastCharacter() {
    while let byte = last, byte & 0xC0 == 0x80 { removeLast() }
    removeLast()
  }

  /// Removes and wipes all bytes.
  package mutating func removeAll() {
    while count > 0 { removeLast() }
  }
}
