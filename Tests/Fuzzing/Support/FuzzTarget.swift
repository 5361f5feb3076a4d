/// A reader of bytes that nobody may trust, and what has to hold for all bytes.
package struct FuzzTarget: Sendable, CustomStringConvertible {
  /// The name: that of the folder with its inputs in `Tests/Fuzzing/Corpus`.
  package let description: String
  /// The longest input in bytes that a run tries: enough for every field and two elements of every list.
  package let maximumByteCount: Int
  /// Creates inputs from which a run starts, beside the committed ones.
  package let seeds: @Sendable () throws -> [[UInt8]]
  /// Reads the input. Throws ``BrokenPromise`` if it is read wrongly, and nothing if it is refused.
  package let check: @Sendable ([UInt8]) throws -> Void

  package init(
    _ name: String, maximumByteCount: Int = 1024,
    seeds: @escaping @Sendable () throws -> [[UInt8]] = { [] },
    check: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    description = name
    self.maximumByteCount = maximumByteCount
    self.seeds = seeds
    self.check = check
  }
}

/// An input that a reader accepted, but read wrongly.
package struct BrokenPromise: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Throws unless a promise holds.
///
/// - Parameters:
///   - holds: Whether it does.
///   - promise: The promise.
/// - Throws: ``BrokenPromise``.
package func require(_ holds: Bool, _ promise: @autoclosure () -> String) throws {
  if !holds { throw BrokenPromise(promise()) }
}
