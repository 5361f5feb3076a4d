package import Coffer
internal import CofferFormat
package import CofferVault

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
  /// Whether the values differ; nil if one of the versions deleted the item, or if an application password protects one
  /// of them.
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
    private let places: [RecordHash: Int]

    /// Takes the versions, newest first.
    package init(_ versions: [ItemVersion<GenericPassword>]) {
      self.versions = versions
      places = Dictionary(versions.enumerated().map { ($1.hash, $0) }) { first, _ in first }
    }

    /// Returns the newest version that `version` replaced.
    fileprivate func newest(before version: ItemVersion<GenericPassword>) -> ItemVersion<GenericPassword>? {
      version.bases.compactMap { places[$0] }.min().map { versions[$0] }
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

/// An item that machines have changed at the same time, with its concurrent versions side by side.
package struct InspectedConflict: Sendable {
  package let kind: ItemKind
  /// The item's persistent reference; nil if the current version deleted it.
  package let reference: ItemReference?
  package let group: String
  /// The names of the item, from the first version that has any.
  package let title: String
  package let subtitle: String
  /// The versions, the current one first.
  package let versions: [ItemVersionRow]
  /// What the choice of a version must name.
  package let revision: ItemRevision
}

/// How the versions of an item in conflict differ. The values are compared, not shown.
package struct ConflictComparison: Sendable {
  /// What each version changed, by its identifier: compared with the newest one that it replaced. A version is missing
  /// if this machine no longer keeps what it replaced.
  package let changes: [String: [VersionChange]]
  /// Whether the values differ; nil if they cannot be compared, because an application password protects one of them,
  /// or because fewer than two versions have a value.
  package let valuesDiffer: Bool?

  package init(changes: [String: [VersionChange]] = [:], valuesDiffer: Bool? = nil) {
    self.changes = changes
    self.valuesDiffer = valuesDiffer
  }
}

extension InspectedVault {
  /// Compares the versions of an item in conflict with each other, and with those that they replaced. Throws
  /// `itemNotFound` if the item was never written here.
  package func comparison(
    of versions: [ItemVersionRow], at revision: ItemRevision
  ) throws(VaultError) -> ConflictComparison {
    let known = try history(of: revision).versions
    var changes: [String: [VersionChange]] = [:]
    for version in versions { changes[version.identifier] = try self.changes(of: version, among: known) }
    let withValue = versions.filter { !$0.isDeletion }
    var differ: [Bool?] = []
    for (one, other) in zip(withValue, withValue.dropFirst()) {
      differ.append(try difference(from: one, to: other).valueDiffers)
    }
    let isComparable = !differ.isEmpty && !differ.contains(nil)
    return ConflictComparison(changes: changes, valuesDiffer: isComparable ? differ.contains(true) : nil)
  }

  /// Returns what a version changed, as ``VersionChange/all(of:among:in:)`` does for generic passwords.
  private func changes(
    of version: ItemVersionRow, among others: [ItemVersionRow]
  ) throws(VaultError) -> [VersionChange]? {
    if version.isDeletion { return [.deleted] }
    if version.bases.isEmpty { return [.created] }
    guard let before = others.first(where: { $0.group == version.group && version.bases.contains($0.hash) }) else {
      return nil
    }
    if before.isDeletion { return [.createdAgain] }
    let difference = try difference(from: before, to: version)
    let attributes = difference.attributes.compactMap { attribute -> VersionChange? in
      AttributeName.name(ofCode: attribute.code).map { _ in .attribute(attribute.name.lowercased()) }
    }
    return (difference.valueDiffers == true ? [.value] : []) + attributes
  }
}
