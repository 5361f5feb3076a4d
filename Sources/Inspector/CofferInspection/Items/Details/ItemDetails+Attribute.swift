internal import CofferPlatform
package import CofferVault

extension ItemDetails {
  /// Returns an attribute as text: a date as ISO 8601 in UTC, everything else in the words of `coffer show`. The name is that
  /// of `coffer show` in lower case, with hyphens for spaces, or Keychain's code. Throws `invalidArgument` for an attribute
  /// that the item has not.
  package func attribute(named name: String) throws(VaultError) -> String {
    guard let row = attributes.first(where: { $0.argument == name || $0.code == name }) else {
      throw VaultError(
        .invalidArgument, "the item has no attribute \(name)",
        recoverySuggestion: "choose one of: \(attributes.map(\.argument).joined(separator: ", "))")
    }
    return row.date?.formatted(.iso8601) ?? row.text
  }
}

extension ItemAttributeRow {
  /// The name as a word of a command line.
  package var argument: String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
  }
}
