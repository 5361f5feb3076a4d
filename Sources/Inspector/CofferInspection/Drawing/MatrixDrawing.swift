internal import CofferSystem

/// Draws who reads what as a matrix: apps in rows, access groups in columns. A row stands for the app on all its
/// machines.
struct MatrixDrawing {
  private typealias Size = AccessDrawing

  /// The names of groups are repeated after at most this number of rows.
  private static let blockLimit = 40
  private static let rowHeight = 26.0
  private static let columnWidth = 38.0
  private static let maximumNameWidth = 300.0
  private static let maximumPlaceWidth = 150.0
  private static let maximumGroupWidth = 190.0
  private static let legendHeight = 58.0

  let drawing: AccessDrawing
  private let rows: [AccessGraph.Summary]
  private let nameWidth: Double
  private let placeWidth: Double
  /// The height of the names of groups, which are slanted.
  private let headHeight: Double

  init(drawing: AccessDrawing) {
    self.drawing = drawing
    let graph = drawing.graph
    rows = graph.summaries
    func widest(_ texts: [String], _ size: Double, upTo limit: Double) -> Double {
      min(texts.map { $0.estimatedWidth(size: size) }.max() ?? 0, limit)
    }
    nameWidth = max(widest(graph.apps.map(\.title), Size.textSize, upTo: Self.maximumNameWidth), 90) + 16
    let places = rows.map { Self.place(of: $0, graph) }
    placeWidth = max(widest(places, Size.smallSize, upTo: Self.maximumPlaceWidth), 60) + 16
    headHeight =
      (widest(graph.groups.map(\.name), Size.boldSize, upTo: Self.maximumGroupWidth) * Self.sine + 34).rounded(.up)
  }

  private static func place(of row: AccessGraph.Summary, _ graph: AccessGraph) -> String {
    "\(row.installed.count) of \(counted(graph.machines.count, "machine"))"
  }

  // MARK: Drawing

  /// The sine and cosine of the angle of group names, 50 degrees.
  private static let sine = 0.766
  private static let cosine = 0.643
  private static let angle = -50

  private var left: Double { Size.margin + nameWidth + placeWidth }
  private var columnsWidth: Double { Double(drawing.graph.groups.count) * Self.columnWidth }

  /// The rows in blocks of about the same size, each of which repeats the names of groups.
  private var blocks: [ArraySlice<AccessGraph.Summary>] {
    let number = max(1, (rows.count + Self.blockLimit - 1) / Self.blockLimit)
    return (0..<number).map { rows[rows.count * $0 / number..<rows.count * ($0 + 1) / number] }
  }

  var svg: String {
    let slant = (headHeight - 34) / Self.sine * Self.cosine
    let width = max(left + columnsWidth + slant + Size.margin, 620)
    let body = Double(blocks.count) * headHeight + Double(rows.count) * Self.rowHeight
    let height = Size.headerHeight + body + Self.legendHeight + Size.margin
    return drawing.document("matrix", width: width, height: height, description: description) { writer in
      var top = Size.headerHeight
      for block in blocks {
        head(&writer, top: top)
        top += headHeight
        for (index, row) in zip(block.indices, block) {
          draw(row, isStriped: index.isMultiple(of: 2), top: top, &writer)
          top += Self.rowHeight
        }
        writer.line("rule", from: Size.margin, to: left + columnsWidth, y: top)
      }
      legend(&writer, top: top + 18)
    }
  }

  private var description: String {
    guard !drawing.graph.apps.isEmpty else { return "No app is registered yet." }
    return
      "A matrix. Each row is an app on all its machines, each column an access group. RW: reads and writes. R: reads. A dashed box: registered, but without a key there. An empty cell: no access."
  }

