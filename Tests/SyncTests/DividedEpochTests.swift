import CofferTestSupport
import Foundation
import Testing

/// A host that shows two admins' machines different branches, until each of them has begun another epoch.
@Suite struct DividedEpochTests {
  @Test func `Two branches of one epoch are named on both machines, and the advice brings them together`() throws {
    let two = try TwoMachines()
    try two.laptop.set("shared", "1")
    for machine in [two.laptop, two.desktop] { try machine.sync() }
    let folder = two.remote.directory.path
    try Command.run("cp", "-a", two.remote.path, "\(folder)/of-desktop.git")
    try two.laptop.set("by-laptop", "2")
    try two.laptop.coffer("compact")
    try Command.run("mv", two.remote.path, "\(folder)/of-laptop.git")
    try Command.run("mv", "\(folder)/of-desktop.git", two.remote.path)
    try two.desktop.set("by-desktop", "3")
    try two.desktop.coffer("compact")
    try two.remote.git("fetch", "--quiet", "\(folder)/of-laptop.git", "refs/heads/*:refs/heads/*")

    var told: [Machine] = []
    for machine in [two.laptop, two.desktop] {
      let outcome = try machine.run("coffer", "sync")
      #expect(outcome.exitCode == 6)
      #expect(outcome.errors.contains("has two branches of epoch 2"), "\(outcome)")
      if outcome.errors.contains("`coffer clone --rejoin` on this machine") { told.append(machine) }
    }
    #expect(told.count == 1)
    let machine = try #require(told.first)
    let rejoined = try machine.run("coffer", "clone", "--rejoin")
    // The store is new, and the sync after it names the branch that nobody follows any more.
    #expect(rejoined.exitCode == 6 && rejoined.text.contains("The store was rebuilt."), "\(rejoined)")
    for machine in [two.laptop, two.desktop] { _ = try machine.run("coffer", "sync") }
    for machine in [two.laptop, two.desktop] {
      let values = try machine.values()
      #expect(values == ["shared": "1", "by-laptop": "2", "by-desktop": "3"])
    }
    // The branch that nobody follows is named until somebody deletes it.
    let outcome = try two.laptop.run("coffer", "sync")
    let branches = outcome.errors.matches(of: /vault-2-[0-9a-f]+/).map { String($0.output) }
    let left = try #require(branches.last)
    try two.remote.git("update-ref", "-d", "refs/heads/\(left)")
    for machine in [two.laptop, two.desktop] { try machine.sync() }
  }
}
