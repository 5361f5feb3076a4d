internal import CofferSystem

/// A picture of who reads what, as SVG: without scripts and references to other files, light or dark as the viewer
/// prefers, and always the same for the same graph.
package struct AccessDrawing: Sendable {
  package enum Form: String, Hashable, Sendable, CaseIterable {
    /// The graph if it is legible, otherwise the matrix.
    case automatic
    /// Apps in rows, access groups in columns.
    case matrix
    /// Machines, apps and access groups as boxes in three columns, with lines between them.
    case graph
  }

  let graph: AccessGraph
  let form: Form
  let hasLinks: Bool
  let embedsStyle: Bool

  /// With `hasLinks`, names link to the inspector's pages. With `embedsStyle`, the document contains ``styleSheet``; a
  /// page whose rules forbid inline styles links it instead.
  package init(of graph: AccessGraph, as form: Form = .automatic, hasLinks: Bool = false, embedsStyle: Bool = true) {
    self.graph = graph
    self.form = form
    self.hasLinks = hasLinks
    self.embedsStyle = embedsStyle
  }

  /// The form that is drawn: never ``Form/automatic``.
  package var chosenForm: Form {
    guard form == .automatic else { return form }
    return GraphLayout(graph).isLegible ? .graph : .matrix
  }

  /// The document.
  package var svg: String {
    switch chosenForm {
    case .graph: GraphDrawing(drawing: self, layout: GraphLayout(graph)).svg
    case .matrix, .automatic: MatrixDrawing(drawing: self).svg
    }
  }

  // MARK: Shared parts

  /// The size of text, and of the smaller text.
  static let textSize = 13.0
  static let smallSize = 11.0
  /// The size of text that is about as wide as bold text.
  static let boldSize = textSize * 1.12
  static let margin = 24.0
  /// The space above the picture for its title.
  static let headerHeight = 64.0

  static let emptyNote = "No app is registered yet. Register one with: coffer app add FILE.entitlements"

  var title: String { "Who reads what" }

  /// The numbers, as a phrase.
  var subtitle: String {
    "\(counted(graph.apps.count, "app")) on \(counted(graph.machines.count, "machine")), \(counted(graph.groups.count, "access group"))"
  }

  /// Writes a document with a title, a background and a description for screen readers.
  func document(
    _ name: String, width: Double, height: Double, description: String, _ content: (inout SVGWriter) -> Void
  ) -> String {
    var writer = SVGWriter()
    writer.element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "class": "access-picture", "width": .number(width),
        "height": .number(height), "viewBox": .text("0 0 \(Int(width.rounded(.up))) \(Int(height.rounded(.up)))"),
        // An image has no parts for screen readers, so a picture with links must not be one.
        "role": .text(hasLinks ? "group" : "img"),
        "aria-labelledby": .text("access-\(name)-title access-\(name)-description"),
      ]
    ) { writer in
      writer.element("title", ["id": .text("access-\(name)-title")], "\(title): \(subtitle)")
      writer.element("desc", ["id": .text("access-\(name)-description")], description)
      if embedsStyle { writer.style(Self.styleSheet) }
      writer.empty("rect", ["class": "background", "width": .number(width), "height": .number(height)])
      writer.words(title, "heading", x: Self.margin, y: 32)
      writer.words(subtitle, "small", x: Self.margin, y: 52)
      content(&writer)
    }
    return writer.text
  }

  // MARK: Links

  func link(toApp app: AccessGraph.App) -> String? { hasLinks ? "/apps/\(PercentEscapes.encode(app.id))" : nil }

  func link(toGroup group: AccessGraph.Group) -> String? {
    hasLinks ? "/groups/\(PercentEscapes.encode(group.id))" : nil
  }

  func link(toMachine machine: AccessGraph.Machine) -> String? {
    hasLinks ? "/machines#\(PercentEscapes.encode(machine.id))" : nil
  }
}

extension AccessDrawing {
  /// The style sheet of every drawing, also for pages that show one without its own. Each rule begins with the class of
  /// the picture.
  package static let styleSheet =
    rules(for: light) + "@media screen and (prefers-color-scheme: dark) {\n" + rules(for: dark) + "}\n" + shape

