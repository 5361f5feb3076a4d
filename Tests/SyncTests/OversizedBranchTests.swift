import CofferCrypto
import CofferExchange
import CofferGit
import CofferTestSupport
import CofferVault
import Logging
import Synchronization
import Testing

/// A branch that is larger than a transfer may be.
@Suite struct OversizedBranchTests {
  private static let name = "vault-9-00000000000000ff"
  private let machines: EpochMachines

  init() throws { machines = try EpochMachines() }

  /// Syncs with a small limit. Returns the problems, and the number of bytes that arrived.
  private func sync() throws -> (problems: [String], byteCount: Int) {
    var access = RemoteAccess()
    access.limits.maximumBytes = 200_000
    let received = Mutex(0)
    let report = try Synchronizer(
      machines.desktop.local, access: access, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      progress: { step in received.withLock { $0 = max($0, step.bytes) } }
    ).run()
    return (report.problems.map(\.message), received.withLock { $0 })
  }

  @Test func `It is named at each sync, and fetched again only if it has changed`() throws {
    try machines.commit(["opened": Random.bytes(count: 400_000)], to: Self.name, from: "vault-1")
    let first = try sync()
    #expect(first.problems.contains { $0.contains("\(Self.name) that cannot be fetched") }, "\(first)")
    #expect(first.byteCount > 100_000)
    for _ in 0..<2 {
      let next = try sync()
      #expect(next.problems.contains { $0.contains("\(Self.name) that is larger than a transfer") }, "\(next)")
      #expect(next.byteCount < 100_000)
    }
    try machines.commit(["opened": Random.bytes(count: 300_000)], to: Self.name, from: "vault-1")
    #expect(try sync().problems.contains { $0.contains("\(Self.name) that cannot be fetched") })
    // As long as it was not read, the vault may continue there.
    try machines.remote.git("update-ref", "-d", "refs/heads/vault-1")
    #expect(try sync().problems.contains { $0.contains("nothing is sent until it was") })
    #expect(try machines.branches() == [Self.name])
  }
}
