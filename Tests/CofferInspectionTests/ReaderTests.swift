import CofferInspection
import Testing

@Suite struct ReaderTests {
  @Test func `The readers of a group are its owner and apps with a key, each with its machines`() {
    let graph = AccessGraph.sample(apps: 3, groups: 2, machines: 3)
    let readers = graph.readers(of: graph.groups[0].id)
    #expect(readers.map { $0.app?.name } == [nil, "com.example.app.0", "com.example.app.2"])
    #expect(readers[0].places.map(\.machine.name) == ["laptop", "desktop"])
    #expect(readers[0].places.allSatisfy { $0.isWritable })
    for reader in readers { #expect(!reader.places.isEmpty) }
    #expect(graph.readers(of: "TEAM.com.example.none").isEmpty)
  }

  @Test func `An item that stays on this machine has no readers elsewhere`() {
    let graph = AccessGraph.sample(apps: 3, groups: 2, machines: 3)
    for reader in graph.readers(of: graph.groups[0].id, onlyHere: true) {
      #expect(reader.places.allSatisfy { $0.machine.isThisMachine })
    }
  }
}
