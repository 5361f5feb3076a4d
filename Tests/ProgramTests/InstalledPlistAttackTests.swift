import CofferTestSupport
import Foundation
import Testing

/// The table of attacks with plists of packages, in the security model.
@Suite(.enabled(if: geteuid() == 0, "only root can install a package"))
struct InstalledPlistAttackTests {
  private let purchases = "com.example.photo.purchases"

  /// A machine on which the vendor's paid app has left the purchase.
  private func bought() throws -> Machine {
    let machine = try Machine()
    try machine.installExamples()
    try machine.succeed("PhotoPro", ["buy"])
    return machine
  }

  @Test func `A package whose plist claims a group of another vendor gets nothing, and both are named`() throws {
    let machine = try bought()
    // PhotoFree stands for a hostile app: its plist claims the group, and another team has signed it, or none.
    let other = try machine.makeTeamKey("other-team")
    for key in [other, nil] {
      try machine.installPackage("com.example.photo.free", plist: Machine.entitlements(of: "PhotoFree"), teamKey: key)
      expectFailure(
        try machine.run("PhotoFree"), 1, purchases, "belongs to", "com.example.photo.pro of the team",
        key == nil ? "signed by no team" : "signed by the team")
      #expect(try machine.json(StatusReport.self, "status").appCount == 1)
    }
  }

  @Test func `A group whose app was removed, with its items, is nobody's to take`() throws {
    let machine = try bought()
    try machine.coffer("app", "remove", "com.example.photo.pro", "--yes")
    expectFailure(try machine.run("PhotoFree"), 1, purchases, "belonged to an app that has no right to it any more")
  }

  @Test func `A package does not get its app a group that only installed apps may have`() throws {
    let machine = try bought()
    try machine.coffer("group", "require", purchases, "strong")
    expectFailure(try machine.run("PhotoFree"), 1, purchases, "only installed apps may have", "sudo coffer app install")
    #expect(try machine.json(StatusReport.self, "status").appCount == 1)
  }

  @Test(.enabled(if: PrivateSystem.isAvailable, "only root can mount, in a namespace with mounts of its own"))
  func `What is mounted in a folder that everybody can write to is not vouched for`() throws {
    let system = try PrivateSystem()
    try system.addUser("alice")
    let folder = "/tmp/share-\(UInt32.random(in: 0 ... .max))"
    try system.succeed(["mkdir", folder])
    func fill() throws {
      try system.succeed(["mkdir", "-p", "\(folder)/coffer/apps"])
      let plist = try String(contentsOfFile: Machine.entitlements(of: "PhotoPro"), encoding: .utf8)
      // Not in a folder that this system has for itself, and deleted at the end.
      try system.succeed(
        ["sh", "-c", "cat > \(folder)/coffer/apps/com.example.photo.pro.entitlements"], input: plist)
    }
    try fill()
    let environment = ["XDG_DATA_DIRS": folder, "COFFER_LIBEXEC": "/usr/local/bin"]
    let buy = ["/usr/local/apps/PhotoPro", "buy"]
    defer { _ = try? system.run(["rm", "-rf", folder]) }
    // As FUSE does for everybody: the files seem to be root's.
    try system.succeed(["mount", "-t", "tmpfs", "-o", "mode=755", "none", folder])
    try fill()
    let mounted = try system.run(buy, as: "alice", environment: environment)
    expectFailure(mounted, 1, "nobody vouches for the entitlements", "/tmp can be written by others than root")
    try system.succeed(["umount", folder])
    let plain = try system.run(buy, as: "alice", environment: environment)
    #expect(plain.exitCode == 0, "\(plain)")
  }

