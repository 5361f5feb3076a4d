import CofferTestSupport
import Foundation
import Testing

/// Plists in Homebrew's folder, which belongs to a user who installs programs for all of them.
@Suite(.enabled(if: PrivateSystem.isAvailable, "needs root, and the right to mount"))
struct HomebrewPackageTests {
  private let system: PrivateSystem
  private let plist = "/usr/local/share/coffer/apps/com.example.photo.pro.entitlements"

  /// A system on which `brew` owns `/usr/local` and has installed Photo Pro, which `jane` uses.
  init() throws {
    system = try PrivateSystem()
    for user in ["brew", "jane"] { try system.addUser(user) }
    try system.succeed(["mkdir", "-p", "/usr/local/share/coffer/apps"])
    try system.write(
      String(contentsOfFile: Machine.entitlements(of: "PhotoPro"), encoding: .utf8), to: plist)
    try system.succeed(["chown", "-R", "brew:brew", "/usr/local/share", "/usr/local/apps"])
    try system.succeed(["chown", "brew:brew", "/usr/local"])
    try system.succeed(["chmod", "-R", "go-w", "/usr/local/share"])
  }

  private func launch() throws -> Machine.Outcome { try system.run(["/usr/local/apps/PhotoPro", "buy"], as: "jane") }

  @Test func `The owner of Homebrew's folder vouches for what is in it`() throws {
    let bought = try launch()
    #expect(bought.exitCode == 0, "\(bought)")
    #expect(try system.succeed(["/usr/local/bin/coffer", "app", "list"], as: "jane").contains("com.example.photo.pro"))
  }

  @Test func `Another user vouches neither there nor elsewhere, and nothing is created`() throws {
    try system.succeed(["chown", "jane:jane", plist])
    expectFailure(
      try launch(), 1, "nobody vouches for the entitlements at \(plist)", "\(plist) belongs to another user than root")
    try system.succeed(["chown", "brew:brew", plist])
    try system.succeed(["chmod", "g+w", "/usr/local/share/coffer/apps"])
    expectFailure(try launch(), 1, "/usr/local/share/coffer/apps can be written by others")
    // The owner of Homebrew's folder has no say outside of it.
    try system.succeed(["mv", "/usr/local/share/coffer", "/home/brew/coffer"])
    try system.succeed(["chmod", "-R", "go-w,a+rX", "/home/brew"])
    expectFailure(
      try system.run(
        ["/usr/local/apps/PhotoPro", "buy"], as: "jane", environment: ["XDG_DATA_DIRS": "/home/brew"]), 1,
      "nobody vouches for the entitlements at /home/brew/coffer")
    #expect(try system.run(["test", "-e", "/home/jane/.local/share/coffer"]).exitCode == 1)
  }
}
