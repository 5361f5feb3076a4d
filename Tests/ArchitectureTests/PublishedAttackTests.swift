import CofferTestSupport
import Foundation
import Testing

/// The page PublishedAttacks says what stops each attack that was published on the field, and which test shows that.
@Suite struct PublishedAttackTests {
  /// A row of the page.
  private struct Row {
    let attack: String
    let publications: String
    let applies: String
    let tests: String
  }

  private let rows: [Row]

  init() throws {
    rows = try DocumentationPage("PublishedAttacks").lines
      .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| Attack |") }
      .map { line -> Row in
        let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
        try #require(cells.count == 5, "\(line)")
        return Row(attack: cells[0], publications: cells[1], applies: cells[2], tests: cells[4])
      }
  }

  @Test func `Each attack names tests that exist, or says why it is not in scope`() throws {
    let catalog = try TestCatalog()
    #expect((80...120).contains(rows.count))
    for row in rows where row.tests.wholeMatch(of: /not in scope: \w.+/) == nil {
      let tests = row.tests.matches(of: /`(\w+Tests)`: `([^`]+)`/)
      #expect(!tests.isEmpty && tests.map { String($0.0) }.joined(separator: "; ") == row.tests, "\(row.attack)")
      for test in tests { #expect(catalog.contains(test.2, of: test.1), "\(test.0)") }
    }
  }

  @Test func `Each attack has the address and the year of its publication, and says whether it applies`() {
    for row in rows {
      for publication in row.publications.components(separatedBy: "; ") {
        let form = /\[[^\]]+\]\(https:\/\/[^ )]+\), (comment of )?(19|20)\d\d/
        #expect(publication.wholeMatch(of: form) != nil, "\(row.attack): \(publication)")
      }
      #expect(["yes", "partly", "no", "open"].contains(row.applies), "\(row.attack)")
    }
  }

  @Test func `Each attack of ETH Zurich on four cloud password managers is in one row`() {
    let products = [("BW", 12), ("LP", 7), ("DL", 6), ("1P", 6)]
    let names = products.flatMap { product, count in (1...count).map { "\(product)\($0 < 10 ? "0" : "")\($0)" } }
    let found = rows.flatMap { row in row.attack.matches(of: /(BW|LP|DL|1P)\d\d/).map { String($0.0) } }
    #expect(found.sorted() == names.sorted())
  }
}
