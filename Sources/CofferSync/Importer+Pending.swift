internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Validates records again that wait for a log entry.
extension Importer {
  /// Validates pending records again if the log has changed since the last time. Works in pages, and starts again from
  /// the first record if it was interrupted.
  func revalidatePending() throws {
    let head = try local.membership().head.hash.raw.bytes
    guard try local.store.read({ try $0.setting(.validatedLog) }) != head else { return }
    var last: Int64? = .min
    while let row = last {
      last = try local.store.write { writer in
        let membership = try local.membership(in: writer)
        let page = try writer.pendingRecords(after: row, byteLimit: Limits.segmentPayloadByteCount)
        for row in page {
          // A row that is damaged here is reported when its item is read. It must not stop the validation of the
          // others.
          guard let record = try? row.record() else { continue }
          switch membership.standing(of: record) {
          case .valid: try writer.admit(record, from: row)
          case .unknownAuthor, .notEntitled: break
          case .refused: try writer.removePending(row)
          }
        }
        if page.isEmpty { try writer.setSetting(.validatedLog, head) }
        return page.last?.row
      }
      FaultPoint.reached(.recordsRevalidated)
    }
  }
}
