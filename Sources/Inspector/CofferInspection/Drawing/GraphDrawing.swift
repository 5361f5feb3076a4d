internal import CofferSystem

/// Draws who reads what as boxes in three columns, machines, apps and access groups, with lines between them.
struct GraphDrawing {
  private typealias Size = AccessDrawing

  /// A box: its place, its two lines of text, and the neighbours on either side.
  private struct Box {
    let title: String
    let name: String
    let detail: String
    let kind: String
    let link: String?
    var x = 0.0
    var y = 0.0
    var width = 0.0
    let column: Int
  }

  /// A line between two boxes, by their indices.
  private struct Line {
    let from: Int
    let to: Int
    let classes: String
    let words: String
  }

  private static let boxHeight = 46.0
  private static let rowHeight = 62.0
  private static let maximumTextWidth = 250.0
  private static let columnGap = 150.0
  private static let headHeight = 30.0
  private static let legendHeight = 56.0

  let drawing: AccessDrawing
  private var boxes: [Box] = []
  private var lines: [Line] = []
  private let columns: [Range<Int>]
  private let bodyHeight: Double
  private let ownGroupCount: Int
  private let width: Double

  init(drawing: AccessDrawing, layout: GraphLayout) {
    self.drawing = drawing
    let graph = drawing.graph
    ownGroupCount = layout.ownGroupCount
    let machines = layout.showsMachines ? layout.machineOrder.map { Self.box(of: graph.machines[$0], drawing) } : []
    let apps = layout.bundleOrder.map { Self.box(of: layout.bundles[$0], drawing, layout) }
    let groups = layout.groupOrder.map { Self.box(of: graph.groups[$0], drawing) }
    var boxes = machines + apps + groups
    columns = [
      0..<machines.count, machines.count..<machines.count + apps.count, machines.count + apps.count..<boxes.count,
    ]
    // More lines need more room to part.
    let gap = Self.columnGap + min(Double(layout.lines.count), 250)
    bodyHeight = Double(max(machines.count, apps.count, groups.count, 1)) * Self.rowHeight
    var x = Size.margin
    for column in columns where !column.isEmpty {
      let width = Self.width(of: boxes[column])
      // A column that is shorter than the others is in the middle, with more space between its boxes.
      let distance = min(bodyHeight / Double(column.count), Self.rowHeight * 2.5)
      let top =
        Size.headerHeight + Self.headHeight + (bodyHeight - Double(column.count) * distance) / 2
        + (distance - Self.rowHeight) / 2
      for (row, index) in column.enumerated() {
        boxes[index].x = x
        boxes[index].y = top + Double(row) * distance
        boxes[index].width = width
      }
      x += width + gap
    }
    width = max(x - gap + Size.margin, 780)
    self.boxes = boxes
    lines = Self.lines(layout, graph, columns)
  }

  // MARK: Boxes

  private static func box(of machine: AccessGraph.Machine, _ drawing: AccessDrawing) -> Box {
    let details = (machine.isThisMachine ? ["this machine"] : []) + (machine.isAdmin ? ["owner's keys"] : [])
    let role =
      machine.isAdmin
      ? "the owner's keys open every group"
      : machine.isReadOnly ? "a headless credential, which only reads" : "a member"
    return Box(
      title: "\(machine.name): \(role)", name: machine.name,
      detail: details.isEmpty ? machine.isReadOnly ? "reads only" : "apps only" : details.joined(separator: ", "),
      kind: "machine",
      link: drawing.link(toMachine: machine), column: 0)
  }

