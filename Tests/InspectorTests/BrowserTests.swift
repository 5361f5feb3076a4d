import CofferTestSupport
import Testing

/// The pages of the inspector in a real browser. The tests in Python share a vault, an inspector and a browser.
@Suite struct BrowserTests {
  @Test func `The pages pass in a real browser`() async throws {
    let run = PythonTestRun(folder: "Tests/InspectorTests/Browser", packages: "browser")
    #expect(run.names.count > 40)
    // One test waits for all of them: tests that wait for the same run would keep others from running beside it.
    let results = try await run.results()
    #expect(results.keys.sorted() == run.names.sorted())
    for result in results.values { #expect(result.passed, "\(result.name): \(result.message)") }
  }
}
