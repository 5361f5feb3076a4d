internal import Coffer
internal import CofferFormat
internal import CofferTrust

/// An access group of an app, and which key of its plist gives the right.
package struct GroupRight: Hashable, Sendable, Encodable {
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
    let right =
      switch group.key {
      case .applicationIdentifier: "It is the app's own group, which its identifier implies"
      case .keychainAccessGroups: "The plist lists it under keychain-access-groups, which gives read and write access"
      case .applicationGroups:
        "The plist lists it under com.apple.security.application-groups, which gives read and write access"
      case .readOnlyAccessGroups: "The plist lists it under coffer-read-only-access-groups, which gives read access"
      }
    reason = right + (isDefault ? "; writes that name no group go here." : ".")
  }
}
