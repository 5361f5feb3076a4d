import CofferTestSupport
import Foundation
import Testing

/// The plist that a program finds by its own name: beside it, or in the folder of its package.
@Suite(.enabled(if: geteuid() == 0, "only root can install a package"))
struct AutomaticEntitlementsTests {
  private let machine: Machine
  private let program: String

  /// Installs a program and its plists as a package with the prefix `usr` does. It has no plist beside it.
  init() throws {
    machine = try Machine()
    for folder in ["usr/bin", "usr/share/coffer/apps"] {
      try FileManager.default.createDirectory(
        at: machine.directory.url.appending(path: folder), withIntermediateDirectories: true)
    }
    program = machine.directory.path("usr/bin/notes")
    // By another process: a program that is started meanwhile would inherit the open file, which then cannot be
    // started.
    try Command.run("cp", Machine.path(of: "KeychainProgram"), program)
    try machine.directory.write(
      "usr/share/coffer/apps/com.example.notes.entitlements",
      entitlementsPlist("com.example.notes", groups: ["~com.example.notes"]))
    try FileManager.default.createSymbolicLink(
      atPath: machine.directory.path("usr/share/coffer/apps/notes.entitlements"),
      withDestinationPath: "com.example.notes.entitlements")
    machine.environment["XDG_DATA_DIRS"] = machine.directory.path("usr/share")
  }

  private func add(_ program: String) throws -> Machine.Outcome {
    try machine.run(program, "add", "jane", input: Data("s3cret".utf8))
  }

  @Test func `A program finds the plist that its package has installed under the program's name`() throws {
    let added = try add(program)
    #expect(added.exitCode == 0, "\(added)")
    #expect(try machine.run(program, "get", "jane").text == "s3cret")
    #expect(try machine.coffer("app", "list").contains("com.example.notes"))
  }

  @Test func `Another program of that name is not the package's: elsewhere, or where others can write`() throws {
    let elsewhere = machine.directory.path("notes")
    try Command.run("cp", program, elsewhere)
    expectFailure(try add(elsewhere), Status.missingEntitlement, of: "SecItemAdd", "this program has no entitlements")
    try FileManager.default.setAttributes([.ownerAccountID: 1000], ofItemAtPath: program)
    expectFailure(try add(program), Status.missingEntitlement, of: "SecItemAdd", "this program has no entitlements")
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
  }

  @Test func `A plist of that name that others can write is named, and not used`() throws {
    let link = machine.directory.path("usr/share/coffer/apps/notes.entitlements")
    try FileManager.default.removeItem(atPath: link)
    try machine.directory.write(
      "usr/share/coffer/apps/notes.entitlements",
      entitlementsPlist("com.example.other", groups: ["~com.example.other"]))
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: link)
    expectFailure(
      try add(program), Status.missingEntitlement, of: "SecItemAdd", "nobody vouches for the entitlements", link)
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
  }
}
