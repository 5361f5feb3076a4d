package import Coffer
package import CofferVault

/// What a version of an item changed.
package enum VersionChange: Hashable, Sendable, CustomStringConvertible {
  /// It is the first one.
  case created
  /// It deleted the item.
  case deleted
  /// It wrote a deleted item again.
  case createdAgain
  case value
  /// The attribute with this name.
  case attribute(String)

  /// The versions of an item that this machine has, by which the one is found that another one replaced.
  package struct Kept {
    private let versions: [ItemVersion<GenericPassword>]
    private let places: [ItemVersion<GenericPassword>.Place: Int]

    /// Takes the versions, newest first.
    package init(_ versions: [ItemVersion<GenericPassword>]) {
      self.versions = versions
      places = Dictionary(versions.enumerated().map { ($1.place, $0) }) { first, _ in first }
    }

    /// Returns the newest version that `version` replaced.
    fileprivate func newest(before version: ItemVersion<GenericPassword>) -> ItemVersion<GenericPassword>? {
      version.replacedPlaces.compactMap { places[$0] }.min().map { versions[$0] }
    }
  }

  /// Returns what a version changed, compared with the newest one that it replaced; nil if this machine no longer keeps
  /// that.
  package static func all(
    of version: ItemVersion<GenericPassword>, among others: Kept, in vault: Vault
  ) throws(VaultError) -> [VersionChange]? {
    if version.isDeletion { return [.deleted] }
    if version.isFirst { return [.created] }
    guard let before = others.newest(before: version) else { return nil }
    return try vault.differences(between: before, and: version).compactMap { difference in
      switch difference {
      case .value: .value
      case .attribute(let code): AttributeName.name(ofCode: code).map { .attribute($0) }
      case .existence: .createdAgain
      }
    }
  }

  package var description: String {
    switch self {
    case .created: "created"
    case .deleted: "deleted"
    case .createdAgain: "created again"
    case .value: "value"
    case .attribute(let name): name
    }
  }

  /// Returns changes as the cell of a table.
  package static func words(_ changes: [VersionChange]?) -> String {
    guard let changes else { return "-" }
    return changes.isEmpty ? "nothing" : changes.map(\.description).joined(separator: ", ")
  }
}
