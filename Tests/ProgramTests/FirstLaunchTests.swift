import CofferSystem
import CofferTestSupport
import Foundation
import Testing

/// The first launches of apps whose packages are installed, on machines without a vault. No program has a terminal.
@Suite(.enabled(if: geteuid() == 0, "only root can install a package"))
struct FirstLaunchTests {
  private let detached = ["setsid", "--wait"]

  @Test func `Two installed apps share a purchase on a machine on which nothing was set up`() throws {
    let machine = try Machine()
    try machine.installExamples()
    let before = try machine.run("PhotoFree", wrapper: detached)
    #expect(before.text == "free: 3 filters", "\(before)")
    let bought = try machine.run("PhotoPro", "buy", wrapper: detached)
    #expect(bought.exitCode == 0, "\(bought)")
    let after = try machine.run("PhotoFree", wrapper: detached)
    #expect(after.text.hasPrefix("Pro unlocked"), "\(after)")
    expectFailure(try machine.run("PhotoFree", "forge", wrapper: detached), 1, "may read the access group")
    #expect(try machine.vaultNames() == ["default"])
  }

  /// Each round starts both apps at once, kills one of them at a step, and starts both again.
  @Test func `Apps that are started at once and killed at any step create one vault, and share the purchase`() throws {
    let first = try Machine()
    try first.installExamples()
    let steps = try first.steps(of: "PhotoPro", ["buy"])
    #expect(steps.contains { $0.point == .stagingComplete } && steps.contains { $0.point == .appRegistered })
    for round in 0..<max(50, steps.count) {
      let step = steps[round % steps.count]
      let machine = try Machine()
      machine.environment["XDG_DATA_DIRS"] = first.environment["XDG_DATA_DIRS"]
      let other = try machine.start("PhotoFree", [], wrapper: detached)
      // If the other app is faster with the vault, this one may not reach the step.
      let log = machine.directory.path("steps")
      _ = try machine.start(
        "PhotoPro", ["buy"], environment: ["COFFER_FAULT_LOG": log, "COFFER_FAULT_POINT": "\(step)"], wrapper: detached
      ).wait()
      let free = try other.wait()
      #expect(free.exitCode == 0, "\(step): \(free)")
      let bought = try machine.run("PhotoPro", "buy", wrapper: detached)
      #expect(bought.exitCode == 0, "\(step): \(bought)")
      let unlocked = try machine.run("PhotoFree", wrapper: detached)
      #expect(unlocked.text.hasPrefix("Pro unlocked"), "\(step): \(unlocked)")
      #expect(try machine.vaultNames() == ["default"], "\(step)")
      #expect(try machine.json(StatusReport.self, "status").appCount == 2, "\(step)")
      try machine.coffer("check")
    }
  }

  @Test func `Without an installed plist, the error says what to ship, and nothing is created`() throws {
    let machine = try Machine()
    try machine.usePackages()
    expectFailure(
      try machine.run("PhotoPro", wrapper: detached), 1, "there is no vault at",
      "/usr/share/coffer/apps/com.example.photo.pro.entitlements", "coffer init")
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
    try machine.makeVault()
    expectFailure(
      try machine.run("PhotoPro", wrapper: detached), 1, "is not registered",
      "/usr/share/coffer/apps/com.example.photo.pro.entitlements", "coffer app add")
  }

  @Test func `An administrator's variable turns first launches off`() throws {
    let machine = try Machine()
    try machine.installExamples()
    machine.environment["COFFER_FIRST_LAUNCH"] = "off"
    expectFailure(try machine.run("PhotoPro", wrapper: detached), 1, "there is no vault at")
    expectFailure(try machine.run("coffer", "set", "github.com", "jane", input: Data("x".utf8)), 1, "there is no vault")
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
    try machine.makeVault()
    expectFailure(try machine.run("PhotoPro", wrapper: detached), 1, "is not registered")
    machine.environment["COFFER_FIRST_LAUNCH"] = "maybe"
    expectFailure(try machine.run("PhotoPro", wrapper: detached), 1, "COFFER_FIRST_LAUNCH")
  }

  @Test func `An app that was removed, and rights that were taken away, do not come back with the package`() throws {
    let machine = try Machine()
    try machine.installExamples()
    try machine.succeed("PhotoPro", ["buy"])
    try machine.succeed("PhotoFree")
    try machine.coffer("app", "remove", "com.example.photo.pro", "--yes")
    expectFailure(try machine.run("PhotoPro", wrapper: detached), 1, "was removed from the vault")

    let narrow = try machine.plist("com.example.photo.free", groups: [], as: "Narrow")
    try machine.coffer("app", "add", narrow, "--yes")
    // The narrowed plist is not signed; the vendor's is, and claims the group again.
    expectFailure(try machine.run("PhotoFree", wrapper: detached), 1, "is registered for a vendor without a team key")
    let signed = machine.directory.path("Narrow.entitlements")
    try machine.coffer("app", "sign", signed, "--team-key", machine.directory.path("team-key"))
    try machine.coffer("app", "add", signed, "--yes")
    expectFailure(
      try machine.run("PhotoFree", wrapper: detached), 1, "com.example.photo.purchases",
      "an owner of the vault has taken from the app")
  }

  @Test func `A program that claims more than its package's plist creates nothing`() throws {
    let machine = try Machine()
    let plist = try machine.plist("com.example.photo.pro", groups: ["~com.example.photo.pro"])
    try machine.installPackage("com.example.photo.pro", plist: plist)
    expectFailure(
      try machine.run("PhotoPro", wrapper: detached), 1, "com.example.photo.purchases", "ship the same entitlements")
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
  }

  @Test func `In a vault that syncs, an app's registration is on the remote when the app has opened the vault`() throws
  {
    let machine = try Machine()
    try machine.installExamples()
    try machine.makeVault()
    let remote = machine.directory.path("remote.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    try machine.coffer("remote", "set", remote)
    try machine.coffer("sync")
    try machine.succeed("PhotoPro", ["buy"])
    let other = try Machine()
    try other.coffer(
      "clone", "--no-passphrase", "--vault-key-file", machine.directory.path("vault-key"), "--name", "desktop", remote)
    #expect(try other.json(StatusReport.self, "status").appCount == 1)
    // The vault's remote is gone: nothing is registered, and the vault is as it was.
    try FileManager.default.moveItem(atPath: remote, toPath: remote + ".away")
    expectFailure(try machine.run("PhotoFree", wrapper: detached), 1, "could not be published")
    try FileManager.default.moveItem(atPath: remote + ".away", toPath: remote)
    let free = try machine.run("PhotoFree", wrapper: detached)
    #expect(free.text.hasPrefix("Pro unlocked"), "\(free)")
  }

  @Test func `A machine that clones the vault gives an app its credential at its first launch there`() throws {
    let machine = try Machine()
    try machine.installExamples()
    try machine.succeed("PhotoPro", ["buy"])
    let credential = try machine.credential(of: "com.example.photo.pro")
    try FileManager.default.removeItem(at: credential)
    let outcome = try machine.run("PhotoPro", wrapper: detached)
    #expect(outcome.text == "Photo Pro: all filters", "\(outcome)")
    // Another vendor's package of this identifier does not get one.
    try FileManager.default.removeItem(at: credential)
    let other = try machine.makeTeamKey("other-team")
    try machine.installPackage("com.example.photo.pro", plist: Machine.entitlements(of: "PhotoPro"), teamKey: other)
    expectFailure(try machine.run("PhotoPro", wrapper: detached), 1, "is registered for the team", "signed by the team")
    #expect(!FileManager.default.fileExists(atPath: credential.path))
  }
}
