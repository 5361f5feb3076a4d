import CofferFormat
import CofferTestSupport
import Foundation
import Testing

/// A vault with two transport keys, and somebody who has both and may push.
@Suite struct ResealedEntryTests {
  private let suite: ThreeMachines
  /// The entry with the second transport key, and its file.
  private let introducing: (path: String, file: [UInt8])
  /// The entry before it, and one after it, which are sealed under the first and the second key.
  private let others: [String]

  init() throws {
    suite = try ThreeMachines()
    try suite.laptop.set("kept", "1")
    try suite.revoke()
    try suite.sync(suite.third)
    try #require(try suite.laptop.addApp("later").exitCode == 0)
    try suite.sync(suite.third, suite.laptop)
    introducing = try suite.remote.introducing(generation: 2)
    let number = try #require(introducing.path.split(separator: "/").last.flatMap { UInt64($0) })
    others = [number - 1, number + 1].map { "log/\($0 / 64)/\($0)" }
  }

  private func put(_ file: [UInt8], at path: String) throws {
    try suite.remote.tamper { try Data(file).write(to: $0.appending(path: path)) }
  }

  private func storeByteCount(of machine: Machine) throws -> Int {
    let store = machine.vault.appending(path: "store.sqlite").path
    try Command.run("sqlite3", store, "PRAGMA wal_checkpoint(TRUNCATE)")
    return try #require(try FileManager.default.attributesOfItem(atPath: store)[.size] as? Int)
  }

  /// Expects that each machine names the altered file of an entry, pushes its own, and goes on.
  private func expectAltered(_ altered: [UInt8], at path: String) throws {
    let genuine = try suite.remote.bytes(of: path)
    let number = try #require(path.split(separator: "/").last)
    for machine in [suite.laptop, suite.third] {
      try put(altered, at: path)
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("log entry \(number) that is not valid"), "\(sync)")
      #expect(try suite.remote.bytes(of: path) == genuine)
    }
    try suite.sync(suite.laptop, suite.third)
    try suite.expectSound(suite.laptop, suite.third)
  }

  @Test(
    arguments: TestRun.rows(
      [
        Resealing.withoutBoxes, .withOneBoxLess, .withBoxesInAnotherOrder, .withAnotherBox, .withFurtherBoxes, .padded,
        .withAnotherSignature,
      ], ordinarily: 2))
  func `A transport key's entry that is sealed again in another form is named, and the genuine one pushed again`(
    _ resealing: Resealing
  ) throws {
    try expectAltered(suite.third.reseal(introducing.file, resealing), at: introducing.path)
    let clone = try suite.clone(named: "later")
    #expect(try clone.values() == ["kept": "1"])
  }

  @Test(arguments: TestRun.rows([Resealing.withFurtherBoxes, .padded, .underAnotherGeneration, .withAnotherSignature]))
  func `Any other entry that is sealed again in another form is named, and the genuine one pushed again`(
    _ resealing: Resealing
  ) throws {
    for path in others { try expectAltered(suite.third.reseal(suite.remote.bytes(of: path), resealing), at: path) }
    #expect(try suite.clone(named: "later").values() == ["kept": "1"])
  }

  @Test func `An entry that was sealed again with another nonce only is taken over, and nobody replaces it`() throws {
    for path in [introducing.path] + others {
      let again = try suite.third.reseal(suite.remote.bytes(of: path), .genuine)
      try put(again, at: path)
      let tip = suite.remote.tip
      try suite.sync(suite.laptop, suite.third)
      #expect(suite.remote.tip == tip)
      try suite.expectSound(suite.laptop, suite.third)
    }
  }

  @Test func `Entries that are sealed again with 4 MiB of padding do not make a store grow`() throws {
    let paths = try suite.remote.files().filter { $0.hasPrefix("log/") }
    let before = try storeByteCount(of: suite.third)
    try suite.remote.tamper { tree in
      for path in paths {
        let file = tree.appending(path: path)
        try Data(suite.third.reseal(Array(Data(contentsOf: file)), .padded)).write(to: file)
      }
    }
    let sync = try suite.third.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("log entry 1 that is not valid"), "\(sync)")
    #expect(try storeByteCount(of: suite.third) < before + (1 << 20))
    try suite.sync(suite.laptop)
    #expect(try suite.remote.bytes(of: introducing.path) == introducing.file)
    #expect(try suite.clone(named: "later").values() == ["kept": "1"])
  }

  // MARK: A machine that has not seen the genuine entry

  /// Returns the machine before it has synced with the vault's second transport key.
  private func absent() throws -> (suite: ThreeMachines, introducing: (path: String, file: [UInt8])) {
    let suite = try ThreeMachines()
    try suite.laptop.set("kept", "1")
    try suite.revoke()
    return (suite, try suite.remote.introducing(generation: 2))
  }

  @Test func `A machine that cannot open an entry without its boxes names it, keeps it, and pushes no entry over it`()
    throws
  {
    let (suite, introducing) = try absent()
    let altered = try suite.laptop.reseal(introducing.file, .withoutBoxes)
    try suite.remote.tamper { try Data(altered).write(to: $0.appending(path: introducing.path)) }
    for _ in 0..<2 {
      try suite.third.set("meanwhile", "2")
      let sync = try suite.third.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("sealed under an unknown transport key"), "\(sync)")
      #expect(try suite.remote.bytes(of: introducing.path) == altered)
    }
    let change = try suite.third.addApp("over-it")
    #expect(
      change.exitCode == 6 && change.errors.contains("a part of the last change of membership is missing"), "\(change)")
    #expect(try suite.remote.bytes(of: introducing.path) == altered)
    // Whoever has the genuine one puts it back.
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
    #expect(try suite.remote.bytes(of: introducing.path) == introducing.file)
    try suite.sync(suite.third, suite.laptop)
    for machine in [suite.third, suite.laptop] { #expect(try machine.values() == ["kept": "1", "meanwhile": "2"]) }
    #expect(try suite.third.status("headPhrase") == suite.laptop.status("headPhrase"))
  }

  @Test(arguments: TestRun.rows([Resealing.withoutBoxes, .withAnotherBox]))
  func `An entry with altered boxes is opened with later keys, and a clone restores it from the history`(
    _ resealing: Resealing
  ) throws {
    let (suite, introducing) = try absent()
    let new = try suite.rotate()
    let altered = try suite.laptop.reseal(introducing.file, resealing)
    try suite.remote.tamper { try Data(altered).write(to: $0.appending(path: introducing.path)) }
    let sync = try suite.third.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("altered boxes"), "\(sync)")
    #expect(try suite.third.values() == ["kept": "1"])
    let check = try suite.third.run("coffer", "check")
    #expect(check.exitCode == 6 && check.text.contains("were altered"), "\(check)")
    // A clone finds the genuine one in the history of the branch, and puts it back.
    #expect(try suite.remote.bytes(of: introducing.path) == altered)
    let clone = try suite.clone(named: "later", key: new)
    #expect(try clone.values() == ["kept": "1"])
    #expect(try suite.remote.bytes(of: introducing.path) == introducing.file)
    for machine in [suite.third, suite.laptop, clone] {
      try suite.sync(machine)
      try suite.expectSound(machine)
    }
    #expect(try suite.remote.bytes(of: introducing.path) == introducing.file)
  }
}