  @Test func `A copied team key without its signature, and a signature of another plist, are refused`() throws {
    let machine = try bought()
    let signed = machine.packages.appending(path: "com.example.photo.free.entitlements").path
    let text = try String(contentsOfFile: signed, encoding: .utf8)
    let wider = text.replacingOccurrences(of: purchases, with: "com.example.photo.pro")
    let unsigned = text.replacing(#/\s*<key>coffer-team-signature</key>\s*<string>[^<]*</string>/#, with: "")
    #expect(wider != text && unsigned != text)
    for (altered, part) in [(wider, "was changed after the team"), (unsigned, "coffer-team-signature")] {
      try altered.write(toFile: signed, atomically: true, encoding: .utf8)
      expectFailure(try machine.run("PhotoFree"), 1, part)
    }
  }

  @Test func `A plist that another user than root can write is not used, and the folder is named`() throws {
    for (path, owner, mode) in [
      ("share/coffer/apps/com.example.photo.free.entitlements", 1000, 0o644),
      ("share/coffer/apps/com.example.photo.free.entitlements", 0, 0o666),
      ("share/coffer/apps", 1000, 0o755), ("share/coffer/apps", 0, 0o775), ("share/coffer/apps", 0, 0o1777),
      ("share/coffer", 1000, 0o755), ("share", 0, 0o757),
    ] {
      let machine = try bought()
      let item = machine.directory.path(path)
      try FileManager.default.setAttributes(
        [.posixPermissions: mode, .ownerAccountID: owner], ofItemAtPath: item)
      expectFailure(
        try machine.run("PhotoFree"), 1, "nobody vouches for the entitlements", item, "install them as root")
    }
  }

  @Test func `A link in a folder of another user is not followed to a plist of root`() throws {
    let machine = try bought()
    let own = machine.directory.path("own")
    try FileManager.default.createDirectory(atPath: "\(own)/coffer/apps", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(own)/coffer/apps/com.example.photo.free.entitlements",
      withDestinationPath: machine.packages.appending(path: "com.example.photo.free.entitlements").path)
    try Command.run("chown", "-R", "1000", own)
    expectFailure(
      try machine.run("PhotoFree", environment: ["XDG_DATA_DIRS": own]), 1, "nobody vouches for the entitlements")
    // A link in a folder of root is how some package managers install everything.
    try Command.run("chown", "-R", "0", own)
    let outcome = try machine.run("PhotoFree", environment: ["XDG_DATA_DIRS": own])
    #expect(outcome.text.hasPrefix("Pro unlocked"), "\(outcome)")
  }

  @Test func `A folder of the user in front of root's neither replaces the plist of the package nor hides it`() throws {
    let machine = try bought()
    let own = machine.directory.path("own")
    try FileManager.default.createDirectory(atPath: "\(own)/coffer/apps", withIntermediateDirectories: true)
    let hostile = try machine.plist("com.example.photo.free", groups: ["~com.example.photo.pro"])
    try FileManager.default.copyItem(
      atPath: hostile, toPath: "\(own)/coffer/apps/com.example.photo.free.entitlements")
    try Command.run("chown", "-R", "1000", own)
    let outcome = try machine.run(
      "PhotoFree", environment: ["XDG_DATA_DIRS": "\(own):\(machine.directory.path("share"))"])
    #expect(outcome.text.hasPrefix("Pro unlocked"), "\(outcome)")
    #expect(try machine.run("PhotoFree", "peek").exitCode == 1)
  }

  @Test func `Two packages with different plists of one identifier are refused, and both are named`() throws {
    let machine = try bought()
    let second = machine.directory.path("second")
    try FileManager.default.createDirectory(atPath: "\(second)/coffer/apps", withIntermediateDirectories: true)
    let name = "coffer/apps/com.example.photo.free.entitlements"
    try FileManager.default.copyItem(atPath: Machine.entitlements(of: "PhotoFree"), toPath: "\(second)/\(name)")
    let folders = "\(machine.directory.path("share")):\(second)"
    expectFailure(
      try machine.run("PhotoFree", environment: ["XDG_DATA_DIRS": folders]), 1, "two packages", "\(second)/\(name)",
      machine.directory.path("share/\(name)"))
  }

  @Test func `No package gets Coffer's own names`() throws {
    let machine = try bought()
    let key = machine.directory.path("team-key")
    let plist = try machine.plist(
      "com.example.photo.free", groups: ["~com.example.photo.free", "~coffer.personal"], readOnly: ["~\(purchases)"])
    try machine.installPackage("com.example.photo.free", plist: plist, teamKey: key)
    expectFailure(try machine.run("PhotoFree"), 1, "coffer.personal", "Coffer's own")
    let collection = try machine.plist(
      "com.example.photo.free", groups: ["~com.example.photo.free", "~desktop.flatpak.org.example.App"], readOnly: [])
    try machine.installPackage("com.example.photo.free", plist: collection, teamKey: key)
    expectFailure(try machine.run("PhotoFree"), 1, "desktop.flatpak.org.example.App", "Coffer's own")
  }

  @Test func `A file of another app's identifier is refused`() throws {
    let machine = try bought()
    try machine.installPackage("com.example.photo.free", plist: Machine.entitlements(of: "PhotoPro"))
    expectFailure(try machine.run("PhotoFree"), 1, "is not the requested app com.example.photo.free")
  }

  @Test func `A program with elevated privileges ignores the folders of the environment, and registers nothing`() throws
  {
    let machine = try bought()
    expectFailure(
      try machine.run("PhotoFree", wrapper: ["setpriv", "--rgid=65534", "--keep-groups"]), 1,
      "there is no vault at")
  }
}
