internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

/// Records that wait for an entry of the log.
extension Intake {
  /// Judges records again that were kept waiting, where the log has changed since: in pages, and from the start where that was
  /// cut off.
  func judgePending() throws {
    let head = try local.membership().head.hash.raw.bytes
    guard try local.store.read({ try $0.setting(.judgedLog) }) != head else { return }
    var last: Int64? = .min
    while let row = last {
      last = try local.store.write { writer in
        let membership = try local.membership(in: writer)
        let page = try writer.pendingRecords(after: row, byteLimit: Limits.segmentPayloadByteCount)
        for row in page {
          // A row that was damaged here is named by whoever reads its item; it must not keep the others from being judged.
          guard let record = try? row.record() else { continue }
          switch membership.standing(of: record) {
          case .valid: try writer.setStanding(record.hash, .valid)
          case .unknownAuthor, .notEntitled: break
          case .refused: try writer.remove(record.hash)
          }
        }
        if page.isEmpty { try writer.setSetting(.judgedLog, head) }
        return page.last?.row
      }
    }
  }
}

/// The records that wait have come to the most that is kept of them.
struct PendingOverflow: Error {}
