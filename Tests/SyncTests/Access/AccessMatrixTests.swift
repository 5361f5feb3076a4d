import CofferTestSupport
import Foundation
import Testing

@Suite struct AccessMatrixTests {
  @Test(arguments: TestRun.rows(AccessActor.allCases, ordinarily: 5))
  func `Each actor can do what the table of the documentation says, and nothing else`(actor: AccessActor) throws {
    let expected = try #require(AccessMatrix.expected.first { $0.actor == actor }?.results)
    let found = try AccessScene(actor).results()
    for (action, (found, expected)) in zip(AccessMatrix.Action.allCases, zip(found, expected)) {
      #expect(found == expected, "\(actor.rawValue): \(action.rawValue)")
    }
  }

  @Test func `The documentation has the table that is tested`() throws {
    let lines = try DocumentationPage("AccessMatrix").lines.filter { $0.hasPrefix("|") }
    #expect(lines == AccessMatrix.lines, "The table is:\n\(AccessMatrix.lines.joined(separator: "\n"))")
  }
}
