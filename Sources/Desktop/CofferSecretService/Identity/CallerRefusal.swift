/// Why it cannot be determined who a caller is. It is not taken for a program that has more rights.
package struct CallerRefusal: Error, Hashable, Sendable {
  /// A clause about the caller, safe to show.
  package let description: String
  /// Whether another attempt can have another result, because the reason is not in the caller.
  package let isTemporary: Bool

  init(_ description: String, isTemporary: Bool = false) {
    self.description = description
    self.isTemporary = isTemporary
  }
}
