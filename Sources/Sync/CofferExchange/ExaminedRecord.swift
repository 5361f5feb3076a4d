internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust

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

  /// Examines records on all processors, and returns them in the same order, with the errors of those that are
  /// malformed. It blocks until all are examined. The membership has the keys of the authors.
  static func examine(
    _ records: [[UInt8]], by membership: Membership
  ) -> [Result<ExaminedRecord, FormatError>] {
    records.concurrentMap { bytes in
      Result { () throws(FormatError) in try ExaminedRecord(bytes: bytes, membership) }
    }
  }
}
