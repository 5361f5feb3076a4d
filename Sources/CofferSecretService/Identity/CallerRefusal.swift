/// Why a caller gets nothing: who it is cannot be determined, so it is not taken for a program that has more rights.
package struct CallerRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// A clause about the caller, safe to show.
  package let description: String

  init(_ description: String) { self.description = description }
}
