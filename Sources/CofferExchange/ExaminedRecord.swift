internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust
internal import Dispatch
internal import Synchronization

/// A record that was parsed, and whose signature was verified. Both take most of the time of an import, and depend on nothing
/// in the store.
struct ExaminedRecord: Sendable {
  let record: Record
  /// The key of its author, against which the signature was verified; nil if the log names no such author.
  private let key: VerifyingKey?
  private let isSigned: Bool

  private init(bytes: [UInt8], _ membership: Membership) throws(FormatError) {
    record = try Record(bytes: bytes)
    key = membership.authors[record.header.author]?.keys.verifying
    isSigned = key.map { [record] in record.isSigned(by: $0) } ?? false
  }

  /// Evaluates the record by a membership, as ``Membership/standing(of:isSigned:)``. The signature is verified again only if
  /// this membership has another key for the author.
  func standing(in membership: Membership) -> RecordStanding {
    membership.standing(of: record) { record, key in key == self.key ? isSigned : record.isSigned(by: key) }
  }

  /// Examines records on all processors. It blocks until all are examined.
  ///
  /// - Parameters:
  ///   - records: The bytes of the records.
  ///   - membership: The membership, which has the keys of the authors.
  /// - Returns: The examined records, in the same order, and the errors of those that are malformed.
  static func examine(
    _ records: [[UInt8]], by membership: Membership
  ) -> [Result<ExaminedRecord, FormatError>] {
    @Sendable func examine(_ part: ArraySlice<[UInt8]>) -> [Result<ExaminedRecord, FormatError>] {
      part.map { bytes in
        Result { () throws(FormatError) in try ExaminedRecord(bytes: bytes, membership) }
      }
    }
    let partCount = (records.count + partLength - 1) / partLength
    guard partCount > 1 else { return examine(records[...]) }
    let parts = Mutex([Int: [Result<ExaminedRecord, FormatError>]]())
    DispatchQueue.concurrentPerform(iterations: partCount) { number in
      let start = number * partLength
      let part = examine(records[start..<min(start + partLength, records.count)])
      parts.withLock { $0[number] = part }
    }
    return parts.withLock { parts in (0..<partCount).flatMap { parts[$0] ?? [] } }
  }

  /// The number of records that one processor examines at a time, for which it takes a few milliseconds.
  private static let partLength = 64
}
