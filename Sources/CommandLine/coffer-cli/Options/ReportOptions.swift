internal import ArgumentParser
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

/// How a command prints what it has found or done: for people, or as JSON with named fields.
struct ReportOptions: ParsableArguments {
  @Flag(help: "Print JSON.")
  var json = false

  /// The options of a command line that ArgumentParser has not read.
  static func asJSON(_ json: Bool) -> ReportOptions {
    var options = ReportOptions()
    options.json = json
    return options
  }

  /// Prints the fields of an object, or a line for people.
  func show(_ fields: JSONObject, _ line: @autoclosure () -> String) throws {
    if json { try Output.json(fields) } else { try Output.line(line()) }
  }

  /// Prints the fields of each row, or a table of its cells under headings. For people, a note takes the place of an
  /// empty table, if there is one.
  func show<Row>(
    _ rows: [Row], _ headings: [String], fitting columns: [TableColumn] = [], ifEmpty note: String? = nil,
    fields: (Row) throws -> JSONObject, cells: (Row) throws -> [String]
  ) throws {
    guard !json else { return try Output.json(rows.map(fields)) }
    if rows.isEmpty, let note { return Terminal.printNote(note) }
    try Output.table([headings] + rows.map(cells), fitting: columns)
  }
}
