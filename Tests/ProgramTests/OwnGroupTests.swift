import CofferTestSupport
import Foundation
import Testing

/// `coffer group create` and `coffer group delete`: further groups of a person's own.
@Suite struct OwnGroupTests {
  private struct Report: Decodable {
    let group: String
    let isNew: Bool
  }

  private struct Group: Decodable {
    let group: String
    let itemCount: Int
    let writers: [String]
  }

  private func groups(_ machine: Machine) throws -> [String: Group] {
    let team = try machine.team()
    let list = try machine.json([Group].self, "group", "list").map { (String($0.group.dropFirst(team.count + 1)), $0) }
    return Dictionary(uniqueKeysWithValues: list)
  }

  @Test func `In an empty home, a person creates a group, stores in it, and finds it apart from the first one`() throws
  {
    let machine = try Machine()
    let created = try machine.coffer("group", "create", "work")
    #expect(created.hasSuffix(".work is a group of your own."), "\(created)")
    try machine.coffer("set", "--group", "work", "github.com", "jane", input: "of work")
    try machine.coffer("set", "github.com", "jane", input: "of mine")
    #expect(try machine.coffer("get", "--group", "work", "github.com", "jane") == "of work")
    #expect(try machine.coffer("get", "--group", "coffer.personal", "github.com", "jane") == "of mine")
    #expect(try machine.coffer("list", "--group", "work").contains("github.com"))
    #expect(try groups(machine).mapValues(\.itemCount) == ["work": 1, "coffer.personal": 1])
    try machine.coffer("group", "create", "home.bank")
    #expect(try Set(groups(machine).keys) == ["work", "home.bank", "coffer.personal"])
    #expect(try machine.coffer("get", "--group", "work", "github.com") == "of work")
    // Where a write without a group goes stays.
    try machine.coffer("set", "new", input: "value")
    #expect(try groups(machine)["coffer.personal"]?.itemCount == 2)
    let again = try machine.json(Report.self, "group", "create", "work")
    #expect(try again.group == machine.team() + ".work" && !again.isNew)
  }

  @Test func `An unknown group leads to the command, which ends the error`() throws {
    let machine = try Machine()
    try machine.coffer("set", "one", input: "1")
    let refused = try machine.run("coffer", "set", "--group", "work", "two", input: Data("2".utf8))
    expectFailure(refused, 4, "coffer group create NAME")
    try machine.coffer("group", "create", "work")
    try machine.coffer("set", "--group", "work", "two", input: "2")
  }

  @Test func `A machine with a passphrase asks for it once, and seals the keys as before`() throws {
    let machine = try Machine()
    let passphrase = try machine.makeVault(passphrase: "correct horse")
    try machine.coffer("group", "create", "work", "--passphrase-file", passphrase)
    try machine.coffer("set", "--group", "work", "a", "--passphrase-file", passphrase, input: "1")
    expectFailure(try machine.run("coffer", "get", "--group", "work", "a", wrapper: ["setsid", "--wait"]), 5)
    #expect(try machine.coffer("get", "--group", "work", "a", "--passphrase-file", passphrase) == "1")
    #expect(try !machine.run("coffer", "doctor").text.contains("coffer.personal"))
  }

  #if os(Linux)
    @Test func `After the group is created, an unlocked vault stays unlocked for it and for what has no group`() throws
    {
      let scene = try AgentScene(apps: ["PhotoPro"])
      try scene.unlock()
      let machine = scene.machine
      let nobody = ["setsid", "--wait"]
      try machine.coffer("group", "create", "work", "--passphrase-file", scene.passphrase)
      for group in [["--group", "work"], []] {
        let set = try machine.start("coffer", ["set", "a"] + group, input: Data("1".utf8), wrapper: nobody).wait()
        #expect(set.exitCode == 0, "\(set)")
        let get = try machine.start("coffer", ["get", "a"] + group, wrapper: nobody).wait()
        #expect(get.text == "1", "\(get)")
      }
      // The same for an app that is registered as a locked one.
      try machine.coffer(
        "app", "add", "--locked", Machine.entitlements(of: "PhotoFree"), "--passphrase-file", scene.passphrase)
      let app = ["--app", "com.example.photo.free"]
      let set = try machine.start("coffer", ["set", "b"] + app, input: Data("1".utf8), wrapper: nobody).wait()
      #expect(set.exitCode == 0, "\(set)")
      // Nobody unlocks an agent that has no keys.
      try machine.coffer("lock")
      try machine.coffer("group", "create", "home", "--passphrase-file", scene.passphrase)
      #expect(try scene.status()?.vaults.isEmpty ?? true)
    }
  #endif

