import CofferTestSupport
import Foundation
import Testing

/// `Scripts/model` searches all states of models of the protocol. The models refer to sections of FORMAT.md and to the
/// code, which `Scripts/model` compares with the sources.
@Suite struct CheckedModelTests {
  private func run(_ arguments: [String]) throws -> Machine.Outcome {
    let machine = try Machine()
    return try machine.start(DocumentationPage.root.appending(path: "Scripts/model").path, arguments).wait()
  }

  /// In the ordinary run, the models with few states.
  private static let models = TestRun.rows(
    ["claims", "forks", "lanes", "records", "invitations", "epochs", "branches", "keys"], ordinarily: 4)

  @Test(arguments: models) func `Every promise of a model holds in all of its states`(model: String) throws {
    let outcome = try run([model])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.text.contains(try Regex("(?m)^\(model): [0-9]+ states, .*: all hold$")), "\(outcome)")
  }

  @Test(.inFullRun) func `Each rule that is left out makes a promise fail`() throws {
    let outcome = try run(["--self-test"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    let count = try #require(outcome.text.firstMatch(of: /(\d+) of (\d+) broken rules were found/))
    #expect(count.1 == count.2)
  }

  @Test func `A rule that is left out is shown with the steps to the promise that fails`() throws {
    let outcome = try run(["--break", "is-folded"])
    #expect(outcome.exitCode == 1)
    #expect(outcome.text.contains("no-parked-record-is-lost does not hold"), "\(outcome)")
    #expect(outcome.text.contains("P deletes the lane with p0"), "\(outcome)")
  }

  @Test func `The page CheckedModel has the promises and the rules as the models have them`() throws {
    let outcome = try run(["--table"])
    let printed = outcome.text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map(String.init)
    let shown = try DocumentationPage("CheckedModel").lines.filter { $0.hasPrefix("| ") }
    #expect(!printed.isEmpty && Set(printed).isSubset(of: shown))
  }
}
