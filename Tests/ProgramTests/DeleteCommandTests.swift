import CofferTestSupport
import Foundation
import Testing

@Suite struct DeleteCommandTests {
  private let own = "com.example.photo.pro"
  private let purchases = "com.example.photo.purchases"

  /// Returns a machine on which two groups of PhotoPro have one item.
  private func machineWithTwins() throws -> Machine {
    let machine = try Machine.withExamples()
    for group in [own, purchases] {
      try machine.coffer("set", "api", "jane", "--app", own, "--group", group, input: "of \(group)")
    }
    return machine
  }

  @Test(arguments: [["--app", "com.example.photo.pro"], []])
  func `An item of several groups is deleted from none unless one or all of them are chosen`(actor: [String]) throws {
    let machine = try machineWithTwins()
    let team = try machine.team()
    let delete = ["delete", "api", "jane"] + actor
    expectFailure(
      try machine.start("coffer", delete).wait(), 2, "\(team).\(own), \(team).\(purchases);", "--group", "--all-groups")
    for group in [own, purchases] {
      #expect(try machine.coffer("get", "api", "jane", "--app", own, "--group", group) == "of \(group)")
    }
    #expect(
      try machine.succeed("coffer", delete + ["--group", purchases]) == "Deleted api jane from \(team).\(purchases)")
    #expect(try machine.coffer("get", "api", "jane", "--app", own) == "of \(own)")
    // One group is left, so that nothing has to be chosen.
    #expect(try machine.succeed("coffer", delete) == "Deleted api jane from \(team).\(own)")
    #expect(try machine.json([ItemRow].self, "list").isEmpty)
  }

  @Test(arguments: [["--app", "com.example.photo.pro"], []])
  func `--all-groups deletes the item from every group and names them`(actor: [String]) throws {
    let machine = try machineWithTwins()
    let team = try machine.team()
    #expect(
      try machine.succeed("coffer", ["delete", "api", "jane", "--all-groups"] + actor).split(separator: "\n")
        == ["Deleted api jane from \(team).\(own)", "Deleted api jane from \(team).\(purchases)"])
    #expect(try machine.json([ItemRow].self, "list").isEmpty)
    expectFailure(
      try machine.run("coffer", "delete", "api", "jane", "--all-groups", "--group", own), 2, "exclude each other")
  }

  @Test func `An item that the app may only read is refused as a write is, and --all-groups deletes nothing`() throws {
    let machine = try machineWithTwins()
    let free = ["--app", "com.example.photo.free"]
    try machine.coffer("set", "api", "jane", "--app", "com.example.photo.free", input: "own")
    expectFailure(
      try machine.start("coffer", ["delete", "api", "jane"] + free).wait(), 2, "purchases (read only);")
    expectFailure(
      try machine.start("coffer", ["delete", "api", "jane", "--all-groups"] + free).wait(), 4, "not write it")
    #expect(try machine.succeed("coffer", ["get", "api", "jane"] + free) == "own")
  }

  @Test func `Control characters in the names of a deleted item do not reach the terminal`() throws {
    let machine = try Machine.withExamples()
    let app = ["--app", own]
    try machine.succeed("coffer", ["set", "a\u{1B}[2J", "b\nc"] + app, input: "v")
    let terminal = try PseudoTerminal(
      machine, program: Machine.path(of: "coffer"), ["delete", "a\u{1B}[2J", "b\nc"] + app)
    #expect(terminal.wait() == 0)
    let first = "Deleted a\\u{1B}[2J b\\u{A}c from \(try machine.team()).com.example.photo.pro\r\n"
    #expect(terminal.screen.hasPrefix(first) && !terminal.screen.contains("\u{1B}"), "\(terminal.screen)")
  }

  @Test func `The command that an error names has the app and the group that were given`() throws {
    let machine = try Machine.withExamples()
    for command in ["get", "delete"] {
      let all = ["--app", own, "--group", purchases]
      for (options, shown) in [(all, " --app \(own) --group \(purchases)"), ([], "")] {
        let outcome = try machine.start("coffer", [command, "s", "a"] + options).wait()
        expectFailure(outcome, 3)
        #expect(outcome.errors.hasSuffix("; list the items with: coffer list\(shown)\n"), "\(outcome)")
      }
    }
  }

  @Test func `A damaged item is found and deleted`() throws {
    let machine = try machineWithTwins()
    try machine.coffer("delete", "api", "jane", "--app", own, "--group", purchases)
    try Command.run(
      "sqlite3", machine.vault.appending(path: "store.sqlite").path,
      "UPDATE record SET signed = zeroblob(length(signed)) WHERE tombstone = 0 AND head = 1")
    expectFailure(try machine.run("coffer", "get", "api", "jane", "--app", own), 6)
    #expect(try machine.coffer("delete", "api", "jane", "--app", own).hasPrefix("Deleted api jane from "))
    expectFailure(try machine.run("coffer", "get", "api", "jane", "--app", own), 3)
  }
}
