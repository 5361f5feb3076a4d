internal import CPlatform
internal import CofferPlatform

/// Observes the signals of systemd's logind: the machine is about to sleep, or a screen is locked.
package enum SleepWatch {
  package enum Event: Hashable, Sendable {
    case sleep
    case screenLock
  }

  /// Begins to observe, on a thread of its own, which calls `body` for each event. Returns false without a system bus, or
  /// without libsystemd. If the connection ends, nothing is observed any more, and `body` gets nil.
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
