internal import CofferAgent
internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import Synchronization

/// Verifies records, and remembers those that this author has verified.
///
/// A signature is checked once. After that, a MAC under a key that only this author can derive replaces it, in the
/// store beside the record. The rights of the record's author are looked up in the log each time.
final class RecordVerifier: Sendable {
  private struct Checked {
    var known: Set<RecordHash> = []
    var unsaved: [RecordVerification] = []
  }

  private let author: AuthorID
  private let keys: any AuthorKeys
  /// The keys of groups that were used, which take longer to derive than a MAC.
  private let known = Mutex<[GroupID: SymmetricKey]>([:])
  private let checked = Mutex(Checked())

  /// The maximum number of results in memory. Records beyond it are verified again.
  private static let capacity = 131_072
  /// The number of unsaved results from which saving them is worth a commit.
  private static let worthSaving = 256

  init(author: AuthorID, keys: any AuthorKeys) {
    self.author = author
    self.keys = keys
  }

  /// Evaluates a record from the store. For the author's own records, the right of the searched group replaces the
  /// look-up in the log.
  func validity(
    of record: Record, from row: StoredRecord, in group: AccessibleGroup, of membership: Membership
  ) -> RecordValidity {
    let header = record.header
    if header.author == author, header.group == group.id, header.vault == membership.vault,
      group.access == .readWrite, group.registered.generations.indices.contains(Int(header.generation) - 1),
      let stored = Bytes16(row.verification), stored == verification(of: record)?.mac
    {
      return .valid
    }
    return membership.validity(of: record) { record, signer in self.isSigned(record, by: signer, row) }
  }

  /// Returns the MAC of a record that this author has verified or just written; nil if the key is out of reach, so that
  /// the record is verified again each time.
  func verification(of record: Record, row: Int64 = 0) -> RecordVerification? {
    key(of: record.header.group).map {
      RecordVerification(row: row, author: author, mac: $0.keyedHash16(record.hash.raw, domain: .verified))
    }
  }

  private func key(of group: GroupID) -> SymmetricKey? {
    if let key = known.withLock({ $0[group] }) { return key }
    guard let key = keys.verificationKey(of: group) else { return nil }
    known.withLock { $0[group] = key }
    return key
  }

  private func isSigned(_ record: Record, by signer: VerifyingKey, _ row: StoredRecord) -> Bool {
    let proof = verification(of: record, row: row.row)
    if let stored = Bytes16(row.verification), stored == proof?.mac { return true }
    if checked.withLock({ $0.known.contains(record.hash) }) { return true }
    guard record.isSigned(by: signer) else { return false }
    checked.withLock { checked in
      if checked.known.count >= Self.capacity { checked.known.removeAll(keepingCapacity: true) }
      checked.known.insert(record.hash)
      if let proof, checked.unsaved.count < Self.capacity { checked.unsaved.append(proof) }
    }
    return true
  }

  /// Whether saving the results is worth a commit.
  var isWorthSaving: Bool { checked.withLock { $0.unsaved.count >= Self.worthSaving } }

  /// Saves the results since the last call.
  func save(to writer: borrowing StoreWriter) throws(StoreError) {
    let unsaved = checked.withLock { checked in
      defer { checked.unsaved = [] }
      return checked.unsaved
    }
    // A row may have been deleted since, and its number reused for another record: the MAC does not match that one.
    for proof in unsaved { try writer.setVerified(proof) }
  }
}

/// The valid records among the rows of one item. Columns of a row are hints: only the signed bytes count.
struct VerifiedRecords {
  private(set) var valid: [Record] = []
  /// The defect of the last invalid row; nil if all rows are valid.
  private(set) var problem: String?

  /// Verifies rows of the store, which must belong to the item.
  ///
  /// A record of an author without write access is skipped without a problem: otherwise a read-only app could make an
  /// item unreadable by planting one.
  init(_ rows: [StoredRecord], item: ItemID, in group: AccessibleGroup, _ context: AccessContext) {
    for row in rows {
      let record: Record
      do throws(FormatError) {
        record = try row.record()
      } catch {
        problem = error.description
        continue
      }
      guard record.header.group == group.id, record.header.item == item else {
        problem = "a row names another item than its signed bytes"
        continue
      }
      switch context.verifier.validity(of: record, from: row, in: group, of: context.membership) {
      case .valid: valid.append(record)
      case .unknownAuthor: if row.validity == .valid { problem = "its author is unknown" }
      case .notEntitled: break
      case .invalid(let reason): if context.membership.namedAuthorMayWrite(record) { problem = reason }
      }
    }
  }

  /// The valid records that no other valid record names as a base.
  var heads: [Record] {
    guard valid.count > 1 else { return valid }
    let bases = Set(valid.flatMap(\.header.bases))
    return valid.filter { !bases.contains($0.hash) }
  }
}

extension Membership {
  /// Whether the author that a record names may write the record's group. The signature is not checked.
  func namedAuthorMayWrite(_ record: Record) -> Bool {
    authors[record.header.author].flatMap { access(of: $0, to: record.header.group) } == .readWrite
  }

  /// Returns the author of a verified record, as users know it.
  func writer(of record: Record) -> ItemWriter {
    guard let author = authors[record.header.author] else { return ItemWriter(application: nil, device: "unknown") }
    let device = devices[author.device]?.name ?? "unknown"
    return switch author.role {
    case .admin: ItemWriter(application: nil, device: device)
    case .principal(let application, _, _): ItemWriter(application: application.description, device: device)
    }
  }
}
