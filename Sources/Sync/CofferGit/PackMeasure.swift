internal import CofferZlib

/// Adds up what a pack costs whoever unpacks it, while it is received and before libgit2 sees it.
///
/// A few kilobytes can describe objects of gigabytes, and differences that are applied to each other millions of times.
/// The sizes are read from the headers of the objects. The contents are inflated into a small buffer only, to find
/// their ends.
final class PackMeasure {
  private enum Step {
    case header, object, base, content, end
  }

  /// An object of the pack. All differences that it consists of are applied each time that it is made.
  private struct Object {
    let start: Int
    /// The bytes that are handled to make it; nil if its base is named by its hash, or is such an object.
    var cost: Int?
  }

  private static let commit = 1
  private static let tag = 4
  private static let differenceToOffset = 6
  private static let differenceToHash = 7
  /// The longest form of the two sizes at the beginning of a difference.
  private static let sizesByteCount = 20
  /// What a small object costs beside its bytes.
  private static let objectCost = 512

  private let limits: TransferLimits
  private let context: String
  private let inflation: Inflation
  private var step = Step.header
  /// The beginning of the header of the pack or of an object, or the base of a difference, until it is complete.
  private var pending: [UInt8] = []
  /// How many bytes of the pack were measured, and received.
  private var offset = 0
  private var receivedByteCount = 0
  private var remainingCount = 0
  private var objects: [Object] = []

  // The object that is being measured.
  private var start = 0
  private var kind = 0
  private var byteCount = 0
  private var inflatedByteCount = 0
  /// The first bytes of a difference, with two sizes: those of its base and of its result.
  private var beginning: [UInt8] = []

  /// The bytes that are handled to inflate everything, and to make each object whose differences are known.
  private var work = 0
  /// The number of the other objects. Each may consist of all differences of the pack.
  private var unknownCount = 0
  private var differenceWork = 0

  /// `context` is the repository, for errors.
  init(limits: TransferLimits, context: String) throws(GitError) {
    self.limits = limits
    self.context = context
    guard let inflation = Inflation(.zlib) else { throw GitError(.io, "the memory is full", context: context) }
    self.inflation = inflation
  }

  /// Measures the next bytes of the pack. Throws `.tooLarge` for an object or a pack that costs more than the limits
  /// allow, and `.corrupt` for what is no pack.
  func measure(_ bytes: ArraySlice<UInt8>) throws(GitError) {
    receivedByteCount += bytes.count
    var rest = bytes
    while !rest.isEmpty, step != .end {
      let before = rest.count
      switch step {
      case .header: try readHeader(&rest)
      case .object: try readObject(&rest)
      case .base: try readBase(&rest)
      case .content: try inflate(&rest)
      case .end: break
      }
      offset += before - rest.count
    }
  }

  private func corrupt(_ what: String) -> GitError { GitError(.corrupt, what, context: context) }

  // MARK: Headers

  private func readHeader(_ rest: inout ArraySlice<UInt8>) throws(GitError) {
    pending.append(rest.removeFirst())
    guard pending.count == 12 else { return }
    guard pending.starts(with: "PACK".utf8) else { throw corrupt("it has no pack") }
    remainingCount = pending[8...].reduce(0) { $0 << 8 | Int($1) }
    guard remainingCount <= limits.maximumObjectCount else {
      throw GitError(.tooLarge, "it has more than \(limits.maximumObjectCount) objects", context: context)
    }
    beginObject(at: 12)
  }

  private func beginObject(at start: Int) {
    self.start = start
    pending = []
    step = remainingCount == 0 ? .end : .object
  }

  private func readObject(_ rest: inout ArraySlice<UInt8>) throws(GitError) {
    let byte = rest.removeFirst()
    pending.append(byte)
    guard byte & 0x80 == 0 else {
      guard pending.count < 9 else { throw corrupt("the size of an object is malformed") }
      return
    }
    kind = Int(pending[0] >> 4 & 7)
    byteCount = Int(pending[0] & 15)
    for (index, byte) in pending.dropFirst().enumerated() { byteCount |= Int(byte & 0x7f) << (4 + 7 * index) }
    guard isDifference || (Self.commit...Self.tag).contains(kind) else {
      throw corrupt("an object has an unknown kind")
    }
    try check(byteCount)
    try spend(byteCount + Self.objectCost)
    pending = []
    if isDifference {
      step = .base
    } else {
      objects.append(Object(start: start, cost: byteCount + Self.objectCost))
      beginContent()
    }
  }

