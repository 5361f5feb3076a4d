internal import CofferFormat

/// The names of attributes in a sentence.
package enum AttributeName {
  /// Returns the name in lower case of a generic password's attribute, by its four-character code; the code for an
  /// attribute that generic passwords do not have; nil for those that describe the version and not the item.
  package static func name(ofCode code: String) -> String? {
    guard !versionCodes.contains(code) else { return nil }
    let definition = AttributeDefinition.all(of: .genericPassword).first { $0.code.name == code }
    return definition?.name.lowercased() ?? code
  }

  /// The date of modification, the date of creation and the reference: a restored version gets those of the item.
  private static let versionCodes: Set = ["mdat", "cdat", "pref"]
}
