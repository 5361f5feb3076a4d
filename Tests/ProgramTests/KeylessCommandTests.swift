import CofferTestSupport
import Foundation
import Testing

@Suite struct KeylessCommandTests {
  @Test func `status, log and graph work without any key of the owner or of an app`() throws {
    let machine = try Machine.withExamples()
    try machine.coffer("set", "service", "jane", "--app", "com.example.photo.pro", input: "value")
    let graph = try machine.coffer("graph")
    for file in ["admin", "delivery", "apps"] {
      try FileManager.default.removeItem(at: machine.vault.appending(path: file))
    }
    let read = try machine.run("coffer", "get", "service", "jane", "--app", "com.example.photo.pro")
    #expect(read.exitCode != 0 && read.errors.contains("has no credential on this machine"))

    let status = try machine.json(StatusReport.self, "status")
    #expect(status.appCount == 2 && status.itemCount == 1)
    #expect(try machine.coffer("log").hasSuffix(" entries: \(status.headPhrase)"))
    #expect(try machine.coffer("log", "--verify").contains("Head phrase: \(status.headPhrase)"))
    #expect(try machine.coffer("graph") == graph)
  }
}
