/// Why it cannot be determined who a caller is. It is not taken for a program that has more rights.
struct CallerRefusal: Error, Hashable, Sendable {
  /// A clause about the caller, safe to show.
  let description: String

  init(_ description: String) { self.description = description }
}
