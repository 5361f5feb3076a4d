package import Coffer
package import CofferAdministration
internal import CofferFormat
internal import CofferSystem

extension InspectedVault {
  /// Returns who may read and write what: apps, machines, the graph, and explanations. `withActivity` also reads when
  /// each author wrote last, from every record's row.
  package func access(withActivity: Bool = true) throws(VaultError) -> AccessFacts {
    try AccessFacts.read(from: local, withActivity: withActivity)
  }

  /// Returns a part of the membership log, newest entry first. As ``LogPage/read(from:before:limit:)``.
  package func logPage(before: UInt64? = nil, limit: Int = LogPage.standardLimit) throws(VaultError) -> LogPage {
    try LogPage.read(from: local, before: before, limit: limit)
  }

  /// Explains why an app can or cannot read an item, or all items of a group, on this machine. The app's name is its
  /// full identifier, or a bundle identifier that is unique in the vault; the group's is with or without the team's
  /// prefix. Throws `itemNotFound` if the group has no such item.
  package func explanation(
    ofApp app: String, group: String, item: PersistentReference? = nil
  ) throws(VaultError) -> AccessExplanation {
    let facts = try access(withActivity: false)
    guard let item else { return facts.explanation(ofApp: app, group: group) }
    guard let itemClass = item.itemClass,
      let found = try vault.find(
        ItemSearch(itemClass, group: group, reference: item.identifier, limit: 1), withValues: false
      ).first
    else {
      throw VaultError(
        .itemNotFound, "there is no such item in \(group.sanitizedForTerminal())",
        recoverySuggestion: "choose one from the list")
    }
    return facts.explanation(ofApp: app, group: found.group, item: found)
  }
}
