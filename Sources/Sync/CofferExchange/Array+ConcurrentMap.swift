internal import Dispatch
internal import Synchronization

extension Array where Element: Sendable {
  /// The results of a function for all elements, in their order. All processors compute them, unless there are few. It
  /// blocks until all are computed. One call should take about as long as verifying a signature.
  func concurrentMap<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
    let partLength = 64
    let partCount = (count + partLength - 1) / partLength
    guard partCount > 1 else { return map(transform) }
    let parts = Mutex([Int: [Result]]())
    DispatchQueue.concurrentPerform(iterations: partCount) { number in
      let start = number * partLength
      let part = self[start..<Swift.min(start + partLength, count)].map(transform)
      parts.withLock { $0[number] = part }
    }
    return parts.withLock { parts in (0..<partCount).flatMap { parts[$0] ?? [] } }
  }
}