  private static func box(of bundle: GraphLayout.Bundle, _ drawing: AccessDrawing, _ layout: GraphLayout) -> Box {
    let apps = bundle.apps.map { drawing.graph.apps[$0] }
    let sealed = apps.filter(\.requiresPassphrase).count
    var detail =
      apps.count > 1
      ? "and \(counted(apps.count - 1, "app")) alike"
      : sealed == 1 ? "asks for the passphrase" : "starts without a passphrase"
    if bundle.ownGroups > 0 { detail += ", \(counted(bundle.ownGroups, "own group"))" }
    if !layout.showsMachines { detail += ", \(counted(bundle.machines.count, "machine"))" }
    let machines = bundle.machines.sorted().map { drawing.graph.machines[$0].name }
    return Box(
      title: apps.map(\.name).joined(separator: ", ")
        + (machines.isEmpty ? ": no keys on any machine" : ": keys on " + list(machines, limit: 30)),
      name: apps.first?.title ?? "", detail: detail, kind: "app",
      link: apps.count == 1 ? drawing.link(toApp: apps[0]) : nil, column: 1)
  }

  private static func box(of group: AccessGraph.Group, _ drawing: AccessDrawing) -> Box {
    Box(
      title: "\(group.id), \(counted(group.itemCount, "item"))", name: group.name,
      detail: counted(group.itemCount, "item"),
      kind: "group", link: drawing.link(toGroup: group), column: 2)
  }

  private static func width(of boxes: ArraySlice<Box>) -> Double {
    let widest = boxes.map {
      max($0.name.estimatedWidth(size: Size.boldSize), $0.detail.estimatedWidth(size: Size.smallSize))
    }.max()
    return min(max(widest ?? 0, 110), maximumTextWidth) + 28
  }

  // MARK: Lines

