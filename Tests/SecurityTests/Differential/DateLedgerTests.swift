internal import Foundation
internal import Testing

/// Dates are checked by rules and not by a model, so these tests verify that the rules notice errors.
@Suite struct DateLedgerTests {
  private let added = Date(timeIntervalSinceReferenceDate: 1000)
  private let changed = Date(timeIntervalSinceReferenceDate: 2000)
  private var ledger = DateLedger()

  init() {
    ledger.touch(1, during: added...added)
    _ = ledger.check(created: added, modified: added, of: 1)
  }

  @Test func `Dates of an addition and of a change are accepted`() {
    var ledger = ledger
    #expect(ledger.check(created: added, modified: added, of: 1) == nil)
    ledger.touch(1, during: changed...changed)
    #expect(ledger.check(created: added, modified: changed, of: 1) == nil)
  }

  @Test func `Dates that no call explains are detected`() {
    var ledger = ledger
    let soon = added.addingTimeInterval(0.5)
    #expect(ledger.check(created: added, modified: soon, of: 1) != nil, "changed without a change")
    #expect(ledger.check(created: added, modified: added, of: 2) != nil, "an item that was never added")
    ledger.touch(1, during: changed...changed)
    #expect(ledger.check(created: added, modified: added, of: 1) != nil, "not changed by a change")
    #expect(ledger.check(created: soon, modified: changed, of: 1) != nil, "made at another time")
    #expect(ledger.check(created: changed, modified: added, of: 1) != nil, "changed before it was made")
  }
}
