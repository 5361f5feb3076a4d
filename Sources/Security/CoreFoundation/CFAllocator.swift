public import Foundation

/// Where Core Foundation takes memory from. Swift's own allocator serves here, whichever is named.
public final class CFAllocator: NSObject {
  override fileprivate init() {}
}

// Immutable objects without state, made once; nothing can change in them.

/// The usual allocator.
@safe nonisolated(unsafe) public let kCFAllocatorDefault: CFAllocator! = CFAllocator()
/// The system's allocator.
@safe nonisolated(unsafe) public let kCFAllocatorSystemDefault: CFAllocator! = CFAllocator()
/// The allocator over `malloc`.
@safe nonisolated(unsafe) public let kCFAllocatorMalloc: CFAllocator! = CFAllocator()
