/// Microseconds since 1970-01-01 00:00 UTC, by the writer's clock. Nothing but tie-breaks may depend on it.
package struct Timestamp: Hashable, Comparable, Sendable {
  package let microseconds: Int64
  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// The time one microsecond after this one, or this one if it is the last.
  package var next: Timestamp { Timestamp(microseconds: microseconds == .max ? .max : microseconds + 1) }

  /// The time one microsecond before this one, or this one if it is the first.
  package var previous: Timestamp { Timestamp(microseconds: microseconds == .min ? .min : microseconds - 1) }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
