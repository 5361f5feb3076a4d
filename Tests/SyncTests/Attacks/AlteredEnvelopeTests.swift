import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Files that somebody with a transport key seals again: without boxes or with others, with another size, or under
/// another generation. What they contain was signed, and is the same.
@Suite struct AlteredEnvelopeTests {
  /// Insiders with transport keys that others use, too.
  private static let insiders: [Insider] = [.revokedMachine, .headless]
  private static let boxChanges = [
    "--without-boxes", "--other-boxes", "--one-other-box", "--shuffled-boxes", "--boxes-for-me",
  ]

  private let vault: InsiderVault
  private let expected: [String: String]

  init() throws {
    vault = try InsiderVault(.init(hasNewVaultKey: true))
    expected = vault.acknowledged.merging(["pending": "5 pending"]) { $1 }
  }

  /// The files of the vault's branch: the identifier of each, by path.
  private func files() throws -> [String: String] {
    let lines = try vault.remote.git("ls-tree", "-r", vault.branch).split(separator: "\n")
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let parts = line.split(separator: "\t")
        return (String(parts[1]), String(parts[0].split(separator: " ")[2]))
      })
  }

  /// Expects that a machine names what was altered and puts back its own, and that everybody goes on.
  private func expectPutBack(_ before: [String: String], _ paths: [String], hiding insider: Insider) throws {
    try vault.third.set("pending", "5 pending")
    let problems = try vault.problems(vault.third)
    for path in paths {
      let number = try #require(path.split(separator: "/").last)
      #expect(problems.contains("log entry \(number) "), "\(path): \(problems)")
    }
    let after = try files()
    #expect(before.allSatisfy { after[$0.key] == $0.value })
    let clone = try Machine()
    let outcome = try vault.clone(on: clone)
    #expect(outcome.exitCode == 0 && !outcome.errors.contains("log entry"), "\(outcome)")
    try vault.expectAgreement(of: [clone, vault.third, vault.laptop], on: expected)
    #expect(try vault.third.coffer("check") == "The store matches its signed objects.")
    if !insider.readsOn { try vault.expectHidden(from: [insider]) }
  }

  @Test(arguments: TestRun.rows(insiders, boxChanges, ordinarily: 2))
  func `Boxes of the log that an insider removes, replaces or moves are named, put back and adopted by nobody`(
    insider: Insider, change: String
  ) throws {
    let (attacker, before) = (try vault.attacker(insider), try files())
    let boxed = try attacker.opened().boxed[vault.branch] ?? []
    #expect(boxed.count == (insider == .headless ? 2 : 0))
    // The others open only entries without boxes, to which they can add some.
    guard !boxed.isEmpty || !["--without-boxes", "--shuffled-boxes"].contains(change) else { return }
    let paths = boxed.isEmpty ? ["log/0/1"] : boxed
    for path in paths { try attacker.run("replace", path, change, on: vault.branch) }
    try expectPutBack(before, paths, hiding: insider)
  }

  @Test(arguments: TestRun.rows([VaultReader.clone, .rejoined, .invited]))
  func `Without the boxes of earlier transport keys, a new machine reads the vault with later ones`(
    reader: VaultReader
  ) throws {
    let attacker = try vault.attacker(.headless)
    let path = try #require(try attacker.opened().boxed[vault.branch]?.first)
    try attacker.run("replace", path, "--without-boxes", on: vault.branch)
    let number = try #require(path.split(separator: "/").last)
    try vault.expect(reader, names: "log entry \(number) ", hidingFrom: [.revokedAdmin, .revokedMachine, .oldRoot])
  }

  @Test(arguments: TestRun.rows(insiders))
  func `Files that an insider pads further are named, put back and fill no store`(insider: Insider) throws {
    let (attacker, before) = (try vault.attacker(insider), try files())
    let size = vault.third.storeByteCount()
    // A sync lists the first 40 files.
    let entries = (1...25).map { "log/0/\($0)" }
    let padded = try attacker.run(["repad", "--size", "1048576"] + entries, on: vault.branch).paths
    try expectPutBack(before, padded, hiding: insider)
    #expect(vault.third.storeByteCount() < size + 1 << 20)
  }

  @Test(arguments: TestRun.rows(insiders))
  func `Padding that is not zero, and boxes of other objects than the log, are named and put back`(insider: Insider)
    throws
  {
    let (attacker, before) = (try vault.attacker(insider), try files())
    let segments = before.keys.filter { $0.hasPrefix("segments/") }.sorted()
    let opened = try attacker.opened().unopened
    let path = try #require(segments.first { !opened.contains($0) })
    try attacker.run("repad", "log/0/3", "--filled", on: vault.branch)
    try attacker.run("box-up", path, on: vault.branch)
    try vault.third.set("pending", "5 pending")
    let problems = try vault.problems(vault.third)
    #expect(problems.contains("log entry 3 ") && problems.contains("segment "), "\(problems)")
    let after = try files()
    #expect(before.allSatisfy { after[$0.key] == $0.value })
    try vault.expectAgreement(of: [vault.third, vault.laptop], on: expected)
  }

  @Test(arguments: TestRun.rows(insiders))
  func `An entry that is sealed again with the same contents is the same, and one under an older key is not`(
    insider: Insider
  ) throws {
    let attacker = try vault.attacker(insider)
    try attacker.run("reseal", "log/0/2", "log/0/5", on: vault.branch)
    for machine in [vault.third, vault.laptop] { #expect(try machine.coffer("sync").hasPrefix("Up to date")) }
    let clone = try Machine()
    let outcome = try vault.clone(on: clone)
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
    guard insider == .headless else { return }
    let before = try files()
    let sequence = try vault.laptop.local.membership().head.sequence
    let last = "log/\(sequence / 64)/\(sequence)"
    try attacker.run("reseal", last, on: vault.branch, generation: 1)
    try expectPutBack(before, [last], hiding: insider)
  }
}

extension Machine {
  /// The bytes of the store with what was written lately.
  fileprivate func storeByteCount() -> Int {
    ["", "-wal"].reduce(0) { sum, suffix in
      let path = vault.appending(path: "store.sqlite").path + suffix
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return sum + (attributes?[.size] as? Int ?? 0)
    }
  }
}
