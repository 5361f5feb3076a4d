import CofferFormat
import Coffer
import CofferTrust
import CofferCrypto
import CofferVault
import CofferStore
import CofferTestSupport
import Foundation
import Testing

/// A vault in its second epoch with two transport keys, and somebody who has both and may push.
@Suite struct ResealedObjectTests {
  private let suite: ThreeMachines
  private let epoch: EpochMachines
  private let branch: String

  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let template = Result {
    let suite = try ThreeMachines()
    let two = TwoMachines(suite.remote, suite.laptop, suite.third, key: suite.key)
    two.deleteAtExit()
    suite.desktop.directory.deleteAtExit()
    try suite.desktop.set("listed", "0")
    try suite.sync(suite.desktop)
    try suite.laptop.set("kept", "1")
    try suite.revoke()
    try suite.sync(suite.third)
    try suite.laptop.coffer("compact")
    try suite.laptop.set("after", "2")
    try suite.sync(suite.laptop, suite.third, suite.laptop)
    return two
  }

  init() throws {
    let two = try unsafe TwoMachines(copying: Self.template.get())
    epoch = EpochMachines(two)
    suite = ThreeMachines(two.remote, two.laptop, try Machine(), two.desktop, key: two.key)
    branch = try #require(try epoch.branches().first)
  }

  private func path(of kind: String) throws -> String {
    try #require(try epoch.files(of: branch).first { $0.hasPrefix(kind) }, "\(kind)")
  }

  /// Returns the object in a file of the branch.
  private func object(at path: String) throws -> [UInt8] {
    let envelope = try Envelope(bytes: epoch.bytes(of: path, at: branch))
    return try envelope.open(with: #require(try suite.third.local.deviceFile().transportKey(envelope.generation)).key)
  }

  /// Expects that each machine names the altered file, and pushes its own.
  private func expectAltered(_ altered: [UInt8], at path: String) throws {
    let genuine = try object(at: path)
    for machine in [suite.laptop, suite.third] {
      try epoch.commit([path: altered], to: branch)
      let problems = try epoch.problems(machine)
      #expect(problems.contains("that is not valid"), "\(problems)")
      #expect(try object(at: path) == genuine)
    }
    try epoch.expect(["listed": "0", "kept": "1", "after": "2"], on: suite.laptop, suite.third)
    let tip = try suite.remote.git("rev-parse", branch)
    try suite.sync(suite.laptop, suite.third)
    #expect(try suite.remote.git("rev-parse", branch) == tip)
  }

  @Test(
    arguments: TestRun.rows(
      ["segments/", "lists/", "checkpoints/", "snapshot/", "opened", "log/"], [Resealing.padded, .withFurtherBoxes],
      ordinarily: 3))
  func `A file that is sealed again with boxes or padding is named, and another machine's is pushed again`(
    kind: String, _ resealing: Resealing
  ) throws {
    let path = try path(of: kind)
    try expectAltered(suite.third.reseal(epoch.bytes(of: path, at: branch), resealing), at: path)
    #expect(try epoch.clone(named: "later").values() == ["listed": "0", "kept": "1", "after": "2"])
  }

  @Test func `A segment that is sealed again under another transport key is named, and the genuine one pushed again`()
    throws
  {
    let path = try path(of: "segments/")
    let genuine = try epoch.bytes(of: path, at: branch)
    try expectAltered(suite.third.reseal(genuine, .underAnotherGeneration), at: path)
    #expect(try epoch.bytes(of: path, at: branch) == genuine)
    let again = try suite.third.reseal(genuine, .genuine)
    try epoch.commit([path: again], to: branch)
    try suite.sync(suite.laptop, suite.third, suite.laptop)
    #expect(try epoch.bytes(of: path, at: branch) == again)
  }

  @Test func `Boxes that were altered in the store are found by check, and fetched again by a sync`() throws {
    let device = try suite.third.local.deviceFile()
    let stored = try #require(
      try suite.third.local.store.read { try $0.logEntries(after: 0) }.first { stored in
        let envelope = try Envelope(bytes: stored.envelope)
        return envelope.generation == 2 && !envelope.boxes.isEmpty && device.transportKey(2) != nil
      })
    for resealing in [Resealing.withoutBoxes, .withBoxesInAnotherOrder] {
      let altered = try suite.third.reseal(stored.envelope, resealing)
      try suite.third.local.store.write {
        try $0.repairLogEntry(stored.sequence, entry: stored.entry, envelope: altered)
      }
      let check = try suite.third.run("coffer", "check")
      #expect(check.exitCode == 6 && check.text.contains("the boxes of entry \(stored.sequence)"), "\(check)")
      let compact = try suite.third.run("coffer", "compact")
      #expect(compact.exitCode == 6 && compact.errors.contains("altered"), "\(compact)")
      _ = try suite.third.run("coffer", "check", "--repair")
      _ = try suite.third.run("coffer", "sync")
      try suite.expectSound(suite.third)
      #expect(try suite.third.local.store.read { try $0.logEntry(stored.sequence) }?.envelope == stored.envelope)
    }
  }
}
