import Coffer
import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// The check of the store's contents, a slice in each sync.
@Suite struct SlicedCheckTests {
  @Test(
    arguments: TestRun.rows(
      [1, 63, 64, 65, 4_095, 4_096, 4_097, 32_767, 32_768, 32_769, 100_000] as [Int64], ordinarily: 4))
  func `From every position, the slices of all rounds contain every row`(end: Int64) {
    let rounds = RowSlice.rounds(forRecords: end)
    for start in [0, 1, end / 2, end - 1, end, end + 7, -5, .max] {
      expectEveryRow(upTo: end, in: rounds, from: start) { RowSlice(after: $0, upTo: end, in: rounds) }
      for share in [0, 1, rounds - 2, -5, .max] {
        var share = share
        expectEveryRow(upTo: end, in: rounds, from: start) {
          RowSlice(after: $0, upTo: end, in: rounds, share: &share)
        }
      }
    }
  }

  private func expectEveryRow(
    upTo end: Int64, in rounds: Int64, from start: Int64, _ slice: (_ position: Int64) -> RowSlice
  ) {
    var covered: Set<Int64> = []
    var position = start
    for _ in 0..<rounds {
      let slice = slice(position)
      covered.formUnion(slice.rows)
      position = slice.next
    }
    #expect(covered == Set(1...end), "from \(start)")
  }

  @Test(arguments: [(100, 64), (32_768, 65), (100_000, 197)] as [(Int64, Int64)])
  func `A slice has at most 512 records, and a round takes longer the more there are`(count: Int64, rounds: Int64) {
    #expect(RowSlice.rounds(forRecords: count) == rounds)
    #expect(RowSlice(after: 0, upTo: count, in: rounds).rows.count <= RowSlice.recordCount)
  }

  @Test func `A round has every row although other rows come and go`() {
    var (position, share) = (Int64(0), Int64(0))
    var covered: Set<Int64> = []
    let rounds = RowSlice.rounds(forRecords: 100_000)
    for number in 0..<rounds {
      let end: Int64 = number.isMultiple(of: 3) ? 90 : 65
      let slice = RowSlice(after: position, upTo: end, in: rounds, share: &share)
      covered.formUnion(slice.rows)
      position = slice.next
    }
    #expect(covered.isSuperset(of: 1...65))
  }

  @Test func `Whatever a file says is due, a slice has few segments`() {
    var share = Int64.max
    let counts = (0..<4).map { _ in RowSlice(after: 0, upTo: 65, in: RowSlice.rounds, share: &share).rows.count }
    #expect(counts.allSatisfy { $0 <= 3 }, "\(counts)")
  }

  @Test func `Of a few large rows, most slices have none`() {
    var (position, share) = (Int64(0), Int64(0))
    let counts = (0..<RowSlice.rounds).map { _ in
      let slice = RowSlice(after: position, upTo: 7, in: RowSlice.rounds, share: &share)
      position = slice.next
      return slice.rows.count
    }
    #expect(counts.reduce(0, +) == 7 && counts.max() == 1)
  }

  @Test(arguments: [
    ("record SET value = zeroblob(length(value)) WHERE id = 1", "table record"),
    ("record SET attributes = zeroblob(length(attributes)) WHERE id = 1", "table record"),
    ("segment SET envelope = zeroblob(length(envelope)) WHERE id = 1", "table segment"),
    ("segment SET envelope = zeroblob(length(envelope)), id = 1 << 41 WHERE id = 1", "table segment"),
    ("segment SET envelope = zeroblob(length(envelope)), id = -7 WHERE id = 1", "table segment"),
    ("log SET envelope = zeroblob(length(envelope)) WHERE sequence = 1", "table log"),
  ])
  func `Contents that another program has changed are named and repaired within 64 syncs`(
    change: String, name: String
  ) throws {
    let machine = try Machine()
    let remote = try TemporaryRemote()
    try machine.makeVault()
    try machine.register("PhotoPro")
    try machine.coffer("remote", "set", remote.path)
    let plist = URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))
    let vault = try Vault.open(.file(plist), at: VaultLocation(folder: machine.vault))
    try vault.transaction {
      for number in 0..<150 {
        try vault.set("value \(number)", for: GenericPassword(service: "service", account: "\(number)"))
      }
    }
    // The first slice has been compared when the row is changed.
    try machine.sync()
    try Command.run("sqlite3", machine.vault.appending(path: "store.sqlite").path, "UPDATE \(change)")
    var named: Machine.Outcome?
    var count = 0
    while named == nil, count < RowSlice.rounds {
      let outcome = try machine.run("coffer", "sync")
      count += 1
      if outcome.exitCode != 0 { named = outcome }
    }
    let outcome = try #require(named, "\(count) syncs")
    #expect(outcome.exitCode == 6 && outcome.errors.contains(name), "\(outcome)")
    try machine.sync()
    #expect(try machine.get("0") == "value 0")
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
  }
}
