import CofferTestSupport
import Foundation
import Testing

@Suite struct GraphCommandTests {
  private struct Facts: Decodable {
    struct App: Decodable {
      let id: String
      let bundleID: String
    }
    struct Group: Decodable {
      let group: String
      let itemCount: Int
    }
    struct Machine: Decodable {
      let id: String
      let name: String
      let isThisMachine: Bool
    }
    struct Fact: Decodable {
      let app: String?
      let machineID: String
      let group: String
      let access: String
    }
    let team: String
    let machines: [Machine]
    let apps: [App]
    let groups: [Group]
    let access: [Fact]
  }

  @Test func `graph prints who reads what as an SVG file, as a graph or as a matrix, without a passphrase`() throws {
    let machine = try Machine()
    try machine.coffer(
      "init", "--name", "laptop", "--passphrase-file", machine.directory.write("passphrase", "secret"),
      "--vault-key-file", machine.directory.path("vault-key"))
    try machine.coffer(
      "app", "add", Machine.entitlements(of: "PhotoPro"), "--passphrase-file", machine.directory.path("passphrase"))
    let graph = try machine.coffer("graph")
    #expect(graph.hasPrefix("<svg xmlns=") && graph.hasSuffix("</svg>"))
    #expect(graph.contains("com.example.photo.pro reads and writes: com.example.photo.purchases"))
    #expect(graph == (try machine.coffer("graph", "--graph")))
    let matrix = try machine.coffer("graph", "--matrix")
    #expect(matrix.contains("com.example.photo.pro reads and writes: com.example.photo.purchases on laptop"))
  }

  @Test func `graph --json prints machines, apps, groups and each access`() throws {
    let machine = try Machine.withExamples()
    try machine.coffer("set", "service", "jane", "--app", "com.example.photo.pro", input: "value")
    let facts = try machine.json(Facts.self, "graph")
    let prefix = facts.team + "."
    #expect(facts.machines.map(\.name) == ["laptop"] && facts.machines[0].isThisMachine)
    #expect(facts.apps.map(\.bundleID) == ["com.example.photo.free", "com.example.photo.pro"])
    #expect(
      facts.groups.map(\.group)
        == ["com.example.photo.free", "com.example.photo.pro", "com.example.photo.purchases"].map { prefix + $0 })
    #expect(facts.access.allSatisfy { $0.machineID == facts.machines[0].id })
    #expect(facts.groups.map(\.itemCount) == [0, 1, 0])
    let free = facts.access.filter { $0.app == prefix + "com.example.photo.free" }
    #expect(free.map(\.group) == [prefix + "com.example.photo.free", prefix + "com.example.photo.purchases"])
    #expect(free.map(\.access) == ["read-write", "read"])
    #expect(facts.access.filter { $0.app == nil }.map(\.access) == ["read-write", "read-write", "read-write"])
  }

  @Test func `graph prints no picture on a terminal without --force, and at most one form`() throws {
    let machine = try Machine.withExamples()
    let terminal = try PseudoTerminal(machine, "graph")
    #expect(terminal.wait() == 2)
    #expect(terminal.screen.contains("standard output is a terminal"))
    #expect(terminal.screen.contains("coffer graph > vault.svg") && !terminal.screen.contains("<svg"))
    let forced = try PseudoTerminal(machine, "graph", "--force")
    #expect(forced.wait() == 0 && forced.screen.contains("</svg>"))
    let both = try machine.run("coffer", "graph", "--matrix", "--graph")
    #expect(both.exitCode == 2 && both.errors.contains("give only one of --matrix, --graph and --json"))
  }
}
