internal import Dispatch
internal import Foundation

/// Calls a function when somebody ends the program with Ctrl-C or a signal.
final class TerminationSignals {
  private var sources: [any DispatchSourceSignal] = []

  /// Observes the signals until ``stop()``.
  init(_ body: @escaping @Sendable () -> Void) {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: body)
      source.resume()
      sources.append(source)
    }
  }

  /// Ends the observation.
  func stop() { for source in sources { source.cancel() } }
}
