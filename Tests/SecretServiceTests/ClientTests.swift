import CofferTestSupport
import Testing

/// Real clients of the secret service, over session buses of their own.
@Suite struct ClientTests {
  @Test func `Clients get what they expect of a secret service`() throws {
    let run = PythonTestRun(folder: "Tests/SecretServiceTests/Clients", packages: "clients")
    #expect(run.names.count > 50)
    // One test waits for all of them: tests that wait for the same run would keep others from running beside it.
    let results = try run.results()
    #expect(results.keys.sorted() == run.names.sorted())
    for result in results.values { #expect(result.passed, "\(result.name): \(result.message)") }
  }
}
