package import CofferFormat
package import CofferTrust

/// A live item, opened, as another vault can take it: under other keys, and with the same attributes and values.
package struct PortableItem: Sendable {
  /// A version of the item.
  package struct Version: Sendable {
    package let draft: ItemDraft
    /// When it was written, by its author's clock.
    package let time: Timestamp
    package let writer: Writer

    /// Whether two versions are the same but for what every vault gives them: dates and the persistent reference.
    func hasContents(of other: Version) -> Bool {
      draft.value == other.draft.value && draft.attributes.ownAttributes == other.draft.attributes.ownAttributes
    }
  }

  /// Who signed a version in the vault that has it.
  package enum Writer: Hashable, Sendable {
    case owner
    /// An app. `isCut` tells that the right with which it has written was taken from it since.
    case app(ApplicationID, isCut: Bool)
  }

  /// The access group in the vault that has the item.
  package let group: AccessGroupName
  /// The heads that have a value, the current one first. There is at least one.
  package let versions: [Version]

  /// The current version.
  package var current: Version { versions[0] }
}

/// What another vault has of an item.
package enum ItemComparison: Hashable, Sendable {
  /// It has no live item with this primary key.
  case missing
  /// It has the item with the same contents.
  case same
  /// It has the item with other contents. `isNewer` tells that its own version was written before this one, which then
  /// becomes the current one.
  case different(isNewer: Bool)
}
