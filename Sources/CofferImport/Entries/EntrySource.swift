package import CofferSystem

/// Receives what a source has.
package struct EntrySink {
  /// Receives a line for `coffer`. Throws if nobody reads it any more.
  private let write: (ImportLine) throws -> Void
  /// The source as `coffer import` names it.
  private let source: String
  /// How often each identifier was used.
  private var identifiers: [String: Int] = [:]

  package init(source: String, write: @escaping (ImportLine) throws -> Void) {
    self.source = source
    self.write = write
  }

  /// Announces the number of entries.
  func count(_ count: Int) throws {
    var line = ImportLine()
    line.count = count
    try write(line)
  }

  /// Takes an entry, of which each part becomes an item.
  mutating func add(_ entry: ForeignEntry) throws {
    let wanted = entry.identifier ?? entry.derivedIdentifier
    let uses = identifiers[wanted, default: 0] + 1
    identifiers[wanted] = uses
    // A source without identifiers may have equal entries; their order tells them apart.
    for line in entry.lines(source: source, identifier: uses == 1 ? wanted : "\(wanted)-\(uses)") { try write(line) }
  }

  /// Takes an item that is written as Coffer stores it.
  func add(_ line: ImportLine) throws {
    guard let itemClass = line.itemClass else { return }
    // Only the item: a file must not ask, skip or count in the name of its reader.
    try write(
      ImportLine(
        itemClass, folder: line.folder ?? "", attributes: line.attributes ?? [:], value: line.bytes, entry: line.entry))
  }

  /// Reports something that cannot be imported, and why.
  func skip(_ name: String, because reason: String) throws {
    var line = ImportLine()
    line.name = name
    line.skipped = reason
    try write(line)
  }
}

/// A program or a format from which entries are read. It knows nothing of vaults.
package protocol EntrySource {
  /// Reads all entries, in an order that is the same each time.
  ///
  /// - Throws: ``ImportError`` if the whole source cannot be read, and the errors of the sink.
  func read(into sink: inout EntrySink) throws
}