  private func head(_ writer: inout SVGWriter, top: Double) {
    let base = top + headHeight - 26
    let foot = top + headHeight - 9
    writer.words("App", "small", x: Size.margin, y: foot)
    writer.words("Has keys on", "small", x: Size.margin + nameWidth, y: foot)
    for (column, group) in drawing.graph.groups.enumerated() {
      let middle = left + (Double(column) + 0.5) * Self.columnWidth
      writer.group(link: drawing.link(toGroup: group)) { writer in
        writer.title("\(group.name), \(counted(group.itemCount, "item"))")
        writer.element(
          "text",
          [
            "class": "strong",
            "transform": .text("translate(\(Int(middle + 4)) \(Int(base))) rotate(\(Self.angle))"),
          ], group.name.fitting(Self.maximumGroupWidth, size: Size.boldSize))
      }
      writer.words(shortCount(group.itemCount), "small number", x: middle, y: foot)
    }
  }

  private func shortCount(_ number: Int) -> String {
    number < 10_000 ? "\(number)" : number < 1_000_000 ? "\(number / 1_000)k" : "\(number / 1_000_000)M"
  }

  private func draw(_ row: AccessGraph.Summary, isStriped: Bool, top: Double, _ writer: inout SVGWriter) {
    let baseline = top + Self.rowHeight / 2 + 4.5
    if isStriped {
      writer.empty(
        "rect",
        [
          "class": "stripe", "x": .number(Size.margin - 6), "y": .number(top),
          "width": .number(left + columnsWidth - Size.margin + 6), "height": .number(Self.rowHeight),
        ])
    }
    let app = row.app.map { drawing.graph.apps[$0] }
    writer.group(link: app.flatMap { drawing.link(toApp: $0) }) { writer in
      if let app { writer.title(app.id) }
      writer.words(
        (app?.title ?? "Owner").fitting(nameWidth - 16, size: Size.textSize), app == nil ? "strong" : "name",
        x: Size.margin, y: baseline)
    }
    writer.words(
      Self.place(of: row, drawing.graph).fitting(placeWidth - 16, size: Size.smallSize), "small",
      x: Size.margin + nameWidth, y: baseline)
    for (column, cell) in row.cells.enumerated() where cell.access != .none {
      draw(
        cell.access, isPartial: cell.isPartial, drawing.graph.words(for: row, at: column),
        x: left + Double(column) * Self.columnWidth, top: top, &writer)
    }
  }

  /// Draws a cell. The words are for screen readers and pointers.
  private func draw(
    _ access: AccessGraph.Access, isPartial: Bool = false, _ words: String, x: Double, top: Double,
    _ writer: inout SVGWriter
  ) {
    writer.group(link: nil) { writer in
      writer.title(words)
      writer.box(
        "cell-\(access.rawValue)", x: x + 4, y: top + 3.5, width: Self.columnWidth - 8, height: Self.rowHeight - 7,
        radius: 4)
      writer.words(
        Self.letters(access) + (isPartial ? "*" : ""), "cell-text on-\(access.rawValue)",
        x: x + Self.columnWidth / 2, y: top + Self.rowHeight / 2 + 4)
    }
  }

  private static func letters(_ access: AccessGraph.Access) -> String {
    switch access {
    case .none: ""
    case .read: "R"
    case .readWrite: "RW"
    case .noKey: "–"
    }
  }

  private func legend(_ writer: inout SVGWriter, top: Double) {
    var x = Size.margin - 4
    let entries: [(AccessGraph.Access, String)] = [
      (.readWrite, "reads and writes"), (.read, "reads"), (.noKey, "registered, but no key here"),
    ]
    for (access, words) in entries {
      draw(access, words, x: x, top: top, &writer)
      x += Self.columnWidth + 2
      writer.words(words, "small", x: x, y: top + Self.rowHeight / 2 + 4)
      x += words.estimatedWidth(size: Size.smallSize) + 18
    }
    var note =
      drawing.graph.apps.isEmpty
      ? AccessDrawing.emptyNote : "The number above each column is the number of items in the group."
    if rows.contains(where: { $0.cells.contains { $0.isPartial } }) { note += " * on some of its machines only." }
    writer.words(note, "small", x: Size.margin, y: top + Self.rowHeight + 20)
  }
}
