import Coffer
import CofferAdministration
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// `coffer clone` on a machine with a vault of its own, which joins the other one.
@Suite struct JoiningCloneTests {
  @Test func `Two personal vaults with a thousand items each become one over a real sshd, with every item once`() throws
  {
    let server = try SSHServer()
    let vaults = try PersonalVaults(count: 1_000, same: 50, different: 2)
    let (laptop, desktop) = (vaults.laptop, vaults.desktop)
    let url = "ssh://\(server.user)@127.0.0.1:\(server.port)\(vaults.remote.path)"
    for machine in [laptop, desktop] { machine.environment["COFFER_SSH_CONFIG"] = server.clientConfiguration }
    try laptop.coffer("remote", "set", url)
    try laptop.sync()
    let outcome = try desktop.start("coffer", vaults.joining(url)).wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    for words in ["brings 1\u{202f}001 items", "948 new there, 50 the same, 2 different", "coffer conflicts"] {
      #expect(outcome.text.contains(words), "\(words): \(outcome)")
    }
    try vaults.expectJoined()
    // The versions that are not the current ones are kept.
    #expect(try desktop.status("conflictCount") == "2" && desktop.status("unsyncedChanges") == "0")
    #expect(try desktop.succeed("PhotoPro").contains("not bought yet"))
    try laptop.sync()
    #expect(try laptop.joinedValues() == vaults.allValues)
    #expect(try laptop.coffer("get", "own", "desktop") == "of the desktop")
    #expect(try laptop.coffer("device", "list").contains("desktop"))
    // Both machines go on as two machines of one vault.
    try desktop.coffer("set", "later", "both", input: "1")
    try desktop.sync()
    try laptop.sync()
    #expect(try laptop.coffer("get", "later", "both") == "1")
  }

