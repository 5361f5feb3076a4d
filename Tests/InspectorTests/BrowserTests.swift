import CofferTestSupport
import Testing

/// The pages of the inspector in a real browser. Each test in Python is an argument of one test here. They share a vault, an
/// inspector and a browser.
@Suite struct BrowserTests {
  private static let run = PythonTestRun(folder: "Tests/InspectorTests/Browser", packages: "browser")

  @Test(arguments: run.names) func `The pages pass in a real browser`(_ name: String) async throws {
    let result = try #require(await Self.run.results()[name], "the test did not run")
    #expect(result.passed, "\(result.message)")
  }

  @Test func `Every test in the browser has a result of its own`() async throws {
    #expect(Self.run.names.count > 40)
    #expect(try await Self.run.results().keys.sorted() == Self.run.names.sorted())
  }
}