  private func readBase(_ rest: inout ArraySlice<UInt8>) throws(GitError) {
    let byte = rest.removeFirst()
    pending.append(byte)
    var cost: Int?
    if kind == Self.differenceToHash {
      guard pending.count == 20 else { return }
    } else {
      guard byte & 0x80 == 0 else {
        guard pending.count < 8 else { throw corrupt("the base of a difference is malformed") }
        return
      }
      // Each byte but the last stands for one more than its bits.
      let distance = pending.dropFirst().reduce(Int(pending[0] & 0x7f)) { ($0 + 1) << 7 | Int($1 & 0x7f) }
      cost = try self.cost(ofObjectAt: start - distance)
    }
    objects.append(Object(start: start, cost: cost))
    beginContent()
  }

  /// Returns the cost of a base, which comes before its differences; nil if it is not known.
  private func cost(ofObjectAt start: Int) throws(GitError) -> Int? {
    var (low, high) = (0, objects.count)
    while low < high {
      let middle = (low + high) / 2
      if objects[middle].start < start { low = middle + 1 } else { high = middle }
    }
    guard low < objects.count, objects[low].start == start else { throw corrupt("a difference has no base") }
    return objects[low].cost
  }

  // MARK: Contents

  private func beginContent() {
    inflation.restart()
    inflatedByteCount = 0
    beginning = []
    step = .content
  }

  private var isDifference: Bool { kind == Self.differenceToOffset || kind == Self.differenceToHash }

  private func inflate(_ rest: inout ArraySlice<UInt8>) throws(GitError) {
    let end = inflation.unpack(rest) { part in
      inflatedByteCount += part.count
      if isDifference { beginning += part.prefix(Self.sizesByteCount - beginning.count) }
      return inflatedByteCount <= byteCount
    }
    guard let end else { throw corrupt("an object is not compressed as git does it") }
    guard inflatedByteCount <= byteCount, !end.isAtEnd || inflatedByteCount == byteCount else {
      throw corrupt("an object has another size than its header says")
    }
    rest = rest.dropFirst(end.readByteCount)
    guard end.isAtEnd else { return }
    if isDifference { try addDifference() }
    remainingCount -= 1
    beginObject(at: offset + end.readByteCount)
  }

  /// Adds what it costs to make the object of a difference, each time with its base.
  private func addDifference() throws(GitError) {
    var rest = beginning[...]
    guard let base = Self.readSize(&rest), let result = Self.readSize(&rest) else {
      throw corrupt("a difference is malformed")
    }
    try check(base)
    try check(result)
    let own = byteCount + result + Self.objectCost
    differenceWork += own + (kind == Self.differenceToHash ? base : 0)
    if let cost = objects[objects.count - 1].cost {
      objects[objects.count - 1].cost = cost + own
      try spend(cost + own)
    } else {
      unknownCount += 1
      try spend(own)
    }
  }

  /// Reads a size at the beginning of a difference: seven bits in each byte, the lowest first.
  private static func readSize(_ rest: inout ArraySlice<UInt8>) -> Int? {
    var size = 0
    for index in 0..<(sizesByteCount / 2 - 1) {
      guard let byte = rest.popFirst() else { return nil }
      size |= Int(byte & 0x7f) << (7 * index)
      if byte & 0x80 == 0 { return size }
    }
    return nil
  }

  // MARK: Limits

  private func check(_ byteCount: Int) throws(GitError) {
    guard byteCount <= limits.maximumObjectBytes else {
      throw GitError(
        .tooLarge, "an object has \(byteCount) bytes, and the limit is \(limits.maximumObjectBytes)", context: context)
    }
  }

  private func spend(_ byteCount: Int) throws(GitError) {
    work += byteCount
    let (unknown, overflow) = unknownCount.multipliedReportingOverflow(by: differenceWork)
    let limit = limits.basicUnpackedBytes + limits.unpackedBytesPerByte * receivedByteCount
    guard !overflow, unknown <= limit - min(work, limit), work <= limit else {
      throw GitError(.tooLarge, "it takes more than \(limit) bytes to unpack it", context: context)
    }
  }
}