  @Test func `Killed at any step and run again, every item is there once, and until then the former vault works`()
    throws
  {
    let template = try PersonalVaults(count: 12, same: 3, different: 2)
    try template.laptop.coffer("remote", "set", template.remote.path)
    try template.laptop.sync()
    let undisturbed = try PersonalVaults(copying: template)
    let steps = try undisturbed.desktop.steps(of: "coffer", undisturbed.joining())
    try undisturbed.expectJoined()
    let points: Set<FaultPoint> = [
      .vaultDownloaded, .pushAccepted, .appsJoined, .itemsTaken, .stagingComplete, .vaultMoved, .formerVaultRetired,
      .formerVaultDiscarded,
    ]
    #expect(points.isSubset(of: steps.map(\.point)))
    // The commit before it.
    let retirement = try #require(steps.firstIndex { $0.point == .formerVaultRetired }) - 1
    for (index, step) in steps.enumerated() {
      // In the ordinary run, each of these points once.
      let isTaken =
        TestRun.isFull
        ? step.occurrence == 1 || step.occurrence % 5 == 0 : step.occurrence == 1 && points.contains(step.point)
      guard isTaken else { continue }
      let vaults = try PersonalVaults(copying: template)
      let desktop = vaults.desktop
      // A program that goes on with the vault that it has opened.
      let program = try desktop.exampleVault()
      try desktop.kill("coffer", vaults.joining(), at: step)
      let late = GenericPassword(service: "late", account: "program")
      let isAcknowledged = (try? program.set("1", for: late)) != nil
      #expect(isAcknowledged == (index < retirement), "\(step)")
      let before = try desktop.joinedValues()
      #expect(before == vaults.desktopValues || before == vaults.allValues, "\(step)")
      // What an app writes meanwhile comes along.
      let vault = try desktop.exampleVault()
      try vault.set("1", for: GenericPassword(service: "meanwhile", account: "app"))
      let again = try desktop.start("coffer", vaults.joining()).wait()
      if step.point == .formerVaultDiscarded {
        #expect(again.exitCode == 1 && again.errors.contains("it syncs with"), "\(step): \(again)")
      } else {
        #expect(again.exitCode == 0, "\(step): \(again)")
      }
      try desktop.sync()
      try vaults.expectJoined("\(step)")
      #expect(
        try desktop.exampleVault().string(for: GenericPassword(service: "meanwhile", account: "app")) == "1", "\(step)")
      #expect(try desktop.exampleVault().string(for: late) == (isAcknowledged ? "1" : nil), "\(step)")
      #expect(try desktop.status("unsyncedChanges") == "0", "\(step)")
      try vaults.laptop.coffer("remote", "set", "--force", vaults.remote.path)
      try vaults.laptop.sync()
      #expect(try vaults.laptop.joinedValues() == vaults.allValues, "\(step)")
    }
  }

  @Test(arguments: TestRun.rows([FaultPoint.itemsTaken, .stagingComplete]))
  func `What an app deletes or changes after an interrupted clone stays so when it is finished`(
    point: FaultPoint
  ) throws {
    let vaults = try connected()
    let (laptop, desktop) = (vaults.laptop, vaults.desktop)
    func item(_ account: String) -> GenericPassword { GenericPassword(service: "afterwards", account: account) }
    for account in ["deleted", "changed"] { try desktop.exampleVault().set("old", for: item(account)) }
    try desktop.kill("coffer", vaults.joining(), at: FaultStep(point: point, occurrence: 1))
    let vault = try desktop.exampleVault()
    try vault.delete(item("deleted"))
    try vault.set("new", for: item("changed"))
    try desktop.succeed("coffer", vaults.joining())
    try laptop.sync()
    for machine in [laptop, desktop] {
      #expect(try machine.exampleVault().string(for: item("deleted")) == nil)
      #expect(try machine.exampleVault().string(for: item("changed")) == "new")
      #expect(try machine.exampleVault().conflicts(GenericPassword.self).count == 1)
    }
    #expect(try desktop.status("conflictCount") == "1")
  }

  @Test func `A vault that demands how keys are guarded, or whose folder is a link, joins no other one`() throws {
    let vaults = try connected()
    let desktop = vaults.desktop
    try desktop.coffer("group", "require", "com.example.photo.pro", "lease")
    let demanding = try desktop.start("coffer", vaults.joining()).wait()
    #expect(demanding.exitCode != 0 && demanding.errors.contains("com.example.photo.pro demands"), "\(demanding)")
    try desktop.coffer("group", "require", "com.example.photo.pro", "none")
    let folder = desktop.home.appending(path: "vaults/default")
    let elsewhere = desktop.home.appending(path: "vaults/elsewhere")
    try FileManager.default.moveItem(at: folder, to: elsewhere)
    try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: elsewhere)
    let tip = vaults.remote.tip
    let linked = try desktop.start("coffer", vaults.joining()).wait()
    #expect(linked.exitCode != 0 && linked.errors.contains("is a link"), "\(linked)")
    #expect(vaults.remote.tip == tip)
  }

  @Test func `A thousand items come along once, whichever of the clone's own steps kills it`() throws {
    let template = try PersonalVaults(count: 1_000, same: 50, different: 2)
    try template.laptop.coffer("remote", "set", template.remote.path)
    try template.laptop.sync()
    let points: [FaultPoint] = [
      .itemsTaken, .pushAccepted, .appsJoined, .stagingComplete, .vaultMoved, .formerVaultRetired,
    ]
    for point in TestRun.rows(points) {
      let vaults = try PersonalVaults(copying: template)
      try vaults.desktop.kill("coffer", vaults.joining(), at: FaultStep(point: point, occurrence: 1))
      try vaults.desktop.succeed("coffer", vaults.joining())
      try vaults.expectJoined("\(point)")
      #expect(try vaults.desktop.status("unsyncedChanges") == "0", "\(point)")
      #expect(try vaults.desktop.status("conflictCount") == "2", "\(point)")
    }
  }

  @Test func `Whoever says no keeps the vault, and the other one gains no machine`() throws {
    let vaults = try connected()
    let tip = vaults.remote.tip
    let arguments = vaults.joining().filter { $0 != "--yes" }
    let unasked = try vaults.desktop.start("coffer", arguments).wait()
    #expect(unasked.exitCode == 2 && unasked.errors.contains("add --yes; nothing was changed"), "\(unasked)")
    let terminal = try PseudoTerminal(vaults.desktop, program: Machine.path(of: "coffer"), arguments)
    try terminal.await("Go on?")
    #expect(terminal.screen.contains("1 new there, 1 the same, 1 different"), "\(terminal.screen)")
    terminal.type("n\n")
    #expect(terminal.wait() == 5, "\(terminal.screen)")
    #expect(vaults.remote.tip == tip)
    #expect(try vaults.desktop.joinedValues() == vaults.desktopValues)
    let names = try FileManager.default.contentsOfDirectory(atPath: vaults.desktop.home.appending(path: "vaults").path)
    #expect(names == ["default"])
  }

  @Test func `An item that the other vault has deleted is not lost, and one for this machine only stays on it`() throws
  {
    let vaults = try connected()
    let (laptop, desktop) = (vaults.laptop, vaults.desktop)
    let deleted = GenericPassword(service: "deleted", account: "a")
    let local = GenericPassword(
      service: "local", account: "a", accessibility: .whenUnlockedThisDeviceOnly)
    try laptop.exampleVault().set("old", for: deleted)
    try laptop.exampleVault().delete(deleted)
    try laptop.sync()
    try desktop.exampleVault().set("kept", for: deleted)
    try desktop.exampleVault().set("here", for: local)
    try desktop.succeed("coffer", vaults.joining())
    #expect(try desktop.exampleVault().string(for: deleted) == "kept")
    #expect(try desktop.exampleVault().string(for: local) == "here")
    try laptop.sync()
    #expect(try laptop.exampleVault().string(for: deleted) == "kept")
    #expect(try laptop.exampleVault().string(for: local) == nil)
  }

  @Test func `A machine keeps its passphrase, with which its owner confirms`() throws {
    let vaults = try connected()
    let desktop = vaults.desktop
    let passphrase = try desktop.directory.write("passphrase", "correct horse")
    try desktop.coffer("passphrase", "set", "--new-passphrase-file", passphrase)
    let without = try desktop.start("coffer", vaults.joining(), wrapper: ["setsid", "--wait"]).wait()
    #expect(without.exitCode == 5 && without.errors.contains("passphrase"), "\(without)")
    let arguments = vaults.joining().filter { $0 != "--no-passphrase" } + ["--passphrase-file", passphrase]
    try desktop.succeed("coffer", arguments)
    // The joined vault's keys are under it, too, with those of the owner's own group.
    let locked = try desktop.run("coffer", "get", "own", "laptop", wrapper: ["setsid", "--wait"])
    #expect(locked.exitCode == 5 && locked.errors.contains("passphrase"), "\(locked)")
    desktop.environment["COFFER_PASSPHRASE_FILE"] = passphrase
    try vaults.expectJoined()
    desktop.environment["COFFER_PASSPHRASE_FILE"] = nil
    let open = try desktop.run("coffer", "rotate", "list", wrapper: ["setsid", "--wait"])
    #expect(open.exitCode == 5 && open.errors.contains("passphrase"), "\(open)")
    try desktop.coffer("rotate", "list", "--passphrase-file", passphrase)
  }

  @Test func `A vault whose remote is that of another vault is told how it joins that one, and joins it`() throws {
    let vaults = try connected()
    let desktop = vaults.desktop
    try desktop.coffer("remote", "set", vaults.remote.path)
    let sync = try desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("`coffer remote remove`, then `coffer clone URL`"), "\(sync)")
    let refused = try desktop.start("coffer", vaults.joining()).wait()
    #expect(refused.exitCode == 1 && refused.errors.contains("with `coffer remote remove`, and clone"), "\(refused)")
    try desktop.coffer("remote", "remove")
    try desktop.succeed("coffer", vaults.joining())
    try desktop.sync()
    try vaults.expectJoined()
  }

  @Test func `A vault that syncs, that other machines have, or whose app is another vendor's there stays as it is`()
    throws
  {
    let vaults = try connected()
    let (laptop, desktop) = (vaults.laptop, vaults.desktop)
    func expectRefusal(_ words: String..., of machine: Machine, exitCode: Int32 = 1) throws {
      let outcome = try machine.start("coffer", vaults.joining()).wait()
      #expect(outcome.exitCode == exitCode && outcome.output.isEmpty, "\(outcome)")
      for words in words { #expect(outcome.errors.contains(words), "\(outcome)") }
      let names = try FileManager.default.contentsOfDirectory(atPath: machine.home.appending(path: "vaults").path)
      #expect(names == ["default"])
    }
    try expectRefusal("it syncs with \(vaults.remote.path)", "COFFER_HOME", of: laptop)
    // The same group, of two apps that no team has signed.
    #expect(try laptop.addApp("first", groups: ["~com.example.shared"]).exitCode == 0)
    try laptop.sync()
    #expect(try desktop.addApp("second", groups: ["~com.example.shared"]).exitCode == 0)
    try expectRefusal(
      "com.example.second cannot be registered", "com.example.shared", "com.example.first", "coffer app add",
      of: desktop, exitCode: 4)
    // What an owner has confirmed there counts.
    #expect(try laptop.addApp("second", groups: ["~com.example.shared"]).exitCode == 0)
    try laptop.sync()
    try desktop.succeed("coffer", vaults.joining())
    try vaults.expectJoined()
    let other = try Machine()
    try other.makeVault()
    try other.coffer("remote", "set", other.directory.path("none.git"), "--force")
    try other.coffer("remote", "remove")
    try other.coffer("set", "a", input: "1")
    #expect(try other.start("coffer", vaults.joining()).wait().exitCode == 0)
  }

  /// Writes a purchase marker on the desktop as an app of the group, and removes the app if it is not to stay.
  private func buy(_ account: String, as app: String, on desktop: Machine, removing isRemoved: Bool) throws {
    let plist = desktop.directory.path("\(app).entitlements")
    if !FileManager.default.fileExists(atPath: plist) {
      #expect(try desktop.addApp(app, groups: ["~com.example.photo.purchases"]).exitCode == 0)
    }
    try desktop.coffer(
      "set", "purchase", account, "--app", "com.example.\(app)", "--group", "com.example.photo.purchases", input: "1")
    if isRemoved { try desktop.coffer("app", "remove", "com.example.\(app)", "--yes") }
  }

  /// Whom a machine names as the writer of a purchase marker; nil if it has none.
  private func writer(of account: String, on machine: Machine) throws -> ItemWriter? {
    try machine.exampleVault().storedItem(
      for: GenericPassword(service: "purchase", account: account), in: "com.example.photo.purchases")?.writer
  }

  @Test func `An app stays the writer of its purchase markers in the joined vault, on every machine`() throws {
    let vaults = try connected()
    let (laptop, desktop) = (vaults.laptop, vaults.desktop)
    try buy("genuine", as: "store", on: desktop, removing: false)
    try desktop.exampleVault().set("mine", for: GenericPassword(service: "purchase", account: "pro"))
    try desktop.coffer("set", "purchase", "owner", "--group", "com.example.photo.purchases", input: "1")
    let before = try [desktop].flatMap { machine in try ["genuine", "owner"].map { try writer(of: $0, on: machine) } }
    #expect(before.map { $0?.application?.hasSuffix("com.example.store") } == [true, nil])
    try desktop.succeed("coffer", vaults.joining())
    try laptop.sync()
    for machine in [desktop, laptop] {
      let genuine = try #require(try writer(of: "genuine", on: machine))
      #expect(genuine.application?.hasSuffix(".com.example.store") == true && genuine.device == "desktop")
      let owner = try #require(try writer(of: "owner", on: machine))
      #expect(owner.application == nil && owner.device == "desktop")
      let own = try machine.exampleVault().storedItem(for: GenericPassword(service: "purchase", account: "pro"))
      #expect(own?.writer.application?.hasSuffix(".\(app)") == true)
    }
    try desktop.coffer("check")
  }

  @Test func `A marker of a removed app becomes nobody else's, unless the owner asks for it and is told which`() throws
  {
    let vaults = try connected()
    let (laptop, desktop) = (vaults.laptop, vaults.desktop)
    try buy("genuine", as: "store", on: desktop, removing: false)
    try buy("forged", as: "thief", on: desktop, removing: true)
    let tip = vaults.remote.tip
    let refused = try desktop.start("coffer", vaults.joining()).wait()
    for words in ["purchase, forged in com.example.photo.purchases, by com.example.thief", "removed", "--as-owner"] {
      #expect(refused.errors.contains(words), "\(refused)")
    }
    #expect(refused.exitCode == 2 && !refused.errors.contains("genuine") && vaults.remote.tip == tip, "\(refused)")
    #expect(try writer(of: "forged", on: desktop)?.application?.hasSuffix("com.example.thief") == true)
    let named = try desktop.start("coffer", vaults.joining() + ["--as-owner"]).wait()
    #expect(named.exitCode == 0 && named.text.contains("purchase, forged in com.example.photo.purchases"), "\(named)")
    #expect(!named.text.contains("purchase, genuine"), "\(named)")
    try laptop.sync()
    for machine in [desktop, laptop] {
      #expect(try writer(of: "genuine", on: machine)?.application?.hasSuffix("com.example.store") == true)
      #expect(try writer(of: "forged", on: machine).map { $0.application } == .some(nil))
    }
  }

  @Test func `What another app replaced, or the owner deleted, of a removed app's is in nobody's way`() throws {
    let vaults = try connected()
    let desktop = vaults.desktop
    try buy("replaced", as: "store", on: desktop, removing: false)
    try buy("replaced", as: "thief", on: desktop, removing: true)
    try buy("replaced", as: "store", on: desktop, removing: false)
    try buy("deleted", as: "other", on: desktop, removing: true)
    try desktop.coffer("delete", "purchase", "deleted", "--group", "com.example.photo.purchases")
    try desktop.succeed("coffer", vaults.joining())
    #expect(try writer(of: "replaced", on: desktop)?.application?.hasSuffix("com.example.store") == true)
    #expect(try writer(of: "deleted", on: desktop) == nil)
  }

  /// Two personal vaults with three items each, of which one is the same and one differs; the laptop's is on the
  /// remote.
  private func connected() throws -> PersonalVaults {
    let vaults = try PersonalVaults(count: 3, same: 1, different: 1)
    try vaults.laptop.coffer("remote", "set", vaults.remote.path)
    try vaults.laptop.sync()
    return vaults
  }
}
