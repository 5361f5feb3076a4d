extension AccessGraph {
  /// An app or the owner, who can read a group, and where.
  package struct Reader: Hashable, Sendable {
    /// A machine, and what may be done there.
    package struct Place: Hashable, Sendable {
      package let machine: Machine
      package let isWritable: Bool
    }

    /// The app; nil for the owner.
    package let app: App?
    /// The machines, in the order of ``AccessGraph/machines``.
    package let places: [Place]
  }

  /// Returns who can read a group: the owner first, then the apps. Who has no key is no reader. With `isHereOnly`,
  /// other machines are left out, which do not have an item that stays on this one.
  package func readers(of group: String, onlyHere isHereOnly: Bool = false) -> [Reader] {
    guard let column = groups.firstIndex(where: { $0.id == group }) else { return [] }
    var places: [Int?: [Reader.Place]] = [:]
    for row in rows {
      let (access, machine) = (row.cells[column], machines[row.machine])
      guard access == .read || access == .readWrite, machine.isThisMachine || !isHereOnly else { continue }
      places[row.app, default: []].append(Reader.Place(machine: machine, isWritable: access == .readWrite))
    }
    let order: [Int?] = [nil] + apps.indices.map { $0 }
    return order.compactMap { index in
      places[index].map { Reader(app: index.map { apps[$0] }, places: $0) }
    }
  }
}
