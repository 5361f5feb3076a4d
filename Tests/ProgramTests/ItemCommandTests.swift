import CofferTestSupport
import Foundation
import Testing

@Suite struct ItemCommandTests {
  private let pro = ["--app", "com.example.photo.pro"]

  @Test func `Any value is returned byte for byte`() throws {
    let machine = try Machine.withExamples()
    let large = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    let values: [Data] = [
      Data(), Data([0]), Data("a\0b\n\n".utf8), Data("no newline".utf8), Data("\n\n".utf8), Data([0xFF, 0xFE, 0x80]),
      large,
    ]
    for value in values {
      let set = try machine.start("coffer", ["set", "--allow-empty", "exact", "bytes"] + pro, input: value).wait()
      #expect(set.exitCode == 0 && set.output.isEmpty && set.errors.isEmpty, "\(set)")
      let get = try machine.start("coffer", ["get", "exact", "bytes"] + pro).wait()
      #expect(get.exitCode == 0 && get.errors.isEmpty)
      #expect(get.output == value, "\(value.count) bytes")
    }
  }

  @Test func `A value of 16 MiB is accepted, and one byte more is refused`() throws {
    let machine = try Machine.withExamples()
    let limit = 16 << 20
    let largest = Data(repeating: 7, count: limit)
    #expect(try machine.start("coffer", ["set", "large", "a"] + pro, input: largest).wait().exitCode == 0)
    let refused = try machine.start("coffer", ["set", "large", "a"] + pro, input: largest + Data([8])).wait()
    expectFailure(refused, 2, "16 MiB")
    #expect(try machine.start("coffer", ["get", "large", "a"] + pro).wait().output == largest)
  }

  @Test func `Service and account may be any text: each pair is a separate item`() throws {
    let machine = try Machine.withExamples()
    let names = [
      ("ключ", "naïve"), ("🔐", "👩‍👩‍👧‍👦"), ("", ""), ("a", ""), ("", "a"), ("a b", "c"), ("a", "b c"), ("e\u{301}", "x"),
      ("\u{E9}", "x"),
    ]
    for (index, (service, account)) in names.enumerated() {
      try machine.succeed(
        "coffer", ["set", "--allow-empty"] + pro + ["--", service, account], input: "value \(index)")
    }
    for (index, (service, account)) in names.enumerated() {
      #expect(try machine.succeed("coffer", ["get"] + pro + ["--", service, account]) == "value \(index)")
    }
    #expect(try machine.json([ItemRow].self, "list", "--app", "com.example.photo.pro").count == names.count)
  }

  @Test func `Setting again replaces the value and keeps the label; a new label replaces the old one`() throws {
    let machine = try Machine.withExamples()
    try machine.succeed("coffer", ["set", "s", "a", "--label", "First"] + pro, input: "1")
    try machine.succeed("coffer", ["set", "s", "a"] + pro, input: "2")
    var rows = try machine.json([ItemRow].self, "list", "--app", "com.example.photo.pro")
    #expect(rows.map(\.label) == ["First"])
    #expect(rows[0].created <= rows[0].modified)
    try machine.succeed("coffer", ["set", "s", "a", "--label", "Second"] + pro, input: "3")
    rows = try machine.json([ItemRow].self, "list", "--app", "com.example.photo.pro")
    #expect(rows.map(\.label) == ["Second"])
    #expect(try machine.succeed("coffer", ["get", "s", "a"] + pro) == "3")
  }

