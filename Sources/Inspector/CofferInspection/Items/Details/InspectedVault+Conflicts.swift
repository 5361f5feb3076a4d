package import Coffer
internal import CofferFormat
package import CofferVault

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
