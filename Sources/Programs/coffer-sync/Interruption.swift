internal import CofferGit
internal import CofferSystem
internal import Foundation

/// Turns SIGINT (Ctrl-C), SIGTERM and SIGHUP into a cancellation. The transfer then ends at once, together with its ssh
/// or git: these lead their own process group, which does not receive the signal.
final class Interruption {
  let cancellation: Cancellation
  private let observer: SignalObserver

  private init(_ cancellation: Cancellation) {
    self.cancellation = cancellation
    observer = SignalObserver([SIGINT, SIGTERM, SIGHUP]) { cancellation.cancel() }
  }

  /// Starts to observe the signals, for as long as the object exists.
  static func observe() -> Interruption { Interruption(Cancellation()) }
}
