internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferSystem
internal import CofferTrust

/// An access group of an app, and which key of its plist gives the right.
package struct GroupRight: Hashable, Sendable {
  /// The group's full name.
  package let group: String
  package let isWritable: Bool
  /// Whether the app writes here if it names no group.
  package let isDefault: Bool
  /// The key of the plist: `application-identifier` for the app's own group.
  package let plistKey: String
  /// Why the app has the group, as a sentence.
  package let reason: String
  /// The number of items in the group.
  package let itemCount: Int

  init(_ group: EntitledGroup, of app: App, in facts: AccessFacts) {
    self.group = group.name.description
    isWritable = group.access == .readWrite
    isDefault = app.entitlements.defaultGroup == group.name
    plistKey = group.key.rawValue
    let id = GroupID(vault: facts.membership.vault, name: group.name.description)
    itemCount = facts.itemCount(in: id)
    reason = group.origin().startingSentence + (isDefault ? "; writes that name no group go here." : ".")
  }
}
