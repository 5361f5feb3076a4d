import CofferTestSupport
import Testing

/// The pages of the inspector in a real browser. The tests in Python share a vault, an inspector and a browser.
@Suite struct BrowserTests {
  @Test func `The pages pass in a real browser`() throws {
    let run = PythonTestRun(folder: "Tests/InspectorTests/Browser", packages: "browser")
    #expect(run.names.count > 40)
    // One test waits for all of them: tests that wait for the same run would keep others from running beside it.
    let names = TestRun.rows(run.names, ordinarily: 8)
    let results = try run.results(of: names)
    #expect(results.keys.sorted() == names.sorted())
    for result in results.values { #expect(result.passed, "\(result.name): \(result.message)") }
  }
}
