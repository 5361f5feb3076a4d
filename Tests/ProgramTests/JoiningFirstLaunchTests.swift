import CofferTestSupport
import Foundation
import Testing

/// A second machine of the same person, on which apps were started before `coffer clone`, or are started after it.
@Suite(.enabled(if: geteuid() == 0, "only root can install a package"))
struct JoiningFirstLaunchTests {
  private let detached = ["setsid", "--wait"]
  private let laptop: Machine
  private let desktop: Machine
  private let remote: String
  private let key: String

  /// The laptop's apps have created a vault that syncs now; on the desktop, the same packages are installed.
  init() throws {
    laptop = try Machine()
    desktop = try Machine()
    try laptop.installExamples()
    desktop.environment["XDG_DATA_DIRS"] = laptop.environment["XDG_DATA_DIRS"]
    try laptop.succeed("PhotoPro", ["buy"])
    remote = laptop.directory.path("remote.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    try laptop.coffer("remote", "set", remote)
    key = laptop.directory.path("vault-key")
    try laptop.coffer("vault-key", "show", "--vault-key-file", key)
    try laptop.coffer("sync")
  }

  private var clone: [String] {
    ["clone", "--yes", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, remote]
  }

  @Test func `Apps that were started before the clone go on with what both machines had`() throws {
    #expect(try desktop.run("PhotoFree", wrapper: detached).text == "free: 3 filters")
    try desktop.coffer("set", "github.com", "jane", input: "s3cret")
    let outcome = try desktop.start("coffer", clone).wait()
    #expect(
      outcome.exitCode == 0 && outcome.text.contains("coffer.personal (coffer.personal): 1 new there"), "\(outcome)")
    #expect(try desktop.vaultNames() == ["default"])
    // The purchase of the laptop unlocks the app of the desktop, without another registration.
    let log = try desktop.json(StatusReport.self, "status").logLength
    #expect(try desktop.run("PhotoFree", wrapper: detached).text.hasPrefix("Pro unlocked"))
    #expect(try desktop.succeed("PhotoPro") == "Photo Pro: all filters")
    #expect(try desktop.json(StatusReport.self, "status").logLength == log)
    #expect(try desktop.coffer("get", "github.com", "jane") == "s3cret")
    try laptop.coffer("sync")
    #expect(try laptop.coffer("get", "github.com", "jane") == "s3cret")
    // An app that only the desktop has had is registered for both.
    try laptop.coffer("app", "install", "com.example.photo.free")
    #expect(try laptop.succeed("PhotoFree").hasPrefix("Pro unlocked"))
  }

  @Test func `Apps that are started after the clone find its items, and one that no machine has had registers itself`()
    throws
  {
    try desktop.succeed("coffer", clone)
    #expect(try desktop.run("PhotoPro", wrapper: detached).text == "Photo Pro: all filters")
    #expect(try desktop.run("PhotoFree", wrapper: detached).text.hasPrefix("Pro unlocked"))
    #expect(try desktop.json(StatusReport.self, "status").appCount == 2)
  }

  @Test func `Another vendor's package of the same identifier keeps the vaults apart`() throws {
    try desktop.installPackage(
      "com.example.photo.free", plist: Machine.entitlements(of: "PhotoFree"), teamKey: desktop.makeTeamKey("other"))
    try desktop.installPackage(
      "com.example.photo.pro", plist: Machine.entitlements(of: "PhotoPro"), teamKey: desktop.directory.path("other"))
    try desktop.succeed("PhotoPro", ["buy"])
    let outcome = try desktop.start("coffer", clone).wait()
    expectFailure(
      outcome, 4, "com.example.photo.pro cannot be registered in the other vault", "is registered for the team",
      "nothing was changed")
    #expect(try desktop.vaultNames() == ["default"] && desktop.succeed("PhotoPro") == "Photo Pro: all filters")
    #expect(try laptop.json(StatusReport.self, "status").machines.count == 1)
  }
}
