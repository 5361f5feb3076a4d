internal import Synchronization

/// A counter of changes to the membership log.
final class LogChanges: Sendable {
  private let count = Atomic<UInt64>(0)
  var value: UInt64 { count.load(ordering: .relaxed) }
  func increment() { count.wrappingAdd(1, ordering: .relaxed) }
}
