internal import Coffer
internal import CofferInspection
internal import CofferPlatform

/// An item of any class in the output of `--json`, without its value. Names are as they are stored; those that an item
/// does not have are left out.
struct ItemJSON: Encodable {
  private let reference: String
  private let service: String?
  private let server: String?
  private let account: String?
  private let label: String?
  private let issuer: String?
  private let tag: String?
  private let created: Date
  private let modified: Date
  private let expires: Date?
  private let writerApp: String?
  private let writerMachine: String
  private let hasConflict: Bool

  init(_ row: ItemRow) {
    reference = row.reference.path
    service = row.names.service
    server = row.names.server
    account = row.names.account
    label = row.names.label
    issuer = row.names.issuer
    tag = row.names.tag
    created = row.created
    modified = row.modified
    expires = row.expires
    writerApp = row.writer.application
    writerMachine = row.writer.device
    hasConflict = row.hasConflict
  }
}
