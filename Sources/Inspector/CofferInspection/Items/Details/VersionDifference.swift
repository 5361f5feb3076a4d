/// How an item differs between two of its versions. The values are compared, not shown.
package struct VersionDifference: Sendable, Hashable {
  /// An attribute that differs, with its value in words, or nil where it is not set.
  package struct Attribute: Sendable, Hashable {
    package let code: String
    package let name: String
    package let before: String?
    package let after: String?
  }

  /// The attributes that differ, in the fixed order. The date of modification is left out: it always differs.
  package let attributes: [Attribute]
  /// Whether the values differ; nil if one of the versions deleted the item, or if an application password protects one of them.
  package let valueDiffers: Bool?

  init(_ before: [ItemAttributeRow], _ after: [ItemAttributeRow], valueDiffers: Bool?) {
    let codes = (after + before).map(\.code).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    attributes = codes.filter { $0 != "mdat" }.compactMap { code in
      let (old, new) = (before.first { $0.code == code }, after.first { $0.code == code })
      guard old?.text != new?.text || old?.fieldText != new?.fieldText, let name = (new ?? old)?.name else {
        return nil
      }
      return Attribute(code: code, name: name, before: old?.text, after: new?.text)
    }
    self.valueDiffers = valueDiffers
  }
}
