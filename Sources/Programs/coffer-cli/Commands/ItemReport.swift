internal import Coffer
internal import CofferInspection
internal import CofferPlatform

/// An item with all attributes, as `coffer show --json` prints it.
struct ItemReport: Encodable {
  private struct Attribute: Encodable {
    /// The code of Keychain: `acct`.
    let code: String
    /// The name and the text that the command prints.
    let name: String
    let text: String
  }

  private let `class`: String
  private let group: String
  private let access: AccessGraph.Access
  private let attributes: [Attribute]
  private let written: Date
  private let versionCount: Int
  private let item: ItemJSON

  private enum CodingKeys: String, CodingKey {
    case `class`, group, access, attributes, written, versionCount
  }

  init(_ details: ItemDetails) {
    self.class = details.row.kind.argument
    group = details.row.group
    access = details.isWritable ? .readWrite : .read
    attributes = details.attributes.map { Attribute(code: $0.code, name: $0.name, text: $0.text) }
    written = details.written
    versionCount = details.versionCount
    item = ItemJSON(details.row)
  }

  func encode(to encoder: any Encoder) throws {
    // The same keys as in a list, and more.
    try item.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(self.class, forKey: .class)
    try container.encode(group, forKey: .group)
    try container.encode(access, forKey: .access)
    try container.encode(attributes, forKey: .attributes)
    try container.encode(written, forKey: .written)
    try container.encode(versionCount, forKey: .versionCount)
  }
}