  @Test func `A list shows attributes and the verified writer, oldest first, and never a value`() throws {
    let machine = try Machine.withExamples()
    let team = try machine.team()
    let group = "\(team).com.example.photo.pro"
    try machine.succeed("coffer", ["set", "b", "2"] + pro, input: "canary-value")
    try machine.succeed("coffer", ["set", "b", "1", "--group", group], input: "canary-value")
    try machine.succeed(
      "coffer", ["set", "a", "9", "--label", "L", "--group", "com.example.photo.purchases"] + pro, input: "canary-value"
    )
    let rows = try machine.json([ItemRow].self, "list")
    #expect(
      rows.map { [$0.group, $0.service, $0.account] } == [
        [group, "b", "2"], [group, "b", "1"], ["\(team).com.example.photo.purchases", "a", "9"],
      ])
    #expect(rows.map(\.writerApp) == [group, nil, group])
    #expect(rows.allSatisfy { $0.writerMachine == "laptop" && !$0.hasConflict })
    #expect(try machine.json([ItemRow].self, "list", "--group", "com.example.photo.purchases").count == 1)
    for arguments in [["list"], ["list", "--json"], ["group", "list"], ["status"]] {
      #expect(!(try machine.succeed("coffer", arguments)).contains("canary"))
    }
    #expect(try machine.coffer("list").contains("the owner on laptop"))
  }

  @Test func `Control characters in names are escaped on the terminal and unchanged in JSON`() throws {
    let machine = try Machine.withExamples()
    let nasty = "a\u{1B}[2Jb\nc\u{202E}d\u{2028}e"
    try machine.succeed("coffer", ["set", nasty, nasty, "--label", nasty] + pro, input: "v")
    let text = try machine.coffer("list")
    #expect(text.split(separator: "\n").count == 2)
    #expect(!text.unicodeScalars.contains { ["\u{1B}", "\u{202E}", "\u{2028}"].contains($0) })
    let rows = try machine.json([ItemRow].self, "list")
    #expect(rows.map(\.service) == [nasty])
    #expect(rows.map(\.label) == [nasty])
  }

  @Test func `Deleting an item removes it, and a missing item is exit code 3`() throws {
    let machine = try Machine.withExamples()
    let group = ["--group", "com.example.photo.pro"]
    expectFailure(try machine.start("coffer", ["get", "s", "a"] + pro).wait(), 3, "coffer list")
    expectFailure(try machine.start("coffer", ["delete", "s", "a"] + pro).wait(), 3, "coffer list")
    try machine.succeed("coffer", ["set", "s", "a"] + pro, input: "v")
    try machine.succeed("coffer", ["delete", "s", "a"] + group)
    expectFailure(try machine.start("coffer", ["get", "s", "a"]).wait(), 3, "no such item")
    expectFailure(try machine.start("coffer", ["delete", "s", "a"] + group).wait(), 3, "no such item")
    #expect(try machine.json([ItemRow].self, "list").isEmpty)
    #expect(try machine.json(StatusReport.self, "status").itemCount == 0)
    try machine.succeed("coffer", ["set", "s", "a"] + pro, input: "again")
    #expect(try machine.succeed("coffer", ["get", "s", "a"]) == "again")
  }

  @Test
  func `The owner writes to the group that is named, or to a group of their own; get, list and delete search all`()
    throws
  {
    let machine = try Machine.withExamples()
    let team = try machine.team()
    let groups = ["free", "pro", "purchases"].map { "\(team).com.example.photo.\($0)" }
    try machine.coffer("set", "s", "a", input: "v")
    #expect(try machine.json([ItemRow].self, "list").map(\.group) == ["\(team).coffer.personal"])
    try machine.coffer("delete", "s", "a")
    expectFailure(try machine.run("coffer", "delete", "s", "a"), 3, "no such item")
    for (index, group) in groups.enumerated() {
      try machine.coffer("set", "s", "\(index)", "--group", group, input: "\(index)")
      #expect(try machine.coffer("get", "s", "\(index)") == "\(index)")
    }
    #expect(try machine.json([ItemRow].self, "list").map(\.group) == groups)
    expectFailure(
      try machine.run("coffer", "set", "s", "a", "--group", "com.example.nothing", input: Data("x".utf8)), 4, "no app",
      groups.joined(separator: ", "))
  }

  @Test(arguments: [
    "TEAM.com.example.photo.pro", "$(AppIdentifierPrefix)com.example.photo.pro", "com.example.photo.pro",
    "${TeamIdentifierPrefix}com.example.photo.pro",
  ])
  func `A group is named in full, by the team's variable, or without the prefix`(form: String) throws {
    let machine = try Machine.withExamples()
    let name = form.replacingOccurrences(of: "TEAM", with: try machine.team())
    try machine.coffer("set", "s", "a", "--group", name, input: "v")
    #expect(try machine.coffer("get", "s", "a", "--group", name, "--app", "com.example.photo.pro") == "v")
  }

  @Test func `A secret is never an argument and never in an error`() throws {
    let machine = try Machine.withExamples()
    let canary = "canary-4711-secret"
    let attempts: [([String], Int32)] = [
      (["set"], 2), (["set", "s", "a", "--group", "nothing"], 4),
      (["set", "s", "a", "--app", "com.example.none"], 4),
      (["set", "s", "a", "--group", "com.example.photo.purchases", "--app", "com.example.photo.free"], 4),
    ]
    for (attempt, exitCode) in attempts {
      let outcome = try machine.start("coffer", attempt, input: Data(canary.utf8)).wait()
      #expect(outcome.exitCode == exitCode, "\(outcome)")
      #expect(!outcome.errors.contains(canary) && !outcome.text.contains(canary))
    }
    // A value given as an argument is refused and not repeated in the error, so that nobody gets used to it.
    let outcome = try machine.run("coffer", "set", "s", "a", "--value", canary)
    #expect(outcome.exitCode == 2)
  }
}
