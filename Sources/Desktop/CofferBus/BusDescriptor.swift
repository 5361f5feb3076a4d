package import CofferSystem

/// A file descriptor that a message has brought. It is closed when the last reference is released.
package final class BusDescriptor: Equatable, Sendable {
  package let descriptor: Descriptor

  package init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  package static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }
}
