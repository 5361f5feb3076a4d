package import CofferCrypto
package import CofferFormat

extension Membership {
  /// The membership without a revocation or succession whose following entries are not all there: the host withholds them. It must not
  /// be changed, and not be written to either if one of these entries is critical and unknown.
  package var complete: Membership {
    guard var before = batch?.before.membership else { return self }
    before.recordLists = recordLists
    before.firstUnknownCritical = firstUnknownCritical
    return before
  }

  /// Takes over that a longer log has a critical entry of an unknown kind: the vault must not be written to, although the
  /// entry is not applied here.
  package mutating func addUnknownCritical(of longer: Membership) {
    firstUnknownCritical = firstUnknownCritical ?? longer.firstUnknownCritical
  }

  /// The revocation or succession whose following entries are not all there; nil if there is none.
  package var incompleteBatch: LogPosition? { batch?.first }

  /// Adds lists of records, which revocations name by their hashes. Lists of another vault are ignored.
  package mutating func add(_ lists: [RecordList]) {
    for list in lists where list.vault == vault { recordLists[list.hash] = list }
  }

  /// The lists of records that revocations name and that were not added, each with the number of the entry.
  package var missingRecordLists: [(entry: UInt64, hash: Bytes32)] {
    revocations.flatMap { revocation in
      revocation.statement.recordLists.filter { recordLists[$0] == nil }.map { (revocation.position.sequence, $0) }
    }
  }
}
