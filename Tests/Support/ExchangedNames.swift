import CofferSystem
import Foundation
import Synchronization

/// What two threads of `whileExchanging` share.
private final class Exchange: Sendable {
  let isOver = Atomic(false)
  let hasBegun = DispatchSemaphore(value: 0)
  let hasEnded = DispatchSemaphore(value: 0)
}

/// Runs `body` while another program would exchange two names for one another all the time. The first exchange is made
/// before, and must succeed.
///
/// It has a thread of its own: Dispatch has as many as the machine has processors, and if all of them wait for
/// others, no other one ever runs.
package func whileExchanging<Result>(
  _ first: String, _ second: String, _ body: () throws -> Result
) throws -> Result {
  try exchangeNames(first, second)
  let exchange = Exchange()
  Thread {
    exchange.hasBegun.signal()
    while !exchange.isOver.load(ordering: .relaxed) { try? exchangeNames(first, second) }
    exchange.hasEnded.signal()
  }.start()
  exchange.hasBegun.wait()
  defer {
    exchange.isOver.store(true, ordering: .relaxed)
    exchange.hasEnded.wait()
  }
  return try body()
}
