import CofferTestSupport
import Foundation
import Testing

/// What people are shown of a headless credential.
@Suite struct HeadlessStatusTests {
  @Test func `The status of a headless credential names no folder, and suggests no sync and no service`() throws {
    let suite = try HeadlessMachine.copy(withCredential: true)
    let outcome = try suite.run("status")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.text.contains(/Vault +in memory, read from the remote with a headless credential/), "\(outcome)")
    #expect(outcome.text.contains(suite.remote.path) && outcome.text.contains("Head phrase"), "\(outcome)")
    for part in [":memory:", "service install", "Not synced", "Last sync", "By itself"] {
      #expect(!outcome.text.contains(part), "\(part): \(outcome)")
    }
    // On a machine with a folder, all of that is there.
    let status = try suite.laptop.coffer("status")
    for part in [suite.laptop.vault.path, "service install", "Not synced", "Last sync"] {
      #expect(status.contains(part), "\(status)")
    }
  }

  @Test func `A picture of who reads what shows that a headless credential only reads`() throws {
    let suite = try HeadlessMachine.copy(withCredential: true)
    struct Graph: Decodable {
      struct Machine: Decodable {
        let id: String
        let name: String
        let isReadOnly: Bool
      }
      struct Fact: Decodable {
        let app: String?
        let machineID: String
        let access: String
      }
      let machines: [Machine]
      let access: [Fact]
    }
    let text = try suite.laptop.coffer("graph", "--json")
    let graph = try JSONDecoder().decode(Graph.self, from: Data(text.utf8))
    let readOnly = graph.machines.filter(\.isReadOnly)
    let credential = try #require(readOnly.first)
    #expect(credential.name == "ci" && readOnly.count == 1)
    let accesses = graph.access.filter { $0.machineID == credential.id && $0.app?.hasSuffix(".free") == true }
    #expect(accesses.contains { $0.access == "read" } && !accesses.contains { $0.access == "read-write" })
    #expect(
      graph.access.contains { $0.machineID != credential.id && $0.app != nil && $0.access == "read-write" }, "\(text)")
    let picture = try suite.laptop.coffer("graph")
    #expect(picture.contains("com.example.photo.free only reads on ci"), "\(picture)")
    #expect(picture.contains("ci: a headless credential, which only reads"), "\(picture)")
    #expect(picture.contains("com.example.photo.free has keys on laptop"), "\(picture)")
  }
}
