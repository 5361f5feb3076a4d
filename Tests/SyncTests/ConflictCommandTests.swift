import CofferTestSupport
import Foundation
import Testing

/// The commands for versions and conflicts, on two machines.
@Suite struct ConflictCommandTests {
  private struct Version: Decodable {
    let version: String
    let group: String
    let written: Date
    let writerApp: String?
    let writerMachine: String
    let isCurrent: Bool
    let isInConflict: Bool
    let isDeletion: Bool
    let changed: [String]?
    let value: String?
    let label: String?
    let accessibility: String?
  }

  private struct Conflict: Decodable {
    let group: String
    let service: String
    let account: String
    let versions: [Version]
  }

  private let app = ["--app", "com.example.photo.pro"]

  private func json<Value: Decodable>(_ type: Value.Type, _ machine: Machine, _ arguments: [String]) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(type, from: Data(machine.succeed("coffer", arguments + app + ["--json"]).utf8))
  }

  /// Two machines on which the item `service`, `shared` is in conflict: the desktop has written last.
  private func machinesInConflict() throws -> TwoMachines {
    let machines = try TwoMachines()
    try machines.laptop.set("shared", "of both")
    try machines.laptop.sync()
    try machines.desktop.sync()
    try machines.laptop.coffer(
      "set", "service", "shared", "--label", "Laptop's", "--app", "com.example.photo.pro", input: "canary of laptop")
    try machines.desktop.coffer(
      "set", "service", "shared", "--label", "Desktop's", "--app", "com.example.photo.pro", input: "canary of desktop")
    for machine in [machines.laptop, machines.desktop, machines.laptop] { try machine.sync() }
    return machines
  }

  @Test func `conflicts, history and restore show a conflict, print a value on request, and end the conflict`() throws {
    let machines = try machinesInConflict()
    for machine in [machines.laptop, machines.desktop] {
      let conflict = try #require(try json([Conflict].self, machine, ["conflicts"]).first)
      #expect(conflict.service == "service" && conflict.account == "shared")
      #expect(conflict.versions.map(\.writerMachine) == ["desktop", "laptop"])
      #expect(conflict.versions.map(\.label) == ["Desktop's", "Laptop's"])
      #expect(conflict.versions.map(\.isCurrent) == [true, false])
      let history = try json([Version].self, machine, ["history", "service", "shared"])
      #expect(history.map(\.writerMachine) == ["desktop", "laptop", "laptop"])
      #expect(history.map(\.isInConflict) == [true, true, false])
      #expect(history.map(\.isCurrent) == [true, false, false])
      #expect(Set(history.map(\.version)).isSuperset(of: conflict.versions.map(\.version)))
      #expect(history.allSatisfy { $0.group.hasSuffix("com.example.photo.pro") && $0.accessibility == "whenUnlocked" })
    }
    let (laptop, desktop) = (machines.laptop, machines.desktop)
    for arguments in [["conflicts"], ["history", "service", "shared"]] {
      for form in [[], ["--json"]] {
        let outcome = try laptop.start("coffer", arguments + app + form).wait()
        #expect(outcome.exitCode == 0 && !outcome.text.contains("canary") && !outcome.errors.contains("canary"))
        #expect(outcome.text.contains("Laptop's") && outcome.text.contains("desktop"))
      }
    }
    #expect(
      try laptop.start("coffer", ["conflicts"] + app).wait().errors.contains(
        "coffer restore --app com.example.photo.pro SERVICE ACCOUNT VERSION"))
    let other = try #require(try json([Conflict].self, desktop, ["conflicts"]).first).versions[1]
    let name = String(other.version.prefix(12))
    #expect(
      try desktop.succeed("coffer", ["history", "service", "shared", "--value", name] + app) == "canary of laptop")
    let restored = try json(Version.self, desktop, ["restore", "service", "shared", name.uppercased()])
    #expect(restored.isCurrent && !restored.isInConflict && restored.label == "Laptop's")
    #expect(try desktop.get("shared") == "canary of laptop")
    #expect(try json([Conflict].self, desktop, ["conflicts"]).isEmpty)
    for machine in [desktop, laptop] { try machine.sync() }
    #expect(try laptop.get("shared") == "canary of laptop")
    #expect(try json([Conflict].self, laptop, ["conflicts"]).isEmpty)
    // The version that lost is kept.
    #expect(try json([Version].self, laptop, ["history", "service", "shared"]).count == 4)
  }

  @Test func `Of two passwords with one reference, commands change and show the one that is named`() throws {
    struct Row: Decodable {
      let reference: String
      let account: String
    }
    // The laptop renames what the desktop changes at the same time.
    let machines = try TwoMachines()
    let (laptop, desktop) = (machines.laptop, machines.desktop)
    try laptop.set("jane", "first")
    for machine in [laptop, desktop] { try machine.sync() }
    try laptop.succeed("coffer", ["edit", "service", "jane", "--account", "joe"] + app)
    try desktop.set("jane", "second")
    for machine in [laptop, desktop, laptop] { try machine.sync() }
    let both = try json([Row].self, laptop, ["list"])
    #expect(Set(both.map(\.reference)).count == 1 && Set(both.map(\.account)) == ["jane", "joe"], "\(both)")
    for (account, value) in [("jane", "second"), ("joe", "first")] {
      try laptop.succeed("coffer", ["edit", "service", account, "--label", "of \(account)"] + app)
      #expect(try laptop.succeed("coffer", ["show", "service", account] + app).contains("of \(account)"))
      #expect(try laptop.succeed("coffer", ["read", "coffer:///service/\(account)#label"] + app) == "of \(account)")
      try laptop.succeed("coffer", ["copy", "service", account, "--account", "copy of \(account)"] + app)
      #expect(try laptop.get("copy of \(account)") == value)
      #expect(try laptop.get(account) == value)
    }
    // With an attribute, `set` edits the item that it finds.
    for account in ["jane", "joe"] {
      try laptop.succeed("coffer", ["set", "service", account, "--comment", "new"] + app, input: "new of \(account)")
    }
    for account in ["jane", "joe"] { #expect(try laptop.get(account) == "new of \(account)") }
    for command in ["get", "delete"] {
      let refused = try laptop.start("coffer", [command, "--reference", both[0].reference] + app).wait()
      #expect(refused.exitCode == 2 && refused.errors.contains("2 passwords in"), "\(refused)")
      #expect(refused.errors.contains("have this reference; name one: "), "\(refused)")
    }
    try laptop.succeed("coffer", ["move", "service", "jane", "--to", "com.example.photo.purchases"] + app)
    let moved = try json([Row].self, laptop, ["list", "--group", "com.example.photo.purchases"])
    #expect(moved.map(\.account) == ["jane"], "\(moved)")
  }

  @Test func `conflicts names the command that ends the conflict of an internet password`() throws {
    let machines = try TwoMachines()
    let command = ["set", "--class", "internet", "mail.example.com", "jane"] + app
    try machines.laptop.succeed("coffer", command, input: "of both")
    try machines.laptop.sync()
    try machines.desktop.sync()
    try machines.laptop.succeed("coffer", command, input: "of laptop")
    try machines.desktop.succeed("coffer", command, input: "of desktop")
    for machine in [machines.laptop, machines.desktop] { try machine.sync() }
    let outcome = try machines.desktop.start("coffer", ["conflicts"] + app).wait()
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors.contains("1 item of other classes"), "\(outcome)")
    #expect(outcome.errors.contains("with: coffer inspect"), "\(outcome)")
  }

  @Test func `history and conflicts say what each version changed, and show values only with --show`() throws {
    let machines = try machinesInConflict()
    let history = try json([Version].self, machines.laptop, ["history", "service", "shared"])
    #expect(history.map(\.changed) == [["value", "label"], ["value", "label"], ["created"]])
    #expect(history.allSatisfy { $0.value == nil })
    let shown = try json([Version].self, machines.laptop, ["history", "service", "shared", "--show"])
    #expect(shown.map(\.value) == ["canary of desktop", "canary of laptop", "of both"])
    let conflict = try #require(try json([Conflict].self, machines.laptop, ["conflicts", "--show"]).first)
    #expect(conflict.versions.map(\.changed) == [["value", "label"], ["value", "label"]])
    #expect(conflict.versions.map(\.value) == ["canary of desktop", "canary of laptop"])
    let names = history.map { String($0.version.prefix(12)) }

    func table(_ arguments: [String]) throws -> [[String]] {
      try machines.laptop.succeed("coffer", arguments + app).split(separator: "\n").map { line in
        line.split(separator: /\s\s+/).map(String.init)
      }
    }
    let sides = try table(["conflicts", "--show"])
    #expect(sides[0][0].hasPrefix("service, shared in "))
    #expect(sides[1] == ["version", "\(names[0]) (current)", names[1]])
    #expect(
      sides[4...].map { $0 } == [
        ["changed", "value, label", "value, label"], ["label", "Desktop's", "Laptop's"],
        ["value", "canary of desktop", "canary of laptop"],
      ])
    #expect(try table(["conflicts"]).last == ["label", "Desktop's", "Laptop's"])
    let rows = try table(["history", "service", "shared", "--show"])
    #expect(rows[0].last == "VALUE" && rows[0].contains("CHANGED"))
    #expect(rows[1].last == "canary of desktop" && rows[3].contains("created"))
  }

  @Test func `history names deletions, items that were written again, and versions that changed nothing`() throws {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    try machine.set("a", "one")
    try machine.coffer("delete", "service", "a", "--app", "com.example.photo.pro")
    try machine.coffer("set", "service", "a", "--label", "Note", "--app", "com.example.photo.pro", input: "two")
    try machine.coffer("set", "service", "a", "--label", "Note", "--app", "com.example.photo.pro", input: "two")
    let first = try #require(try json([Version].self, machine, ["history", "service", "a"]).last).version
    try machine.coffer("restore", "service", "a", first, "--app", "com.example.photo.pro")
    let history = try json([Version].self, machine, ["history", "service", "a"])
    #expect(history.map(\.changed) == [["value", "label"], [], ["created again"], ["deleted"], ["created"]])
  }

  @Test func `Writing over a conflict says which version was set aside, and how to see it`() throws {
    let machines = try machinesInConflict()
    let outcome = try machines.laptop.start(
      "coffer", ["set", "service", "shared"] + app, input: Data("newest".utf8)
    ).wait()
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty)
    let command = "coffer history service shared --app com.example.photo.pro"
    #expect(outcome.errors.contains("in conflict") && outcome.errors.contains("on laptop"), "\(outcome)")
    #expect(outcome.errors.hasSuffix("To see it: \(command)\n"))
    let listed = try machines.laptop.start(
      "/bin/sh", ["-c", command], environment: ["PATH": "\(Machine.programs.path):/usr/bin:/bin"]
    ).wait()
    #expect(listed.exitCode == 0 && listed.text.contains("Laptop's"))
    // The conflict has ended, so the next write says nothing.
    let next = try machines.laptop.start(
      "coffer", ["set", "service", "shared"] + app, input: Data("newer".utf8)
    ).wait()
    #expect(next.exitCode == 0 && next.errors.isEmpty)

    let prompt = try PseudoTerminal(
      machines.desktop, program: Machine.path(of: "coffer"), ["set", "service", "shared"] + app)
    for text in ["Value of service, shared: ", "Once more: "] {
      try prompt.await(text)
      prompt.type("typed\n")
    }
    #expect(prompt.wait() == 0 && prompt.screen.contains("To see it: \(command)"), "\(prompt.screen)")
  }

  @Test func `On a terminal, a version's value is shown with escapes, and unchanged with --raw`() throws {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    try machine.set("a", "one\u{1B}[2J")
    try machine.set("a", "two")
    let first = try #require(try json([Version].self, machine, ["history", "service", "a"]).last).version
    func shown(_ options: String...) throws -> String {
      let terminal = try PseudoTerminal(
        machine, program: Machine.path(of: "coffer"), ["history", "service", "a", "--value", first] + options + app)
      #expect(terminal.wait() == 0)
      return terminal.screen
    }
    let screen = try shown()
    #expect(screen.hasPrefix("one\\u{1B}[2J\r\n") && screen.contains("--raw"), "\(screen)")
    #expect(try shown("--raw") == "one\u{1B}[2J")
  }

  @Test func `A conflict that a deletion has won is ended by restoring the deletion, or the other version`() throws {
    let machines = try TwoMachines()
    for name in ["kept", "gone"] { try machines.laptop.set(name, "first") }
    for machine in [machines.laptop, machines.desktop] { try machine.sync() }
    for name in ["kept", "gone"] {
      try machines.laptop.set(name, "second")
      try machines.desktop.coffer("delete", "service", name, "--app", "com.example.photo.pro")
    }
    for machine in [machines.laptop, machines.desktop, machines.laptop] { try machine.sync() }
    let conflicts = try json([Conflict].self, machines.laptop, ["conflicts"])
    #expect(conflicts.count == 2 && conflicts.allSatisfy { $0.versions.count == 2 && $0.versions[0].isDeletion })
    for conflict in conflicts {
      let version = conflict.versions[conflict.account == "gone" ? 0 : 1].version
      try machines.laptop.succeed("coffer", ["restore", "service", conflict.account, version] + app)
    }
    for machine in [machines.laptop, machines.desktop] {
      try machine.sync()
      #expect(try json([Conflict].self, machine, ["conflicts"]).isEmpty)
      #expect(try machine.values() == ["kept": "second"])
    }
  }

  @Test func `A deleted item is restored from its history; a version without a value and an unknown one are refused`()
    throws
  {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    try machine.set("a", "v")
    try machine.coffer("delete", "service", "a", "--app", "com.example.photo.pro")
    let versions = try json([Version].self, machine, ["history", "service", "a"])
    #expect(versions.map(\.isDeletion) == [true, false])
    func run(_ arguments: String...) throws -> Machine.Outcome { try machine.start("coffer", arguments + app).wait() }
    let deletion = versions[0].version
    let valueless = try run("history", "service", "a", "--value", deletion)
    #expect(valueless.exitCode == 3 && valueless.errors.contains("deleted the item"), "\(valueless)")
    let unchanged = try run("restore", "service", "a", deletion)
    #expect(unchanged.exitCode == 0 && unchanged.text.contains("nothing was changed"), "\(unchanged)")
    for name in ["ffff", "zz", "", String(versions[1].version.prefix(3))] {
      let outcome = try run("restore", "service", "a", name)
      #expect(outcome.exitCode == 3, "\(outcome)")
      #expect(outcome.errors.contains("coffer history service a --app com.example.photo.pro"), "\(outcome)")
    }
    #expect(try run("restore", "service", "a", versions[1].version).exitCode == 0)
    #expect(try machine.get("a") == "v")
    let again = try #require(try json([Version].self, machine, ["history", "service", "a"]).first).version
    #expect(try run("restore", "service", "a", again).text.contains("nothing was changed"))
    #expect(try json([Version].self, machine, ["history", "service", "a"]).count == 3)
  }

  @Test func `The owner's history has the versions of every group, and an app's only those of its groups`() throws {
    let machine = try Machine()
    try machine.makeVault()
    for example in ["PhotoFree", "PhotoPro"] { try machine.register(example) }
    for group in ["pro", "purchases", "free"] {
      try machine.coffer("set", "service", "a", "--group", "com.example.photo.\(group)", input: group)
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    func groups(_ options: String...) throws -> Set<String> {
      let text = try machine.succeed("coffer", ["history", "service", "a", "--json"] + options)
      return Set(
        try decoder.decode([Version].self, from: Data(text.utf8)).compactMap {
          $0.group.split(separator: ".").last.map(String.init)
        })
    }
    #expect(try groups() == ["pro", "purchases", "free"])
    #expect(try groups("--app", "com.example.photo.pro") == ["pro", "purchases"])
    #expect(try groups("--group", "com.example.photo.free") == ["free"])
    // An app that may only read a group cannot restore there.
    let purchase = try decoder.decode(
      [Version].self,
      from: Data(
        try machine.succeed(
          "coffer", ["history", "service", "a", "--json", "--group", "com.example.photo.purchases"]
        ).utf8))[0].version
    try machine.coffer("set", "service", "a", "--group", "com.example.photo.purchases", input: "later")
    let refused = try machine.run(
      "coffer", "restore", "service", "a", purchase, "--app", "com.example.photo.free")
    #expect(refused.exitCode == 4, "\(refused)")
  }

  @Test func `An item that two machines have deleted is no conflict`() throws {
    let machines = try TwoMachines()
    try machines.laptop.set("shared", "v")
    for machine in [machines.laptop, machines.desktop] { try machine.sync() }
    for machine in [machines.laptop, machines.desktop] {
      try machine.coffer("delete", "service", "shared", "--app", "com.example.photo.pro")
    }
    for machine in [machines.laptop, machines.desktop, machines.laptop] { try machine.sync() }
    #expect(try machines.laptop.status("conflictCount") == "0")
    #expect(try json([Conflict].self, machines.laptop, ["conflicts"]).isEmpty)
    let terminal = try PseudoTerminal(machines.laptop, "conflicts")
    #expect(terminal.wait() == 0 && terminal.screen == "no conflicts\r\n", "\(terminal.screen)")
  }
}
