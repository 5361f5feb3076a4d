@testable import CofferInspection

extension AccessGraph {
  /// A graph with as many machines, apps and groups as a test asks for. Each app has a group of its own and shares
  /// others.
  ///
  /// - Parameters:
  ///   - apps: The number of apps.
  ///   - groups: The number of groups.
  ///   - machines: The number of machines.
  ///   - name: Returns the name of an app or group by its number.
  /// - Returns: The graph.
  static func sample(
    apps: Int, groups: Int, machines: Int, name: (String, Int) -> String = { "com.example.\($0).\($1)" }
  ) -> AccessGraph {
    let places = (0..<machines).map {
      Machine(
        id: "\($0)",
        name: ["laptop", "desktop", "phone", "server"].indices.contains($0)
          ? ["laptop", "desktop", "phone", "server"][$0] : "machine \($0)", isThisMachine: $0 == 0, isAdmin: $0 < 2)
    }
    let owners = (0..<min(machines, 2)).map {
      Row(app: nil, machine: $0, isInstalled: true, cells: Array(repeating: .readWrite, count: groups))
    }
    let rows = (0..<apps).flatMap { app in
      (0..<machines).map { machine in
        let isInstalled = (app + machine) % 3 != 2 || machine == 0 && app % 7 != 6
        let cells = (0..<groups).map { group -> Access in
          let right: Access =
            group == app % max(groups, 1)
            ? .readWrite
            : group % 5 == app % 5 && group < 6 ? .read : group == 2 && app % 2 == 0 ? .readWrite : .none
          return right != .none && !isInstalled ? .noKey : right
        }
        return Row(app: app, machine: machine, isInstalled: isInstalled, cells: cells)
      }
    }
    return AccessGraph(
      team: "HDSW5W23BK", machines: places,
      apps: (0..<apps).map {
        App(
          id: "HDSW5W23BK.\(name("app", $0))", name: name("app", $0), requiresPassphrase: $0 % 4 == 3,
          title: name("app", $0))
      },
      groups: (0..<groups).map {
        Group(id: "HDSW5W23BK.\(name("group", $0))", name: name("group", $0), itemCount: $0 * $0 * 37)
      }, rows: owners + rows)
  }
}
