internal import CPlatform
internal import CofferPlatform
internal import Dispatch

/// Calls a function when a network interface or one of its addresses changes: when the network may be back. Nothing is
/// polled. Only Linux tells a program so simply.
///
/// Unchecked Sendable: its property never changes, and a dispatch source can be used from any thread.
package final class NetworkWatch: @unchecked Sendable {
  private let source: any DispatchSourceRead

  private init(_ source: any DispatchSourceRead) { self.source = source }

  /// Starts to watch. `notify` is called on some thread; one call may be for several changes. Returns nil if the system
  /// has no watch, or does not permit it.
  package static func start(notify: @escaping @Sendable () -> Void) -> NetworkWatch? {
    let descriptor = coffer_open_network_watch()
    guard descriptor >= 0 else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
    source.setEventHandler {
      // What has changed is of no interest, and the kernel says if it has dropped some of it.
      var chunk = [UInt8](repeating: 0, count: 4096)
      while unsafe read(descriptor, &chunk, chunk.count) > 0 {}
      notify()
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
    return NetworkWatch(source)
  }

  deinit { source.cancel() }
}
