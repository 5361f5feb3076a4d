import CofferTestSupport
import Testing

/// Real clients of the secret service, over session buses of their own. Each test in Python is an argument of one test here.
@Suite struct ClientTests {
  private static let run = PythonTestRun(folder: "Tests/SecretServiceTests/Clients", packages: "clients")

  @Test(arguments: run.names) func `Clients get what they expect of a secret service`(_ name: String) async throws {
    let result = try #require(await Self.run.results()[name], "the test did not run")
    #expect(result.passed, "\(result.message)")
  }

  @Test func `Every test of a client has a result of its own`() async throws {
    #expect(Self.run.names.count > 50)
    #expect(try await Self.run.results().keys.sorted() == Self.run.names.sorted())
  }
}
