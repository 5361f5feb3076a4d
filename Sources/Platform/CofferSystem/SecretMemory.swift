internal import CPlatform
internal import CofferPlatform

/// Memory of this process that the kernel itself does not map: neither a core dump nor a debugger of root reads it
/// (memfd_secret, Linux 5.14). While it exists, the system cannot hibernate, which would write it to the disk.
package final class SecretMemory: Sendable {
  /// The number of bytes.
  package let count: Int
  private let address: UInt

  /// Maps zeroed memory. Nil if the system has none, or not enough.
  package init?(count: Int) {
    guard let memory = unsafe coffer_map_secret_memory(count) else { return nil }
    self.count = count
    address = UInt(bitPattern: memory)
  }

  // The kernel zeroes the pages before anybody gets them again.
  deinit { unsafe munmap(UnsafeMutableRawPointer(bitPattern: address), count) }

  /// Calls `body` with the bytes. Only its creator writes them, before others have it.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: address), count: count))
  }
}
