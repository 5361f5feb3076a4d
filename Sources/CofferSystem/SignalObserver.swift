internal import CofferPlatform
internal import Dispatch

/// Calls a function when another program or the terminal sends a signal, which then has no other effect.
package final class SignalObserver {
  private var sources: [any DispatchSourceSignal] = []

  /// Observes signals until ``stop()``. Returns when none is lost any more. `body` is called on another thread for each
  /// signal.
  package init(_ numbers: [Int32], _ body: @escaping @Sendable () -> Void) {
    let registration = DispatchGroup()
    for number in numbers {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: body)
      // The source is registered on another thread. Until then, a signal would be ignored.
      registration.enter()
      source.setRegistrationHandler { registration.leave() }
      source.resume()
      sources.append(source)
    }
    registration.wait()
  }

  /// Ends the observation.
  package func stop() { for source in sources { source.cancel() } }
}
