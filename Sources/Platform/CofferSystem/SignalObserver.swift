internal import CofferPlatform
internal import Dispatch

/// Calls a function when another program or the terminal sends a signal, which then has no other effect.
package final class SignalObserver {
  private var sources: [any DispatchSourceSignal] = []

  /// Observes signals until ``stop()``. Returns when it observes them all; a signal that comes before has its default action,
  /// so that none is lost. `body` is called on another thread for each signal.
  package init(_ numbers: [Int32], _ body: @escaping @Sendable () -> Void) {
    let registration = DispatchGroup()
    for number in numbers {
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
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