  @Test func `Names with another meaning, and the group of an app, are refused before anything is made`() throws {
    let machine = try Machine()
    for name in ["coffer.work", "desktop.work", "group.work", "", "a b", "a..b", "work/", "ABCDEFGHIJ.work"] {
      expectFailure(try machine.run("coffer", "group", "create", name), 2, "no group of your own can be named")
    }
    #expect(!FileManager.default.fileExists(atPath: machine.vault.path))
    try machine.makeVault()
    try machine.register("PhotoPro")
    expectFailure(
      try machine.run("coffer", "group", "create", "com.example.photo.purchases"), 2,
      "belongs to com.example.photo.pro", "--group com.example.photo.purchases")
    try machine.coffer("group", "create", "work")
    // An app cannot claim it by its package's plist, only its owner gives it away.
    try machine.installPackage(
      "com.example.other",
      plist: machine.directory.write(
        "Other", entitlementsPlist("com.example.other", groups: ["~com.example.other", "~work"])))
    let claimed = try machine.run("coffer", "app", "list")
    #expect(claimed.exitCode == 0)
    #expect(try groups(machine)["work"]?.writers.count == 1)
  }

  @Test func `A vault with groups of one's own joins another one, unless an app has such a group there`() throws {
    let (first, second) = (try Machine(), try Machine())
    let remote = first.directory.path("remote.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    let key = try first.makeVault()
    try first.coffer("group", "create", "home")
    try first.coffer("remote", "set", remote)
    try first.coffer("sync")
    try second.coffer("group", "create", "work")
    try second.coffer("set", "--group", "work", "a", input: "1")
    try second.coffer("clone", "--no-passphrase", "--name", "second", "--yes", "--vault-key-file", key, remote)
    #expect(try second.coffer("get", "--group", "work", "a") == "1")
    #expect(try Set(groups(second).keys) == ["work", "home", "coffer.personal"])
    // Both stay groups of its owner's, to which more can be added.
    try second.coffer("group", "create", "more")
    let app = try first.directory.write(
      "App", entitlementsPlist("com.example.app", groups: ["~com.example.app", "~taken"]))
    try first.coffer("sync")
    try first.coffer("app", "add", app)
    let third = try Machine()
    try third.coffer("group", "create", "taken")
    try third.coffer("set", "--group", "taken", "a", input: "1")
    let refused = try third.run(
      "coffer", "clone", "--no-passphrase", "--name", "third", "--yes", "--vault-key-file", key, remote)
    expectFailure(refused, 4, "the access group taken is your own here", "com.example.app")
  }

  private struct Deleted: Decodable {
    let group: String
    let deletedItemCount: Int
  }

  @Test func `A group is deleted when what is in it was moved as the error says, and can be created again`() throws {
    let machine = try Machine()
    try machine.coffer("group", "create", "work")
    try machine.coffer("group", "create", "home")
    try machine.coffer("set", "--group", "work", "github.com", "jane", input: "s3cret")
    let refused = try machine.run("coffer", "group", "delete", "work")
    expectFailure(refused, 2, "1 item is in the access group work")
    #expect(try groups(machine)["work"]?.itemCount == 1)
    for command in AdviceScene.commands(in: refused.errors).prefix(2) {
      let typed = command.replacing("SERVICE ACCOUNT", with: "github.com jane")
      #expect(try AdviceScene(machine).run(typed).exitCode == 0, "\(command)")
    }
    #expect(try machine.coffer("get", "github.com", "--group", "coffer.personal") == "s3cret")
    let team = try machine.team()
    #expect(try machine.coffer("group", "delete", "work") == "Deleted the group \(team).work")
    #expect(try Set(groups(machine).keys) == ["home", "coffer.personal"])
    // Not even the owner stores anything there unnoticed.
    expectFailure(
      try machine.run("coffer", "set", "--group", "work", "a", input: Data("1".utf8)), 4, "coffer group create work")
    try machine.coffer("set", "--group", "home", "a", input: "1")
    try machine.coffer("group", "create", "work")
    try machine.coffer("set", "--group", "work", "a", input: "2")
    #expect(try machine.coffer("get", "--group", "work", "a") == "2")
    // What is left of the name is the app's own group, whose plist is the first one again.
    try machine.coffer("group", "delete", "\(team).home", "--delete-items", "--yes")
    #expect(try machine.json(Deleted.self, "group", "delete", "work", "--delete-items", "--yes").deletedItemCount == 1)
    try machine.coffer("set", "new", input: "value")
    #expect(try Set(groups(machine).keys) == ["coffer.personal"])
    #expect(try !machine.run("coffer", "doctor").text.contains("coffer.personal lacks"))
  }

  @Test func `Items go with their group only after a yes, on every machine, and the passphrase is asked for once`()
    throws
  {
    let (laptop, desktop) = (try Machine(), try Machine())
    let remote = laptop.directory.path("remote.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    let key = try laptop.makeVault()
    try laptop.coffer("remote", "set", remote)
    try laptop.coffer("sync")
    try desktop.coffer("clone", "--no-passphrase", "--name", "desktop", "--vault-key-file", key, remote)
    try laptop.coffer("group", "create", "work")
    for name in ["a", "b"] { try laptop.coffer("set", "--group", "work", name, input: name) }
    try laptop.coffer(
      "set", "--class", "internet-password", "--group", "work", "https://example.com", "jane", input: "c")
    try laptop.coffer("sync")
    try desktop.coffer("sync")
    #expect(try desktop.coffer("get", "--group", "work", "a") == "a")
    let asked = try laptop.run("coffer", "group", "delete", "work", "--delete-items")
    #expect(asked.exitCode == 2 && asked.errors.contains("add --yes"), "\(asked)")
    #expect(asked.errors.contains("with 3 items in it"), "\(asked)")
    #expect(try groups(laptop)["work"]?.itemCount == 3)
    let deleted = try laptop.json(Deleted.self, "group", "delete", "work", "--delete-items", "--yes")
    #expect(try deleted.group == laptop.team() + ".work" && deleted.deletedItemCount == 3)
    try desktop.coffer("sync")
    #expect(try groups(desktop)["work"] == nil)
    #expect(try !desktop.coffer("list").contains("example.com"))
    // Created again there, the group is empty, and both machines use it.
    try desktop.coffer("group", "create", "work")
    try desktop.coffer("set", "--group", "work", "d", input: "d")
    try desktop.coffer("sync")
    try laptop.coffer("sync")
    #expect(try laptop.coffer("get", "--group", "work", "d") == "d")
    #expect(try groups(laptop)["work"]?.itemCount == 1)
  }

  @Test func `A group whose deletion the remote refuses keeps its items, until the remote accepts it`() throws {
    let machine = try Machine()
    let remote = machine.directory.path("remote.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    try machine.makeVault()
    try machine.coffer("remote", "set", remote)
    try machine.coffer("group", "create", "work")
    for name in ["a", "b"] { try machine.coffer("set", "--group", "work", name, input: name) }
    try machine.coffer(
      "set", "--class", "internet-password", "--group", "work", "https://example.com", "jane", input: "c")
    try machine.coffer("sync")
    func export(_ name: String) throws -> Data {
      let file = machine.directory.path(name)
      try machine.coffer("export", "json", file, "--yes")
      return try Data(contentsOf: URL(fileURLWithPath: file))
    }
    let before = try export("before")
    let hook = try machine.directory.writeScript("remote.git/hooks/pre-receive", "exit 1")
    let refused = try machine.run("coffer", "group", "delete", "work", "--delete-items", "--yes")
    #expect(refused.exitCode == 7 && refused.output.isEmpty, "\(refused)")
    #expect(refused.errors.hasSuffix(".work is not deleted, and its 3 items are as before.\n"), "\(refused)")
    #expect(try groups(machine)["work"]?.itemCount == 3)
    #expect(try export("after") == before)
    try FileManager.default.removeItem(atPath: hook)
    try machine.coffer("sync")
    #expect(try machine.json(Deleted.self, "group", "delete", "work", "--delete-items", "--yes").deletedItemCount == 3)
    #expect(try groups(machine)["work"] == nil)
    #expect(try machine.run("coffer", "doctor").errors.isEmpty)
  }

  @Test func `Only a group that a person has created is deleted`() throws {
    let machine = try Machine()
    let passphrase = try machine.makeVault(passphrase: "correct horse")
    try machine.coffer("app", "add", Machine.entitlements(of: "PhotoPro"), "--passphrase-file", passphrase)
    try machine.coffer("group", "create", "work", "--passphrase-file", passphrase)
    for (name, code, text): (String, Int32, String) in [
      ("coffer.personal", 2, "coffer delete SERVICE ACCOUNT --group coffer.personal"),
      ("com.example.photo.purchases", 2, "coffer app remove com.example.photo.pro"),
      ("nothing", 3, "there are: work"), ("", 3, "coffer group list"),
    ] {
      expectFailure(try machine.run("coffer", "group", "delete", name), code, text)
    }
    // An app to which its owner has given the group keeps it.
    let plist = try machine.directory.write(
      "Other", entitlementsPlist("com.example.other", groups: ["~com.example.other", "~work"]))
    try machine.coffer("app", "add", "--yes", plist, "--passphrase-file", passphrase)
    expectFailure(try machine.run("coffer", "group", "delete", "work"), 2, "coffer app remove com.example.other")
    try machine.coffer("app", "remove", "com.example.other", "--yes", "--passphrase-file", passphrase)
    // Nobody is asked for the passphrase more than once.
    try machine.coffer("set", "--group", "work", "a", "--passphrase-file", passphrase, input: "1")
    try machine.coffer(
      "group", "delete", "work", "--delete-items", "--yes", "--passphrase-file", passphrase)
    #expect(try groups(machine)["work"] == nil)
    expectFailure(try machine.run("coffer", "group", "delete", "work"), 3, "there are: none")
  }

  @Test func `An owner who registers an app is asked before it gets a group of one's own, which is named`() throws {
    let machine = try Machine()
    try machine.coffer("group", "create", "work")
    let team = try machine.team()
    for group in ["work", "coffer.personal"] {
      let plist = try machine.directory.write(
        "Other", entitlementsPlist("com.example.other", groups: ["~com.example.other", "~\(group)"]))
      let refused = try machine.run("coffer", "app", "add", plist)
      #expect(refused.exitCode == 2 && refused.errors.contains("add --yes"), "\(refused)")
      #expect(refused.errors.contains("reading and writing \(team).\(group)"), "\(refused)")
      #expect(try groups(machine)[group]?.writers == ["\(team).coffer.personal"])
    }
    let terminal = try PseudoTerminal(machine, "app", "add", machine.directory.path("Other"))
    try terminal.await("Go on? [y/N]")
    terminal.type("y\r")
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    #expect(try groups(machine)["coffer.personal"]?.writers.count == 2)
    // What the app has is not asked for again.
    try machine.coffer("app", "add", machine.directory.path("Other"))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can install a package"))
  func `An app whose package's plist claims a group of one's own does not get it at its first launch`() throws {
    let machine = try Machine()
    try machine.coffer("group", "create", "work")
    try machine.coffer("set", "--group", "work", "a", input: "s3cret")
    let pro = "com.example.photo.pro"
    for (group, reason) in [
      ("work", "belongs to"), ("coffer.personal", "names that begin with coffer. are Coffer's own"),
    ] {
      for key in [nil, try machine.makeTeamKey("key-of-\(group)")] {
        let plist = try machine.directory.write("Claim", entitlementsPlist(pro, groups: ["~\(pro)", "~\(group)"]))
        try machine.installPackage(pro, plist: plist, teamKey: key)
        let refused = try machine.run("PhotoPro", "buy")
        #expect(refused.exitCode == 1, "\(refused)")
        #expect(refused.errors.contains("it claims \(try machine.team()).\(group)"), "\(refused)")
        #expect(refused.errors.contains(reason), "\(refused)")
      }
    }
    #expect(try machine.json(StatusReport.self, "status").appCount == 1)
  }

  @Test(.enabled(if: PrivateSystem.isAvailable, "only root can install apps, in a namespace with mounts of its own"))
  func `Root installs no app for a user whose package's plist claims a group of the user's own`() throws {
    let system = try PrivateSystem()
    try system.addUser("alice")
    let pro = "com.example.photo.pro"
    let variables = ["COFFER_TEST_PASSPHRASE_COST": "floor"]
    try system.write("right", to: "/home/alice/passphrase", as: "alice")
    for words in [
      "coffer init --name laptop --passphrase-file passphrase --vault-key-file key",
      "coffer group create work --passphrase-file passphrase",
    ] {
      try system.succeed(["sh", "-c", words], as: "alice", environment: variables)
    }
    let id = try system.succeed(["id", "-u", "alice"])
    for group in ["work", "coffer.personal"] {
      let plist = entitlementsPlist(pro, groups: ["~\(pro)", "~\(group)"])
      try system.succeed(["mkdir", "-p", "/usr/local/share/coffer/apps"])
      try system.write(plist, to: "/usr/local/share/coffer/apps/\(pro).entitlements")
      let refused = try system.run(
        [
          "/usr/local/bin/coffer", "app", "install", pro, "--setgid", InstalledScene.program, "--passphrase-file",
          "/home/alice/passphrase",
        ],
        environment: ["SUDO_UID": id].merging(variables) { $1 })
      #expect(refused.exitCode != 0 && refused.errors.contains("it claims "), "\(refused)")
      #expect(refused.errors.contains(".\(group), "), "\(refused)")
      #expect(!refused.text.contains("runs with the group"), "\(refused)")
    }
    let apps = try system.succeed(["coffer", "app", "list"], as: "alice")
    #expect(!apps.contains(pro), "\(apps)")
  }

  @Test func `The error of a wrong class names the classes once`() throws {
    let machine = try Machine()
    try machine.makeVault()
    for command in [["get", "a", "--class", "nonsense"], ["show", "a", "--class", "nonsense"]] {
      let errors = try machine.start("coffer", command).wait().errors
      #expect(errors.matches(of: /internet-password/).count == 1, "\(errors)")
    }
  }
}