  private static func lines(_ layout: GraphLayout, _ graph: AccessGraph, _ columns: [Range<Int>]) -> [Line] {
    func indices(_ order: [Int], _ column: Range<Int>) -> [Int: Int] {
      Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, column.lowerBound + $0) })
    }
    let machines = layout.showsMachines ? indices(layout.machineOrder, columns[0]) : [:]
    let bundles = indices(layout.bundleOrder, columns[1])
    let groups = indices(layout.groupOrder, columns[2])
    var lines: [Line] = []
    for (index, bundle) in layout.bundles.enumerated() {
      let name = graph.apps[bundle.apps[0]].name
      for machine in bundle.machines.sorted() where layout.showsMachines {
        guard let from = machines[machine], let to = bundles[index] else { continue }
        lines.append(
          Line(
            from: from, to: to, classes: "line line-machine" + (graph.machines[machine].isReadOnly ? " line-read" : ""),
            words: graph.machines[machine].isReadOnly
              ? "\(name) only reads on \(graph.machines[machine].name)"
              : "\(name) has keys on \(graph.machines[machine].name)"))
      }
    }
    for line in layout.lines {
      guard let from = bundles[line.bundle], let to = groups[line.group] else { continue }
      // Neighbouring apps have different colours.
      let color = "line-\((from - columns[1].lowerBound) % AccessDrawing.lineColors)"
      let kind =
        switch line.access {
        case .readWrite: color
        case .read: "\(color) line-read"
        case .noKey, .none: "line-no-key"
        }
      let name = graph.apps[layout.bundles[line.bundle].apps[0]].name
      lines.append(
        Line(
          from: from, to: to, classes: "line \(kind)",
          words: "\(name) \(line.access.words): \(graph.groups[line.group].name)"))
    }
    return lines
  }

  /// Returns the height at which each line leaves its box and reaches the other one: lines of one side of a box are
  /// spread over it in the order of the boxes that they lead to, so that they do not cross there.
  private var ports: [(start: Double, end: Double)] {
    var starts: [Int: [Int]] = [:]
    var ends: [Int: [Int]] = [:]
    for (index, line) in lines.enumerated() {
      starts[line.from, default: []].append(index)
      ends[line.to, default: []].append(index)
    }
    var ports = lines.map { line in (start: boxes[line.from].y, end: boxes[line.to].y) }
    func place(_ rank: Int, of count: Int) -> Double {
      Self.boxHeight * (0.18 + 0.64 * (Double(rank) + 0.5) / Double(count))
    }
    for own in starts.values {
      for (rank, index) in own.sorted(by: { lines[$0].to < lines[$1].to }).enumerated() {
        ports[index].start += place(rank, of: own.count)
      }
    }
    for own in ends.values {
      for (rank, index) in own.sorted(by: { lines[$0].from < lines[$1].from }).enumerated() {
        ports[index].end += place(rank, of: own.count)
      }
    }
    return ports
  }

  // MARK: Drawing

  var svg: String {
    let height = Size.headerHeight + Self.headHeight + bodyHeight + Self.legendHeight + Size.margin
    return drawing.document("graph", width: width, height: height, description: description) { writer in
      for (column, name) in zip(columns, ["Machines", "Apps", "Access groups"]) {
        guard let first = column.first else { continue }
        writer.words(name, "strong", x: boxes[first].x, y: Size.headerHeight + 14)
      }
      for (line, ports) in zip(lines, ports) { draw(line, ports, &writer) }
      for box in boxes { draw(box, &writer) }
      if columns[1].isEmpty {
        writer.words(AccessDrawing.emptyNote, "small", x: Size.margin, y: height - Self.legendHeight - 8)
      }
      legend(&writer, top: height - Self.legendHeight)
    }
  }

  private var description: String {
    let shown = lines.filter { boxes[$0.from].column == 1 }.map(\.words)
    guard !shown.isEmpty else { return "No app is registered yet." }
    let rest = shown.count > 60 ? "; and \(shown.count - 60) others" : ""
    return shown.prefix(60).joined(separator: "; ") + rest + "."
  }

  private func draw(_ line: Line, _ ports: (start: Double, end: Double), _ writer: inout SVGWriter) {
    let start = boxes[line.from].x + boxes[line.from].width
    let end = boxes[line.to].x
    let bend = (end - start) * 0.5
    func number(_ value: Double) -> String { SVGWriter.Value.number(value).description }
    let path =
      "M \(number(start)) \(number(ports.start)) C \(number(start + bend)) \(number(ports.start)), \(number(end - bend)) \(number(ports.end)), \(number(end)) \(number(ports.end))"
    writer.element("path", ["class": .text(line.classes), "d": .text(path)]) { $0.title(line.words) }
  }

  private func draw(_ box: Box, _ writer: inout SVGWriter) {
    let text = box.width - 28
    let suffix = box.kind == "group" ? "on-group" : ""
    writer.group(link: box.link) { writer in
      writer.title(box.title)
      writer.box(
        "node node-\(box.kind)", x: box.x, y: box.y, width: box.width, height: Self.boxHeight,
        radius: box.kind == "machine" ? 3 : 10)
      writer.words(box.name.fitting(text, size: Size.boldSize), "strong \(suffix)", x: box.x + 14, y: box.y + 20)
      writer.words(
        box.detail.fitting(text, size: Size.smallSize), suffix.isEmpty ? "small" : "\(suffix)-small", x: box.x + 14,
        y: box.y + 36)
    }
  }

  private func legend(_ writer: inout SVGWriter, top: Double) {
    var x = Size.margin
    var entries = [
      ("line line-legend", "reads and writes"), ("line line-legend line-read", "reads"),
      ("line line-no-key", "registered, but no key anywhere"),
    ]
    if !columns[0].isEmpty { entries.append(("line line-machine", "has keys there")) }
    if drawing.graph.machines.contains(where: \.isReadOnly), !columns[0].isEmpty {
      entries.append(("line line-machine line-read", "only reads there"))
    }
    for (classes, words) in entries {
      writer.line(classes, from: x, to: x + 34, y: top + 16)
      writer.words(words, "small", x: x + 42, y: top + 20)
      x += 42 + words.estimatedWidth(size: Size.smallSize) + 16
    }
    writer.words(
      "The owner's keys on a machine open every group. The colours only tell the lines of apps apart."
        + (ownGroupCount > 0 ? " Own groups, which only one app uses, are not drawn." : ""), "small", x: Size.margin,
      y: top + 42)
  }
}
