internal import CofferGit
internal import CofferPlatform
internal import CofferSystem
internal import Dispatch

/// Turns SIGINT (Ctrl-C), SIGTERM and SIGHUP into a cancellation. The transfer then ends at once, together with its ssh
/// or git: these lead their own process group, which does not receive the signal. Work on this machine that does not end
/// soon is given up with the process: a transaction that is not complete has changed nothing.
final class Interruption {
  let cancellation: Cancellation
  private let observer: SignalObserver

  /// How long the work may take to end after a signal.
  private static let stopTimeout = DispatchTimeInterval.seconds(3)
  /// The exit code of a program that SIGINT has ended.
  private static let exitCode: Int32 = 130

  private init(_ cancellation: Cancellation) {
    self.cancellation = cancellation
    observer = Self.observe({ cancellation.cancel() }, orAtTimeout: { _exit(Self.exitCode) })
  }

  /// Starts to observe the signals, for as long as the object exists.
  static func observe() -> Interruption { Interruption(Cancellation()) }

  /// Starts to observe the signals. `end` ends the work at a signal. `giveUp` ends the process if the work has not
  /// ended some seconds later: it may wait for another program that holds the vault's lock, or import much.
  static func observe(
    _ end: @escaping @Sendable () -> Void, orAtTimeout giveUp: @escaping @Sendable () -> Void
  ) -> SignalObserver {
    SignalObserver([SIGINT, SIGTERM, SIGHUP]) {
      end()
      DispatchQueue.global().asyncAfter(deadline: .now() + stopTimeout, execute: giveUp)
    }
  }
}
