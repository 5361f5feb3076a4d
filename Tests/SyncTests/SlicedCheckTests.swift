import Coffer
import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// The check of the store's contents, a slice in each sync.
@Suite struct SlicedCheckTests {
  @Test(arguments: [1, 63, 64, 65, 4_095, 4_096, 4_097, 100_000] as [Int64])
  func `From every position, 64 slices contain every row`(end: Int64) {
    for minimum in [1, RowSlice.minimumCount] { expectEveryRow(upTo: end, minimum: minimum) }
  }

  private func expectEveryRow(upTo end: Int64, minimum: Int64) {
    for start in [0, 1, end / 2, end - 1, end, end + 7, -5, .max] {
      var covered: Set<Int64> = []
      var position = start
      for _ in 0..<RowSlice.rounds {
        let slice = RowSlice(after: position, upTo: end, minimumCount: minimum)
        covered.formUnion(slice.rows.clamped(to: 1...end))
        position = slice.next
      }
      #expect(covered.count == Int(end), "from \(start), \(minimum) at least")
    }
  }

  @Test(arguments: [
    ("record SET value = zeroblob(length(value)) WHERE id = 1", "table record"),
    ("record SET attributes = zeroblob(length(attributes)) WHERE id = 1", "table record"),
    ("segment SET envelope = zeroblob(length(envelope)) WHERE id = 1", "table segment"),
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
    try machine.coffer("sync")
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
    try machine.coffer("sync")
    #expect(try machine.get("0") == "value 0")
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
  }
}
