internal import CPlatform
internal import CofferPlatform
package import Dispatch

extension DispatchQueue {
  /// Returns a queue with a thread of its own. Use it in place of Dispatch's global queues: after their first use on
  /// Linux, Dispatch wakes the process every second to see whether a thread of theirs is blocked.
  package static func serial(_ label: String) -> DispatchQueue {
    DispatchQueue(label: "Coffer \(label)", qos: .userInitiated)
  }
}

/// Calls a function when another program or the terminal sends a signal, which then has no other effect.
package final class SignalObserver {
  private var sources: [any DispatchSourceSignal] = []

  /// Observes signals until ``stop()``. Returns when it observes them all; a signal that comes before has its default
  /// action, so that none is lost. `body` is called on another thread for each signal.
  package init(_ numbers: [Int32], _ body: @escaping @Sendable () -> Void) {
    let registration = DispatchGroup()
    let queue = DispatchQueue.serial("signals")
    for number in numbers {
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: body)
      // The source is registered on another thread.
      registration.enter()
      source.setRegistrationHandler {
        // On Linux, Dispatch installs a handler. Elsewhere the default action would follow.
        #if !os(Linux)
          signal(number, SIG_IGN)
        #endif
        registration.leave()
      }
      source.resume()
      sources.append(source)
    }
    registration.wait()
  }

  /// Ends the observation.
  package func stop() { for source in sources { source.cancel() } }
}

/// Calls a function when the system reports a change. Nothing is polled. Only Linux tells a program so simply.
///
/// Unchecked Sendable: its property never changes, and a dispatch source can be used from any thread.
package final class SystemWatch: @unchecked Sendable {
  private let source: any DispatchSourceRead

  private init(_ source: any DispatchSourceRead) { self.source = source }

  /// Watches the network: an interface or one of its addresses changes, so the network may be back. `notify` is called
  /// on some thread; one call may be for several changes. Returns nil if the system has no watch, or does not permit
  /// it.
  package static func network(notify: @escaping @Sendable () -> Void) -> SystemWatch? {
    start(coffer_open_network_watch(), notify)
  }

  /// Watches the clock, as ``network(notify:)``: it was set, or the machine was suspended.
  package static func clock(notify: @escaping @Sendable () -> Void) -> SystemWatch? {
    start(coffer_open_clock_watch(), again: { coffer_arm_clock_watch($0) }, notify)
  }

  private static func start(
    _ descriptor: Int32, again: @escaping @Sendable (Int32) -> Int32 = { _ in 0 },
    _ notify: @escaping @Sendable () -> Void
  ) -> SystemWatch? {
    guard descriptor >= 0 else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .serial("system"))
    source.setEventHandler {
      // What has changed is of no interest, and the kernel says if it has dropped some of it.
      var chunk = [UInt8](repeating: 0, count: 4096)
      while unsafe read(descriptor, &chunk, chunk.count) > 0 {}
      _ = again(descriptor)
      notify()
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
    return SystemWatch(source)
  }

  deinit { source.cancel() }
}

/// Observes the signals of systemd's logind: the machine is about to sleep, or a screen is locked.
package enum SleepWatch {
  package enum Event: Hashable, Sendable {
    case sleep
    case screenLock
  }

  /// Begins to observe, on a thread of its own, which calls `body` for each event. Returns false without a system bus,
  /// or without libsystemd. If the connection ends, nothing is observed any more, and `body` gets nil.
  package static func begin(_ body: @escaping @Sendable (Event?) -> Void) -> Bool {
    guard let watch = unsafe coffer_open_sleep_watch() else { return false }
    let address = UInt(bitPattern: watch)
    return BlockingThread.start {
      guard let watch = unsafe OpaquePointer(bitPattern: address) else { return }
      while true {
        let events = unsafe coffer_await_sleep(watch)
        guard events > 0 else { return body(nil) }
        if events & Int32(COFFER_SLEEPS) != 0 { body(.sleep) }
        if events & Int32(COFFER_SCREEN_LOCKS) != 0 { body(.screenLock) }
      }
    }
  }
}

/// Threads that may wait for a long time, unlike those of Dispatch, whose number is limited.
package enum BlockingThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a thread of its own. Returns false if the system has no more threads; `body` does not run then.
  @discardableResult
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    unsafe pthread_attr_setstacksize(&attributes, 1 << 20)
    let work = unsafe Unmanaged.passRetained(Work(body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let number = unsafe pthread_create(&thread, &attributes, run, work.toOpaque())
    if number != 0 { unsafe work.release() }
    return number == 0
  }

  #if canImport(Darwin)
    private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { pointer in
      unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
      return nil
    }
  #else
    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
      if let pointer = unsafe pointer { unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
      return nil
    }
  #endif
}
