/// Replaces secret values in the output of a program, also a value that arrives in several pieces.
///
/// A value is masked byte for byte. Another form of it, such as Base64 or a part, is not.
package struct OutputMask: Sendable {
  /// What takes the place of a value.
  package static let replacement = Array("[masked]".utf8)
  /// The size in bytes from which a value is masked: shorter ones occur in any text.
  package static let minimumByteCount = 4

  /// The values by their first byte.
  private let values: [[[UInt8]]]
  /// What may be the beginning of a value, and is not shown yet.
  private var pending: [UInt8] = []
  /// How many of the pending bytes, from the first, belong to a value that was found.
  private var maskedCount = 0

  /// Takes the values. Those that are shorter than ``minimumByteCount`` are left out.
  package init(_ values: some Collection<[UInt8]>) {
    var table = [[[UInt8]]](repeating: [], count: 256)
    for value in Set(values) where value.count >= Self.minimumByteCount { table[Int(value[0])].append(value) }
    self.values = table
  }

  /// Takes more output, and returns what can be shown of it and of the output before.
  package mutating func mask(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    pending += bytes
    return show(isEnd: false)
  }

  /// Returns the rest, at the end of the output.
  package mutating func finish() -> [UInt8] { show(isEnd: true) }

  private mutating func show(isEnd: Bool) -> [UInt8] {
    var shown: [UInt8] = []
    shown.reserveCapacity(pending.count)
    var position = 0
    // Each position is looked at, also in a value that was found: another one may begin there, and end later.
    while position < pending.count, let found = match(at: position, isEnd: isEnd) {
      if found > maskedCount {
        if maskedCount == 0 { shown += Self.replacement }
        maskedCount = found
      }
      if maskedCount > 0 {
        maskedCount -= 1
      } else {
        shown.append(pending[position])
      }
      position += 1
    }
    pending.removeFirst(position)
    return shown
  }

  /// Returns the size of the largest value at a position, 0 if there is none, and nil if that depends on what follows.
  private func match(at position: Int, isEnd: Bool) -> Int? {
    var longest = 0
    for value in values[Int(pending[position])] {
      let rest = pending[position...]
      if rest.count >= value.count {
        if value.count > longest, rest.starts(with: value) { longest = value.count }
      } else if !isEnd, value.starts(with: rest) {
        return nil
      }
    }
    return longest
  }
}
