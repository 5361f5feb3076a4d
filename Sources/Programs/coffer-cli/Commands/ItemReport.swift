internal import Coffer
internal import CofferInspection
internal import Foundation

/// An item with all attributes, as `coffer show --json` prints it.
struct ItemReport: Encodable {
  private struct Attribute: Encodable {
    let code: String
    let name: String
    let text: String
  }

  private struct Fact: Encodable {
    let name: String
    let text: String
  }

  private let `class`: String
  private let reference: String
  private let group: String
  private let attributes: [Attribute]
  /// All lines that the command prints, in its order.
  private let facts: [Fact]
  private let created: Date
  private let modified: Date
  private let expires: Date?
  private let written: Date
  private let writerApplication: String?
  private let writerDevice: String
  private let versions: Int
  private let hasConflict: Bool
  private let isWritable: Bool

  init(_ details: ItemDetails) {
    let row = details.row
    self.class = row.kind.rawValue
    reference = row.reference.path
    group = row.group
    attributes = details.attributes.map { Attribute(code: $0.code, name: $0.name, text: $0.text) }
    facts = details.facts().map { Fact(name: $0.name, text: $0.text) }
    created = row.created
    modified = row.modified
    expires = row.expires
    written = details.written
    writerApplication = row.writer.application
    writerDevice = row.writer.device
    versions = details.versionCount
    hasConflict = row.hasConflict
    isWritable = details.isWritable
  }
}
