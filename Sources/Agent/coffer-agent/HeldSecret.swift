internal import CofferCrypto
internal import CofferSystem

/// The 64 secret bytes of an author's keys, in memory that no core dump has: that of memfd_secret if the system has it,
/// otherwise guarded memory.
enum HeldSecret: Sendable {
  case kernel(SecretMemory)
  case guarded(SecretBytes)

  private static let byteCount = 64

  init(_ secret: SecretBytes) {
    guard let memory = SecretMemory(count: Self.byteCount) else {
      self = .guarded(secret)
      return
    }
    unsafe secret.withBytes { source in
      unsafe memory.withBytes { unsafe $0.copyMemory(from: source) }
    }
    self = .kernel(memory)
  }

  /// Returns the bytes in guarded memory, for the time of a session.
  var bytes: SecretBytes {
    switch self {
    case .guarded(let secret): secret
    case .kernel(let memory):
      unsafe SecretBytes(count: Self.byteCount) { buffer in
        unsafe memory.withBytes { unsafe buffer.copyMemory(from: UnsafeRawBufferPointer($0)) }
      }
    }
  }
}
