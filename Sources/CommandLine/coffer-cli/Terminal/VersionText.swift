internal import Coffer
internal import CofferInspection
internal import CofferTerminal

/// The words for the version of an item.
enum VersionText {
  /// Returns who wrote a version, and on which machine.
  static func writer(_ writer: ItemWriter) -> String { writer.words(machine: Output.name) }

  /// Returns the identifier by which commands name a version.
  static func identifier(_ version: ItemVersion<some KeychainItem>) -> String {
    String(version.identifier.prefix(ItemVersionRow.shownIdentifierLength))
  }

  /// Returns a version's identifier and where it comes from.
  static func words(_ version: ItemVersion<some KeychainItem>) -> String {
    "\(identifier(version)), \(origin(version))"
  }

  /// The largest number of versions that a note names.
  private static let listedCount = 3

  /// Returns the words for versions as a list, and the number of those beyond the first.
  static func list(_ versions: [String]) -> String {
    let others = versions.count - listedCount
    return versions.prefix(listedCount).joined(separator: "; ") + (others > 0 ? "; and \(others) more" : "")
  }

  /// Returns where a version comes from, in a clause.
  static func origin(_ version: ItemVersion<some KeychainItem>) -> String {
    let kind = version.isDeletion ? "the deletion" : "the version"
    return "\(kind) by \(writer(version.writer)) of \(Output.date(version.written))"
  }
}
