internal import CofferSystem
internal import Dispatch
internal import Synchronization

/// Reads what a child prints on standard error, while another thread reads its standard output.
final class SyncMessages: Sendable {
  private let descriptor: Descriptor
  private let text = Mutex("")
  private let reading = DispatchGroup()

  /// Takes over the end of a pipe. Nothing is read yet.
  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Begins to read. Of very much, only the beginning is kept.
  func read() {
    DispatchQueue.global(qos: .userInitiated).async(group: reading) { [self] in
      let bytes = descriptor.readToEnd(maximumByteCount: 1 << 16)
      text.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
    }
  }

  /// Waits for the end of the child's standard error and returns its text.
  func all() -> String {
    reading.wait()
    return text.withLock { $0 }
  }
}
