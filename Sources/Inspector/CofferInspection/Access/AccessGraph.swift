internal import CofferAdministration
internal import CofferFormat
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Who reads what: the apps and owners on each machine, and what each may do in each access group.
package struct AccessGraph: Hashable, Sendable {
  package struct Machine: Hashable, Sendable, Encodable {
    package let id: String
    package let name: String
    package let isThisMachine: Bool
    package let isAdmin: Bool
    /// Whether it is a headless credential: every machine refuses what its apps sign.
    package var isReadOnly = false
  }

  package struct App: Hashable, Sendable, Encodable {
    /// The full application identifier.
    package let id: String
    /// The identifier without the team.
    package let name: String
    package let requiresPassphrase: Bool
    /// The name for people; the identifier if that would be the name of another app too.
    package let title: String

    private enum CodingKeys: String, CodingKey {
      case id, requiresPassphrase
      case name = "bundleID"
    }
  }

  package struct Group: Hashable, Sendable, Encodable {
    /// The full name.
    package let id: String
    /// The name without the team.
    package let name: String
    package let itemCount: Int

    private enum CodingKeys: String, CodingKey {
      case itemCount
      case id = "group"
    }
  }

  /// What an app or the owner on a machine may do in a group.
  package enum Access: String, Hashable, Sendable, Encodable {
    case none
    case read
    case readWrite = "read-write"
    /// The registration gives the right, but no key of the group is sealed to the app on this machine.
    case noKey = "no-key"

    /// The access in words, for a sentence after the name of an app.
    package var words: String {
      switch self {
      case .none: "has no access"
      case .read: "reads"
      case .readWrite: "reads and writes"
      case .noKey: "is registered, but has no key here"
      }
    }
  }

  /// An app on a machine, or the machine's owner.
  package struct Row: Hashable, Sendable {
    /// The index in ``AccessGraph/apps``; nil for the owner.
    package let app: Int?
    /// The index in ``AccessGraph/machines``.
    package let machine: Int
    /// Whether the log gives the app keys of its own on this machine.
    package let isInstalled: Bool
    /// The access to each group, in the order of ``AccessGraph/groups``.
    package let cells: [Access]
  }

  /// The name of the vault's team, which all full names begin with.
  package let team: String
  package let machines: [Machine]
  package let apps: [App]
  package let groups: [Group]
  /// The owners first, then each app with its machines. An app that is on no machine has a row for each machine too.
  package let rows: [Row]
}

extension AccessFacts {
  /// The graph of this membership.
  package var graph: AccessGraph {
    let machines = sortedMachines
    let apps = sortedApps
    let groups = sortedGroups
    let titles = TeamNames.words(of: apps.map(\.id.bundleID.description))
    var rows: [AccessGraph.Row] = []
    for (index, machine) in machines.enumerated() {
      guard let admin = machine.admin else { continue }
      rows.append(
        AccessGraph.Row(
          app: nil, machine: index, isInstalled: true,
          cells: groups.map { hasKey(admin, of: $0) ? .readWrite : .noKey }))
    }
    for (index, app) in apps.enumerated() {
      let rights = groups.map { app.entitlements.access(to: $0.name) }
      for (place, machine) in machines.enumerated() {
        let principals = principals[PrincipalPlace(app: app.id, machine: machine.id)] ?? []
        rows.append(
          AccessGraph.Row(
            app: index, machine: place, isInstalled: !principals.isEmpty,
            cells: zip(groups, rights).map { group, right in
              guard let right else { return .none }
              guard principals.contains(where: { hasKey($0.id, of: group) }) else { return .noKey }
              return right == .readWrite && !machine.isReadOnly ? .readWrite : .read
            }))
      }
    }
    return AccessGraph(
      team: membership.team.description,
      machines: machines.map {
        AccessGraph.Machine(
          id: $0.id.description, name: name(of: $0.id), isThisMachine: $0.id == own, isAdmin: $0.admin != nil,
          isReadOnly: $0.isReadOnly)
      },
      apps: apps.map {
        AccessGraph.App(
          id: $0.id.description, name: $0.id.bundleID.description, requiresPassphrase: $0.statement.requiresPassphrase,
          title: titles[$0.id.bundleID.description] ?? $0.id.bundleID.description)
      },
      groups: groups.map {
        AccessGraph.Group(
          id: $0.name.description, name: shortName($0.name.description), itemCount: itemCount(in: $0.id))
      }, rows: rows)
  }

  /// Returns a name without the vault's team, which all of them share.
  func shortName(_ name: String) -> String { membership.team.removed(from: name) }
}

extension AccessGraph: Encodable {
  /// What one app or owner may do in one group.
  private struct Fact: Encodable {
    /// The app's identifier; null for the owner.
    let app: String?
    /// The machine's identifier: two machines can have one name.
    let machineID: String
    let group: String
    let access: Access

    private enum CodingKeys: String, CodingKey { case app, machineID, group, access }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(app, forKey: .app)
      try container.encode(machineID, forKey: .machineID)
      try container.encode(group, forKey: .group)
      try container.encode(access, forKey: .access)
    }
  }

  private enum CodingKeys: String, CodingKey { case team, machines, apps, groups, access }

  /// Encodes the machines, apps and groups, and one fact for each access that is not "none".
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(team, forKey: .team)
    try container.encode(machines, forKey: .machines)
    try container.encode(apps, forKey: .apps)
    try container.encode(groups, forKey: .groups)
    try container.encode(
      rows.flatMap { row in
        zip(groups, row.cells).compactMap { group, access in
          access == .none
            ? nil
            : Fact(
              app: row.app.map { apps[$0].id }, machineID: machines[row.machine].id, group: group.id, access: access)
        }
      }, forKey: .access)
  }
}

extension AccessGraph {
  /// What an app or the owner may do on all machines together.
  package struct Summary: Hashable, Sendable {
    package struct Cell: Hashable, Sendable {
      /// The most that is possible on any machine.
      package let access: Access
      /// The machines on which that is possible, or something less.
      package let machines: [Int]
      /// Whether it is so on some of the machines with keys only.
      package let isPartial: Bool
    }

    /// The index in ``AccessGraph/apps``; nil for the owner.
    package let app: Int?
    /// The rows of the machines on which the log gives it keys.
    package let installed: [Row]
    /// The access to each group, in the order of ``AccessGraph/groups``.
    package let cells: [Cell]
  }

  /// One summary for the owner, and one for each app.
  package var summaries: [Summary] {
    let places = Dictionary(grouping: rows, by: \.app)
    return ([nil] + apps.indices.map { Optional($0) }).compactMap { app in
      guard let rows = places[app] else { return nil }
      let installed = rows.filter(\.isInstalled)
      let cells = groups.indices.map { group in
        let all = Set(rows.map { $0.cells[group] })
        let best = [.readWrite, .read, .noKey].first(where: all.contains) ?? Access.none
        let holders = installed.filter { [.read, .readWrite].contains($0.cells[group]) }.map(\.machine)
        return Summary.Cell(
          access: best, machines: holders, isPartial: !holders.isEmpty && holders.count < installed.count)
      }
      return Summary(app: app, installed: installed, cells: cells)
    }
  }

  /// Returns what an app or the owner may do in a group, and where, as a clause.
  package func words(for summary: Summary, at group: Int) -> String {
    let cell = summary.cells[group]
    let places = cell.machines.isEmpty ? "" : " on \(list(cell.machines.map { machines[$0].name }))"
    return "\(summary.app.map { apps[$0].name } ?? "The owner") \(cell.access.words): \(groups[group].name)\(places)"
  }

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
