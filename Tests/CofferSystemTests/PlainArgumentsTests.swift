import CofferSystem
import Testing

@Suite struct PlainArgumentsTests {
  private func plain(_ arguments: String...) -> PlainArguments? {
    PlainArguments(arguments[...], options: ["--app", "--group"], flags: ["--raw"])
  }

  @Test func `Words, options and flags are read in any order`() throws {
    let arguments = try #require(plain("--app", "one", "service", "--raw", "account"))
    #expect(arguments.words == ["service", "account"])
    #expect(arguments["--app"] == "one" && arguments["--group"] == nil)
    #expect(arguments.has("--raw") && !arguments.has("--app"))
    #expect(try #require(plain()).words.isEmpty)
  }

  @Test(arguments: [
    ["--unknown"], ["-a"], ["-"], ["--"], ["--app"], ["--app", "--raw"], ["--app", "-x"], ["--app=one"],
    ["--app", "one", "--app", "two"], ["--raw", "--raw"], [""], ["--app", ""], ["--help"], ["word", "-h"],
  ])
  func `Arguments with another reading are not read`(arguments: [String]) {
    #expect(PlainArguments(arguments[...], options: ["--app", "--group"], flags: ["--raw"]) == nil)
  }
}
