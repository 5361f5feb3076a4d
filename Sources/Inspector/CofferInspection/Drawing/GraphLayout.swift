/// The boxes and lines of a graph of machines, apps and access groups, in an order with few crossings.
struct GraphLayout: Sendable {
  /// Apps with the same machines and the same access, or a single one.
  struct Bundle: Hashable, Sendable {
    /// The indices of the apps.
    let apps: [Int]
    /// The machines on which they have keys.
    let machines: Set<Int>
    /// The access to each group that is drawn, on any machine.
    let access: [AccessGraph.Access]
    /// The number of groups that no other app uses and that are not drawn.
    let ownGroups: Int
  }

  /// A line between an app and a group.
  struct Line: Hashable, Sendable {
    let bundle: Int
    let group: Int
    let access: AccessGraph.Access
  }

  /// The number of apps up to which each has a box of its own.
  private static let singleLimit = 24
  /// The numbers up to which a graph is legible.
  private static let boxLimit = 28
  private static let lineLimit = 90
  /// The number of lines up to which crossings are counted.
  private static let countedLines = 600

  let bundles: [Bundle]
  let lines: [Line]
  /// The number of groups that only one app uses and that are not drawn, because there are many boxes.
  let ownGroupCount: Int
  /// The number of lines between machines and apps.
  private let machineLines: Int
  /// The order from top to bottom of machines, bundles and groups, by their indices.
  private(set) var machineOrder: [Int]
  private(set) var bundleOrder: [Int]
  private(set) var groupOrder: [Int]

  init(_ graph: AccessGraph) {
    let isLarge = graph.apps.count > Self.singleLimit || graph.groups.count > Self.boxLimit
    let access = graph.summaries.filter { $0.app != nil }.map { $0.cells.map(\.access) }
    let own = graph.groups.indices.filter { group in isLarge && access.count { $0[group] != .none } == 1 }
    var single = graph.apps.indices.map { app in
      var shown = access[app]
      for group in own { shown[group] = .none }
      return Bundle(
        apps: [app], machines: Set(graph.rows.filter { $0.app == app && $0.isInstalled }.map(\.machine)), access: shown,
        ownGroups: own.count { access[app][$0] != .none })
    }
    if graph.apps.count > Self.singleLimit {
      // Sorted by the first app, because a dictionary has another order in each process.
      single = Dictionary(grouping: single) {
        Bundle(apps: [], machines: $0.machines, access: $0.access, ownGroups: $0.ownGroups)
      }.map { Bundle(apps: $1.flatMap(\.apps), machines: $0.machines, access: $0.access, ownGroups: $0.ownGroups) }
        .sorted { $0.apps[0] < $1.apps[0] }
    }
    machineLines = single.reduce(0) { $0 + $1.machines.count }
    bundles = single
    lines = single.enumerated().flatMap { index, bundle in
      bundle.access.enumerated().compactMap { group, access in
        access == .none ? nil : Line(bundle: index, group: group, access: access)
      }
    }
    machineOrder = Array(graph.machines.indices)
    bundleOrder = Array(single.indices)
    groupOrder = graph.groups.indices.filter { !own.contains($0) }
    ownGroupCount = own.count
    sort()
  }

  /// Whether the machines are drawn. If they had too many lines, the boxes of apps tell their number instead.
  var showsMachines: Bool { machineLines <= Self.lineLimit && machineOrder.count <= Self.boxLimit }

  /// Whether people can follow the lines.
  var isLegible: Bool {
    bundles.count <= Self.boxLimit && groupOrder.count <= Self.boxLimit && lines.count <= Self.lineLimit
      && showsMachines
  }

  // MARK: Order

  /// Orders each column by the mean place of the neighbours of its boxes, several times, and keeps the order with the
  /// fewest crossings.
  private mutating func sort() {
    guard !bundles.isEmpty else { return }
    var best = (machines: machineOrder, bundles: bundleOrder, groups: groupOrder, crossings: crossings)
    for _ in 0..<8 {
      let bundlePlaces = Self.places(bundleOrder)
      groupOrder = Self.sorted(groupOrder) { group in
        lines.filter { $0.group == group }.map { bundlePlaces[$0.bundle] }
      }
      machineOrder = Self.sorted(machineOrder) { machine in
        bundles.indices.filter { bundles[$0].machines.contains(machine) }.map { bundlePlaces[$0] }
      }
      let groupPlaces = Self.places(groupOrder)
      let machinePlaces = Self.places(machineOrder)
      bundleOrder = Self.sorted(bundleOrder) { bundle in
        lines.filter { $0.bundle == bundle }.map { groupPlaces[$0.group] }
          + bundles[bundle].machines.sorted().map { machinePlaces[$0] }
      }
      let count = crossings
      if count < best.crossings { best = (machineOrder, bundleOrder, groupOrder, count) }
    }
    (machineOrder, bundleOrder, groupOrder) = (best.machines, best.bundles, best.groups)
  }

  /// The place of each box in its column, from 0 to 1, by its index.
  private static func places(_ order: [Int]) -> [Double] {
    var places = [Double](repeating: 0, count: (order.max() ?? -1) + 1)
    for (place, index) in order.enumerated() { places[index] = (Double(place) + 0.5) / Double(order.count) }
    return places
  }

  private static func sorted(_ order: [Int], _ neighbours: (Int) -> [Double]) -> [Int] {
    order.enumerated().map { place, index in
      let places = neighbours(index)
      let mean =
        places.isEmpty ? (Double(place) + 0.5) / Double(order.count) : places.reduce(0, +) / Double(places.count)
      return (mean, place, index)
    }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
  }

  /// The number of pairs of lines that cross; 0 if there are too many lines to count them.
  private var crossings: Int {
    let bundlePlaces = Self.places(bundleOrder)
    let groupPlaces = Self.places(groupOrder)
    let machinePlaces = Self.places(machineOrder)
    let right = lines.map { (bundlePlaces[$0.bundle], groupPlaces[$0.group]) }
    let left =
      !showsMachines
      ? []
      : bundles.enumerated().flatMap { index, bundle in
        bundle.machines.sorted().map { (bundlePlaces[index], machinePlaces[$0]) }
      }
    guard right.count + left.count <= Self.countedLines else { return 0 }
    func count(_ lines: [(Double, Double)]) -> Int {
      var count = 0
      for (index, first) in lines.enumerated() {
        for second in lines[(index + 1)...] where (first.0 - second.0) * (first.1 - second.1) < 0 { count += 1 }
      }
      return count
    }
    return count(right) + count(left)
  }
}
