internal import Dispatch
internal import Foundation

/// Calls a function when another program or the terminal sends a signal, which then has no other effect.
final class SignalObserver {
  private var sources: [any DispatchSourceSignal] = []

  /// Observes signals until ``stop()``. Returns when none is lost any more.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of the signals.
  ///   - body: Called on another thread for each signal.
  init(_ numbers: [Int32], _ body: @escaping @Sendable () -> Void) {
    for number in numbers {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: body)
      // The source is registered on another thread. Until then, a signal would be ignored.
      let registered = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { registered.signal() }
      source.resume()
      registered.wait()
      sources.append(source)
    }
  }

  /// Ends the observation.
  func stop() { for source in sources { source.cancel() } }
}
