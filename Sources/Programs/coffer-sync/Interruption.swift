internal import CofferGit
internal import Dispatch
internal import Foundation

/// Turns SIGINT (Ctrl-C), SIGTERM and SIGHUP into a cancellation. The transfer then ends at once, together with its ssh
/// or git: these lead their own process group, which does not receive the signal.
final class Interruption {
  let cancellation = Cancellation()
  private var sources: [any DispatchSourceSignal] = []

  private init() {}

  /// Starts to observe the signals, for as long as the object exists.
  static func observe() -> Interruption {
    let interruption = Interruption()
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [cancellation = interruption.cancellation] in cancellation.cancel() }
      source.resume()
      interruption.sources.append(source)
    }
    return interruption
  }
}
