internal import Coffer
internal import CofferTerminal

/// The words for the version of an item.
enum VersionText {
  /// The number of characters of a version's identifier that tables show.
  static let shownIdentifierLength = 12

  /// Returns who wrote a version, and on which machine.
  static func writer(_ writer: ItemWriter) -> String {
    "\(writer.application ?? "owner") on \(Output.name(writer.device))"
  }

  /// Returns the identifier by which commands name a version.
  static func identifier(_ version: ItemVersion<GenericPassword>) -> String {
    String(version.identifier.prefix(shownIdentifierLength))
  }

  /// Returns where a version comes from, in a clause.
  static func origin(_ version: ItemVersion<GenericPassword>) -> String {
    let kind = version.isDeletion ? "the deletion" : "the version"
    return "\(kind) by \(writer(version.writer)) of \(Output.date(version.written))"
  }
}
