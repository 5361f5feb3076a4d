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
      writer.element("text", ["class": "heading", "x": .number(Self.margin), "y": 32], title)
      writer.element("text", ["class": "small", "x": .number(Self.margin), "y": 52], subtitle)
      content(&writer)
    }
    return writer.text
  }

  // MARK: Links

  func link(toApp app: AccessGraph.App) -> String? { hasLinks ? "/apps/\(Self.encoded(app.id))" : nil }

  func link(toGroup group: AccessGraph.Group) -> String? { hasLinks ? "/groups/\(Self.encoded(group.id))" : nil }

  func link(toMachine machine: AccessGraph.Machine) -> String? {
    hasLinks ? "/machines#\(Self.encoded(machine.id))" : nil
  }

  func link(explaining app: AccessGraph.App, _ group: AccessGraph.Group) -> String? {
    hasLinks ? "/access/why?app=\(Self.encoded(app.id))&group=\(Self.encoded(group.id))" : nil
  }

  /// Returns a name for a part of a URL.
  private static func encoded(_ name: String) -> String {
    var result = ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }
}
