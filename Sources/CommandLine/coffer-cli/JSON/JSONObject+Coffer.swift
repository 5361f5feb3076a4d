internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal

// The parts that the output of several commands has, each with the same keys everywhere.

extension JSONObject {
  /// An app in a list of apps.
  static func app(_ id: some CustomStringConvertible) -> JSONObject { ["id": id.description] }

  /// An access group in a list of groups, with what may be done in it.
  static func group(_ name: String, _ access: AccessGraph.Access? = nil) -> JSONObject {
    ["group": name, "access": access]
  }

  /// Who wrote a version; nil for an unknown author.
  static func writer(_ writer: ItemWriter?) -> JSONObject {
    ["writerApp": writer?.application, "writerMachine": writer?.device]
  }

  /// The value of an item: as text or, if it is no text, in base64. Without keys for nil.
  static func value(_ value: Data?) -> JSONObject {
    let text = value.flatMap { String(validating: $0, as: UTF8.self) }
    return ["value": text, "valueBase64": text == nil ? value?.base64EncodedString() : nil]
  }
}
