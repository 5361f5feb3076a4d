import CofferTestSupport
import Testing

@Suite struct GroupSharingTests {
  private let machine: Machine
  private let one: InstalledApp
  private let two: InstalledApp
  private let outsider: InstalledApp
  private let shared: String

  init() throws {
    machine = try Machine()
    try machine.makeVault()
    one = try InstalledApp("one", on: machine, groups: ["~com.example.one", "~com.example.shared"])
    two = try InstalledApp("two", on: machine, groups: ["~com.example.two", "~com.example.shared"])
    outsider = try InstalledApp("outsider", on: machine)
    shared = try machine.group("shared")
  }

  @Test func `Two apps share the items of their common group, and a third one cannot access it`() throws {
    try one.succeed("--group", shared, "add", "jane", input: "from one")
    #expect(try two.succeed("--group", shared, "get", "jane") == "from one")
    #expect(try two.succeed("get", "jane") == "from one")
    try two.succeed("update", "jane", input: "from two")
    #expect(try one.succeed("get", "jane") == "from two")
    #expect(try one.succeed("list") == "\(shared) service jane")

    expectFailure(try outsider.run("get", "jane"), Status.itemNotFound)
    #expect(try outsider.succeed("list") == "")
    expectFailure(try outsider.run("delete", "jane"), Status.itemNotFound, of: "SecItemDelete")
    for (command, call) in [
      ("get", "SecItemCopyMatching"), ("add", "SecItemAdd"), ("update", "SecItemUpdate"), ("delete", "SecItemDelete"),
    ] {
      expectFailure(
        try outsider.run("--group", shared, command, "jane"), Status.missingEntitlement, of: call, shared)
    }
    expectFailure(try outsider.run("--group", shared, "list"), Status.missingEntitlement, shared)
    try two.succeed("delete", "jane")
    expectFailure(try one.run("get", "jane"), Status.itemNotFound)
  }

  @Test func `An app's first group is its default, and no other app's`() throws {
    try one.succeed("add", "jane", input: "private")
    #expect(try one.succeed("list") == "\(machine.group("one")) service jane")
    expectFailure(try two.run("get", "jane"), Status.itemNotFound)
    expectFailure(try two.run("--group", machine.group("one"), "get", "jane"), Status.missingEntitlement)
    try two.succeed("add", "jane", input: "another one's")
    #expect(try one.succeed("get", "jane") == "private")
  }

  @Test func `An item moves to another group with its value, and only to groups of the app`() throws {
    try one.succeed("add", "jane", input: "moved")
    try one.succeed("move", "jane", shared)
    #expect(try two.succeed("get", "jane") == "moved")
    #expect(try one.succeed("list") == "\(shared) service jane")
    expectFailure(
      try two.run("move", "jane", machine.group("one")), Status.missingEntitlement, of: "SecItemUpdate",
      try machine.group("one"))
    try two.succeed("move", "jane", machine.group("two"))
    expectFailure(try one.run("get", "jane"), Status.itemNotFound)
    #expect(try two.succeed("get", "jane") == "moved")

    try one.succeed("--group", shared, "add", "jane", input: "in the way")
    expectFailure(
      try two.run("--group", machine.group("two"), "move", "jane", shared), Status.duplicateItem, of: "SecItemUpdate")
    #expect(try one.succeed("get", "jane") == "in the way")
    #expect(try two.succeed("--group", machine.group("two"), "get", "jane") == "moved")
  }

  @Test func `An app reads its read-only group but cannot write it, and calls without a group skip it`() throws {
    let reader = try InstalledApp("reader", on: machine, readOnly: ["~com.example.shared"])
    try one.succeed("--group", shared, "add", "jane", input: "to be read")
    #expect(try reader.succeed("get", "jane") == "to be read")
    #expect(try reader.succeed("--group", shared, "get", "jane") == "to be read")
    for (command, call) in [("add", "SecItemAdd"), ("update", "SecItemUpdate"), ("delete", "SecItemDelete")] {
      expectFailure(try reader.run("--group", shared, command, "jane"), Status.missingEntitlement, of: call, shared)
    }
    expectFailure(try reader.run("update", "jane"), Status.itemNotFound, of: "SecItemUpdate")
    expectFailure(try reader.run("delete", "jane"), Status.itemNotFound, of: "SecItemDelete")
    #expect(try two.succeed("get", "jane") == "to be read")
  }
}
