import Coffer
import CofferAdministration
import CofferExchange
import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Logging
import Testing

/// Epochs that a sync begins by itself, and that the host does not let it begin.
@Suite struct EpochRollTests {
  private let machines: EpochMachines
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }

  init() throws { machines = try EpochMachines() }

  /// Syncs the laptop with an item, and begins an epoch if that is due, whatever its size.
  private func sync(_ account: String, _ value: String) throws -> SyncReport {
    try laptop.set(account, value)
    return try Synchronizer(
      laptop.local, epochByteCount: 1, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).run()
  }

  /// Makes the segments of the epoch larger than its snapshot.
  private func makeEpochLarge(_ size: Int = 50_000) throws {
    try laptop.set("changed", String(repeating: "x", count: size))
    try machines.sync(laptop)
    try laptop.set("changed", "small")
    try machines.sync(laptop)
  }

  /// Makes the host run a command for each push to the branch of the second epoch, after it has counted the push.
  private func answerBranch(_ command: String) throws {
    try remote.setPushHook(
      """
      while read old new ref; do
        case $ref in *vault-2-*) echo x >> attempts; \(command) ;; esac
      done
      exit 0
      """)
  }

  private var attempts: Int {
    let text = try? String(contentsOfFile: remote.path + "/attempts", encoding: .utf8)
    return text?.split(separator: "\n").count ?? 0
  }

  private func expectSynced(
    _ report: SyncReport, epoch: UInt32, sent: Int = 1, location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(report.epoch == epoch && report.problems.isEmpty, "\(report)", sourceLocation: location)
    #expect(report.recordsSent == sent, "\(report)", sourceLocation: location)
    #expect(try laptop.storedStatus().unsyncedChanges == 0, sourceLocation: location)
  }

  @Test func `A sync whose epoch cannot be begun has synced everything, and a later one begins it`() throws {
    try makeEpochLarge()
    try answerBranch("kill -9 $PPID")
    for number in 1...2 {
      try expectSynced(sync("first", "\(number)"), epoch: 1)
      #expect(attempts == number)
    }
    try remote.setPushHook(nil)
    try expectSynced(sync("second", "2"), epoch: 2)
    try machines.sync(machines.desktop)
    try machines.expect(
      ["kept": "1", "changed": "small", "first": "2", "second": "2"], on: laptop, machines.desktop)
  }

  @Test
  func `After a host has refused an epoch, no sync tries it before it has grown by a quarter, or at another remote`()
    throws
  {
    try makeEpochLarge()
    try answerBranch("exit 1")
    for number in 1...3 { try expectSynced(sync("first", "\(number)"), epoch: 1) }
    #expect(attempts == 1)
    try makeEpochLarge()
    try expectSynced(sync("second", "1"), epoch: 1)
    #expect(attempts == 2)
    try expectSynced(sync("second", "2"), epoch: 1)
    #expect(attempts == 2)
    // Another host may accept it.
    let other = try TemporaryRemote(copying: remote)
    try other.setPushHook(nil)
    try laptop.coffer("remote", "set", other.path)
    try expectSynced(sync("third", "1"), epoch: 2)
    #expect(try laptop.local.store.read { try $0.setting(.refusedEpochSize) } == nil)
  }

  private func measuredSize() throws -> Int? {
    try laptop.local.store.read { try $0.setting(.measuredEpochSize) }
      .flatMap { Int(String(decoding: $0, as: UTF8.self)) }
  }

  private func setMeasuredSize(_ byteCount: Int) throws {
    try laptop.local.store.write { try $0.setSetting(.measuredEpochSize, Array(String(byteCount).utf8)) }
  }

  @Test func `The limit of a large epoch is computed again after each MiB, and anew after another epoch or remote`()
    throws
  {
    // Larger than a MiB, and no larger than its snapshot.
    for number in 0..<5 { try laptop.set("large \(number)", String(repeating: "x", count: 300_000)) }
    try expectSynced(sync("first", "1"), epoch: 1, sent: 6)
    let size = try #require(try measuredSize())
    #expect((1_500_000..<2_500_000).contains(size))
    // Now it is larger, which the sync does not look at.
    for number in 0..<5 { try laptop.coffer("delete", "service", "large \(number)", "--app", app) }
    try setMeasuredSize(size - (1 << 19))
    try expectSynced(sync("first", "2"), epoch: 1, sent: 6)
    #expect(try measuredSize() == size - (1 << 19))
    try setMeasuredSize(size - (1 << 20))
    try expectSynced(sync("first", "3"), epoch: 2)
    #expect(try measuredSize() == nil)
    try setMeasuredSize(1)
    let remote = try TemporaryRemote()
    try laptop.coffer("remote", "set", remote.path)
    #expect(try measuredSize() == nil)
  }
}
