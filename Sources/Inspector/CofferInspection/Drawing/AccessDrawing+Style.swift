extension AccessDrawing {
  /// The style sheet of every drawing, also for pages that show one without its own. Each rule begins with the class of
  /// the picture.
  package static let styleSheet =
    rules(for: light) + "@media (prefers-color-scheme: dark) {\n" + rules(for: dark) + "}\n" + shape

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
