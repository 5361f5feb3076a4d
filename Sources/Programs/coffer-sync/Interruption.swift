internal import CofferGit
internal import Dispatch
internal import Foundation

/// Ctrl-C and SIGTERM as a cancellation: the transfer ends at once, and with it the ssh or git that carried it, which has a
/// process group of its own and would not hear of the signal.
final class Interruption {
  let cancellation = Cancellation()
  private var sources: [any DispatchSourceSignal] = []

  init() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [cancellation] in cancellation.cancel() }
      source.resume()
      sources.append(source)
    }
  }
}
