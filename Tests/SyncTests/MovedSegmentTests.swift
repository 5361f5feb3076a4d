import CofferFormat
import CofferStore
import CofferTestSupport
import Foundation
import Testing

/// Genuine segments that a host shows in another place of the vault's branch.
@Suite struct MovedSegmentTests {
  /// Where the host shows a segment of the laptop.
  enum Place: CaseIterable, Sendable {
    /// In the desktop's stream, in place of the segment that has the same number there.
    case sameNumber
    /// In the desktop's stream, in place of a segment with another number.
    case otherNumber
    /// In the desktop's stream, as the segment that the desktop will write next.
    case nextNumber
    /// As above, and gone from the laptop's stream.
    case onlyThere
  }

  // Made once, and its files are only copied. Each machine has a stream with two segments.
  nonisolated(unsafe) private static let template = Result {
    let two = try TwoMachines()
    two.deleteAtExit()
    for number in 0..<2 {
      for (name, machine) in [("laptop", two.laptop), ("desktop", two.desktop)] {
        try machine.set("\(name) \(number)", "value")
        try machine.sync()
      }
    }
    try two.laptop.sync()
    return two
  }

  /// The segments of a machine's store, and what else it has published.
  private func contents(of machine: Machine) throws -> String {
    try Command.run(
      "sqlite3", machine.vault.appending(path: "store.sqlite").path,
      """
      SELECT hex(stream), number, hex(hash), hex(envelope) FROM segment ORDER BY 1, 2;
      SELECT sequence, hex(entry) FROM log ORDER BY 1;
      SELECT hex(hash) FROM record ORDER BY 1;
      """)
  }

  @Test(arguments: TestRun.rows(Place.allCases))
  func `A segment in the stream of another machine is named, changes nothing, and is removed or replaced`(
    place: Place
  ) throws {
    let two = try unsafe TwoMachines(copying: Self.template.get())
    let (source, target) = (try two.laptop.lastOwnSegment(), try two.desktop.lastOwnSegment())
    #expect(source.number == 1 && target.number == 1 && source.stream != target.stream)
    func path(_ stream: StreamID, _ number: UInt64) -> String { "segments/\(stream)/0/\(number)" }
    let number: UInt64 =
      switch place {
      case .sameNumber: 1
      case .otherNumber: 0
      case .nextNumber, .onlyThere: 2
      }
    // Somebody who has seen neither.
    let third = try Machine()
    try two.remote.tamper { tree in
      let file = tree.appending(path: path(target.stream, number))
      try? FileManager.default.removeItem(at: file)
      try FileManager.default.copyItem(at: tree.appending(path: path(source.stream, 1)), to: file)
      if place == .onlyThere { try FileManager.default.removeItem(at: tree.appending(path: path(source.stream, 1))) }
    }
    let shown = two.remote.tip
    let all = ["laptop 0": "value", "laptop 1": "value", "desktop 0": "value", "desktop 1": "value"]
    let words = "has a segment \(number) of stream \(target.stream) that is not valid: it belongs to another place"
    for machine in [two.laptop, two.desktop] {
      try two.remote.serve(shown)
      let before = try contents(of: machine)
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains(words), "\(sync)")
      #expect(try contents(of: machine) == before)
      #expect(try machine.storedValues() == all)
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
    }
    let clone = try third.run(
      "coffer", "clone", "--name", "third", "--no-passphrase", "--vault-key-file", two.key, two.remote.path)
    #expect(clone.exitCode == 0, "\(clone)")
    // The machines have put right what was wrong, and go on.
    try two.desktop.set("later", "value")
    for machine in [two.desktop, two.laptop, third] {
      try machine.sync()
      #expect(try machine.storedValues() == all.merging(["later": "value"]) { $1 })
    }
    #expect(try two.remote.files().count { $0.hasPrefix("segments/") } == 5)
  }
}
