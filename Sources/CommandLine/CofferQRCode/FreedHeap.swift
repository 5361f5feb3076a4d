internal import CofferCrypto
internal import CofferPlatform

/// Memory that a C library has freed without wiping it.
///
/// C libraries that know nothing of secrets give their copies back as they are, and offer no other allocator. What the
/// library's thread has freed last is what the allocator gives to the next callers of the same thread. So blocks of all
/// sizes are taken, wiped and given back. An allocator can keep something back: this is no guarantee, but a test finds
/// nothing in the memory of a process with glibc.
enum FreedHeap {
  /// The sizes of glibc's small blocks, which it keeps in one list for each size; then larger blocks, which reach the
  /// rest of the heap and which glibc merges when they are freed.
  private static let sizes = Array(stride(from: 24, through: 1032, by: 16)) + [2, 4, 8, 16, 32, 64].map { $0 << 10 }
  /// glibc keeps 7 blocks of a size for a thread, and others for all threads.
  private static let blocksOfEachSize = 16

  /// Overwrites what the calling thread has freed, as far as the allocator gives it out again: up to 2.5 MB.
  static func overwrite() {
    var blocks: [UInt] = []
    blocks.reserveCapacity(sizes.count * blocksOfEachSize)
    for size in sizes {
      for _ in 0..<blocksOfEachSize {
        guard let block = unsafe malloc(size) else { break }
        unsafe UnsafeMutableRawBufferPointer(start: block, count: size).wipe()
        blocks.append(UInt(bitPattern: block))
      }
    }
    for block in blocks { unsafe free(UnsafeMutableRawPointer(bitPattern: block)) }
  }
}
