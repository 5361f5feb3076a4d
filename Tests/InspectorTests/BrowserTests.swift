import Testing

/// The pages of the inspector in a real browser. Each test in Python is an argument of one test here.
@Suite struct BrowserTests {
  @Test(arguments: BrowserRun.names) func `The pages pass in a real browser`(_ name: String) async throws {
    let result = try #require(await BrowserRun.results()[name], "the test did not run")
    #expect(result.passed, "\(result.message)")
  }

  @Test func `Every test in the browser has a result of its own`() async throws {
    #expect(BrowserRun.names.count > 40)
    #expect(try await BrowserRun.results().keys.sorted() == BrowserRun.names.sorted())
  }
}