  /// Colours, as literals: variables of CSS are unknown to many programs that draw SVG files.
  private struct Palette {
    let background, ink, faint, line, stripe, node, nodeLine: String
    let write, onWrite, read, onRead, missing: String
    /// The colours of the lines of apps, in turn.
    let lines: [String]
  }

  /// The number of colours that lines have.
  static let lineColors = 6

  private static let light = Palette(
    background: "#ffffff", ink: "#1c2430", faint: "#5b6675", line: "#d5dbe3", stripe: "#f4f6f9", node: "#f8fafc",
    nodeLine: "#aab4c2", write: "#1d5fb8", onWrite: "#ffffff", read: "#cfe2fb", onRead: "#123a73", missing: "#b45309",
    lines: ["#1d5fb8", "#b4450b", "#0f766e", "#8b2fb0", "#4d6b0e", "#b0276b"])

  private static let dark = Palette(
    background: "#12161c", ink: "#e6ebf2", faint: "#a3afbf", line: "#333c48", stripe: "#1a2028", node: "#1c232c",
    nodeLine: "#566374", write: "#7db4ff", onWrite: "#0b1626", read: "#1f3b63", onRead: "#cfe2fb", missing: "#f0a54a",
    lines: ["#7db4ff", "#ff9d6b", "#4fd1c0", "#d59bf0", "#b8d46a", "#ff8fc4"])

  private static func rules(for palette: Palette) -> String {
    var rules = [
      (".background", "fill: \(palette.background)"),
      ("text", "fill: \(palette.ink)"),
      (".small", "fill: \(palette.faint)"),
      (".rule", "stroke: \(palette.line)"),
      (".stripe", "fill: \(palette.stripe)"),
      (".node", "fill: \(palette.node); stroke: \(palette.nodeLine)"),
      (".node-machine", "stroke: \(palette.faint)"),
      (".node-group", "fill: \(palette.read); stroke: \(palette.write)"),
      (".on-group, .on-group-small", "fill: \(palette.onRead)"),
      (".cell-read-write", "fill: \(palette.write)"),
      (".cell-read", "fill: \(palette.read)"),
      (".cell-no-key", "stroke: \(palette.missing)"),
      (".on-read-write", "fill: \(palette.onWrite)"),
      (".on-read", "fill: \(palette.onRead)"),
      (".on-no-key", "fill: \(palette.missing)"),
      (".line-machine", "stroke: \(palette.nodeLine)"),
      (".line-no-key", "stroke: \(palette.missing)"),
      (".line-legend", "stroke: \(palette.ink)"),
    ]
    for (index, color) in palette.lines.enumerated() { rules.append((".line-\(index)", "stroke: \(color)")) }
    return rules.map { names, body in
      names.split(separator: ", ").map { ".access-picture \($0)" }.joined(separator: ", ") + " { \(body) }\n"
    }.joined()
  }

  /// The rules that are the same in light and dark.
  private static let shape = """
    .access-picture { color-scheme: light dark }
    .access-picture text { font: \(Int(textSize))px system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif }
    .access-picture text.heading { font-size: 20px; font-weight: 600 }
    .access-picture text.small, .access-picture text.on-group-small { font-size: \(Int(smallSize))px }
    .access-picture text.strong { font-weight: 600 }
    .access-picture text.cell-text { font-size: \(Int(smallSize))px; font-weight: 700; text-anchor: middle }
    .access-picture text.number { text-anchor: middle; font-size: \(Int(smallSize))px }
    .access-picture .rule { stroke-width: 1 }
    .access-picture .node { stroke-width: 1.2 }
    .access-picture .cell-no-key { fill: none; stroke-width: 1.4; stroke-dasharray: 3 2 }
    .access-picture .line { fill: none; stroke-width: 1.8; stroke-linecap: round }
    .access-picture .line-read { stroke-dasharray: 7 5 }
    .access-picture .line-no-key { stroke-dasharray: 1 5 }
    .access-picture .line-machine { stroke-width: 1.2 }
    .access-picture a { cursor: pointer }
    .access-picture a:hover text, .access-picture a:focus-visible text { text-decoration: underline }

    """
}
