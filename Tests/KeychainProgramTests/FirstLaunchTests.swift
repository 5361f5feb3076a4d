import CofferTestSupport
import Foundation
import Testing

/// First launches of apps that `import Security`, whose packages have installed their plists.
@Suite(.enabled(if: geteuid() == 0, "only root can install a package"))
struct FirstLaunchTests {
  /// Installs an app with its package's plist, on a machine that may have no vault.
  private func install(_ name: String, on machine: Machine) throws -> InstalledApp {
    let app = try InstalledApp(name, on: machine, isRegistered: false)
    let folder = machine.directory.url.appending(path: "share/coffer/apps")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: "\(app.program).entitlements", toPath: folder.appending(path: "\(app.bundleID).entitlements").path)
    machine.environment["XDG_DATA_DIRS"] = machine.directory.path("share")
    return app
  }

  @Test func `A ported app's first SecItemAdd works on a machine on which nothing was set up`() throws {
    let machine = try Machine()
    let notes = try install("notes", on: machine)
    try notes.succeed("add", "jane", input: "s3cret")
    #expect(try notes.succeed("get", "jane") == "s3cret")
    #expect(try machine.coffer("status").contains("coffer vault-key show"))
    // A second app of another vendor has a group of its own.
    let mail = try install("mail", on: machine)
    expectFailure(try mail.run("get", "jane"), Status.itemNotFound)
  }

  @Test func `An update of a package adds a group, and an older package takes none away`() throws {
    let machine = try Machine()
    let notes = try install("notes", on: machine)
    try notes.succeed("add", "jane", input: "s3cret")
    let installed = machine.directory.path("share/coffer/apps/com.example.notes.entitlements")
    func update(groups: [String]) throws {
      let plist = try InstalledApp.plist("notes", in: machine, groups: groups)
      try FileManager.default.removeItem(atPath: installed)
      try FileManager.default.copyItem(atPath: plist, toPath: installed)
    }
    try update(groups: ["~com.example.notes", "~com.example.suite"])
    try notes.succeed("--group", machine.group("suite"), "add", "joe", input: "shared")
    try update(groups: ["~com.example.notes"])
    #expect(try notes.succeed("get", "joe") == "shared")
    let mail = try install("mail", on: machine)
    try InstalledApp.plist("mail", in: machine, groups: ["~com.example.mail", "~com.example.suite"])
    try FileManager.default.removeItem(
      atPath: machine.directory.path("share/coffer/apps/com.example.mail.entitlements"))
    try FileManager.default.copyItem(
      atPath: "\(mail.program).entitlements",
      toPath: machine.directory.path("share/coffer/apps/com.example.mail.entitlements"))
    expectFailure(
      try mail.run("get", "joe"), Status.missingEntitlement, of: "SecItemCopyMatching", "com.example.suite",
      "com.example.notes of a vendor without a team key")
  }

  @Test func `With a passphrase the app's prompter asks once, and says which app, groups and package`() throws {
    let machine = try Machine()
    try machine.makeVault(passphrase: "correct horse")
    let notes = try install("notes", on: machine)
    let dialog = try ScriptedPinentry(.text("wrong"), .text("correct horse"))
    try notes.succeed("--pinentry", dialog.program, "add", "jane", input: "s3cret")
    #expect(try dialog.askedCount == 2)
    let text = try dialog.spoken.joined(separator: "\n")
    for part in [
      "com.example.notes is started for the first time", machine.directory.path("share/coffer/apps/com.example.notes"),
      "root vouches for its plist", "signed by no team",
    ] {
      #expect(text.contains(part), "\(part): \(text)")
    }
    #expect(try notes.succeed("get", "jane") == "s3cret")
  }

  @Test func `Without a prompter, or if its question is declined, the app is not registered`() throws {
    let machine = try Machine()
    try machine.makeVault(passphrase: "correct horse")
    let notes = try install("notes", on: machine)
    expectFailure(
      try notes.run("add", "jane", input: "s3cret"), Status.interactionNotAllowed, of: "SecItemAdd", "coffer app add")
    let dialog = try ScriptedPinentry(.cancel)
    expectFailure(
      try notes.run("--pinentry", dialog.program, "add", "jane", input: "s3cret"), Status.interactionNotAllowed,
      of: "SecItemAdd", "declined")
    #expect(try machine.status("appCount") == "0")
  }
}
