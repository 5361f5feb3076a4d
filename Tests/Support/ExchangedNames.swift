import CofferSystem
import Foundation
import Synchronization

/// Runs `body` while a thread exchanges the names of two files all the time, as another program could. Throws what
/// `body` throws, and an error if the first exchange fails, which is made before `body` runs.
///
/// The thread is not one of Dispatch's pool, which can be as small as the number of processors: several tests that run
/// at once would take all of its threads, and each would wait for one more.
package func whileExchanging<Result>(
  _ first: String, _ second: String, _ body: () throws -> Result
) throws -> Result {
  try exchangeNames(first, second)
  let isOver = Atomic(false)
  let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  Thread {
    hasBegun.signal()
    while !isOver.load(ordering: .relaxed) { try? exchangeNames(first, second) }
    hasEnded.signal()
  }.start()
  hasBegun.wait()
  defer {
    isOver.store(true, ordering: .relaxed)
    hasEnded.wait()
  }
  return try body()
}
