import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// What the machines that remain say of a revocation.
@Suite struct AcknowledgedRevocationTests {
  private let suite: ThreeMachines

  init() throws {
    suite = try ThreeMachines()
    try suite.third.set("mine", "by the third")
    try suite.sync(suite.third, suite.laptop)
  }

  private struct Status: Decodable {
    struct Unacknowledged: Decodable {
      let machine: String
      let revocationEntry: UInt64
    }
    let unacknowledged: [Unacknowledged]
  }

  /// The machines that have not confirmed, by the status of a machine.
  private func waiting(on machine: Machine) throws -> [String] {
    let report = try JSONDecoder().decode(Status.self, from: Data(machine.coffer("status", "--json").utf8))
    let entry = try machine.local.membership().revocations.last?.position.sequence
    #expect(report.unacknowledged.allSatisfy { $0.revocationEntry == entry })
    return report.unacknowledged.map(\.machine)
  }

  @Test func `Status names the machines that have not synced since a revocation, until they have`() throws {
    #expect(try waiting(on: suite.laptop).isEmpty)
    try suite.revoke()
    #expect(try waiting(on: suite.laptop) == ["third"])
    #expect(try suite.laptop.coffer("status").contains("third has not synced since"))
    // A machine that only reads says so too, once.
    try suite.sync(suite.third, suite.laptop, suite.third)
    for machine in [suite.laptop, suite.third] { #expect(try waiting(on: machine).isEmpty) }
    let tip = suite.remote.tip
    try suite.sync(suite.laptop, suite.third, suite.laptop)
    #expect(suite.remote.tip == tip)
    try suite.expectSound(suite.laptop, suite.third)
  }

  @Test func `A machine that writes after a revocation confirms it with what it writes`() throws {
    try suite.revoke()
    try suite.laptop.sync()
    let segments = try suite.remote.files().count { $0.hasPrefix("segments/") }
    try suite.third.set("new", "value")
    try suite.sync(suite.third, suite.laptop)
    #expect(try suite.remote.files().count { $0.hasPrefix("segments/") } == segments + 1)
    #expect(try waiting(on: suite.laptop).isEmpty)
  }

  @Test func `A machine that is cloned after a revocation confirms it with its first sync`() throws {
    try suite.revoke()
    let later = try suite.clone(named: "later")
    try suite.sync(later, suite.third, suite.laptop)
    #expect(try waiting(on: suite.laptop).isEmpty)
  }
}
