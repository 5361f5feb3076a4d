import CofferTestSupport
import Foundation
import Testing

/// A git host whose disk has lost a part of the repository.
@Suite struct DamagedHostTests {
  @Test func `The error says how the repository can be repaired or replaced, and that works`() throws {
    let two = try TwoMachines()
    try two.laptop.set("kept", "1")
    try two.laptop.sync()
    // The objects of the last push, which nobody else has received yet.
    let objects = try two.remote.git("rev-list", "--objects", "refs/heads/vault-1~..refs/heads/vault-1")
    for object in objects.split(separator: "\n").compactMap({ $0.split(separator: " ").first }).dropFirst() {
      let file = "\(two.remote.path)/objects/\(object.prefix(2))/\(object.dropFirst(2))"
      if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
    }
    let outcome = try two.desktop.run("coffer", "sync")
    #expect(outcome.exitCode == 7, "\(outcome)")
    #expect(outcome.errors.contains("the repository at the remote is damaged"), "\(outcome)")
    #expect(outcome.errors.contains("find the damage with `git fsck` there"), "\(outcome)")

    let empty = try TemporaryRemote()
    for machine in [two.laptop, two.desktop] {
      try machine.coffer("remote", "set", empty.path)
      try machine.sync()
    }
    #expect(try two.desktop.get("kept") == "1")
  }
}
