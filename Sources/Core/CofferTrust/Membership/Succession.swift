package import CofferFormat

/// A succession in the membership log: from this entry on, root is who the statement names.
package struct Succession: Hashable, Sendable {
  package let position: LogPosition
  package let time: Timestamp
  package let statement: SuccessionStatement
}
