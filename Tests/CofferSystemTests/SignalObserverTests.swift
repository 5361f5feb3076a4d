import CofferSystem
import Dispatch
import Foundation
import Testing

@Suite struct SignalObserverTests {
  // Without an observer, these have no effect.
  @Test(arguments: [SIGWINCH, SIGURG])
  func `A signal that is sent as soon as the observer exists is observed`(number: Int32) {
    let observed = DispatchSemaphore(value: 0)
    let observer = SignalObserver([number]) { observed.signal() }
    defer { observer.stop() }
    kill(getpid(), number)
    #expect(observed.wait(timeout: .now() + 60) == .success)
  }
}
