public import Foundation

/// An allocator of Core Foundation. Swift allocates all objects, so only the functions that take over memory of the
/// caller use one: ``CFDataCreateWithBytesNoCopy(_:_:_:_:)``.
public final class CFAllocator: NSObject {
  override fileprivate init() {}
}

// Safe to read on any thread: the objects have no state.

/// The default allocator.
@safe nonisolated(unsafe) public let kCFAllocatorDefault: CFAllocator! = CFAllocator()
/// The default allocator of the system.
@safe nonisolated(unsafe) public let kCFAllocatorSystemDefault: CFAllocator! = CFAllocator()
/// The allocator that uses `malloc`.
@safe nonisolated(unsafe) public let kCFAllocatorMalloc: CFAllocator! = CFAllocator()
/// The allocator that neither allocates nor frees memory.
@safe nonisolated(unsafe) public let kCFAllocatorNull: CFAllocator! = CFAllocator()
