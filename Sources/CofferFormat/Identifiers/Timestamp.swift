/// Microseconds since 1970-01-01 00:00 UTC, by the writer's clock. Nothing but tie-breaks may depend on it.
package struct Timestamp: Hashable, Comparable, Sendable {
  package let microseconds: Int64
  package init(microseconds: Int64) { self.microseconds = microseconds }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
