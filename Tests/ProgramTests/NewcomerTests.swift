import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// How many commands a newcomer needs until an item is stored or shared, from the state in which packages leave a
/// machine.
@Suite struct NewcomerTests {
  @Test(.enabled(if: geteuid() == 0, "only root can install a package"))
  func `A customer of two apps needs no command until they share an item`() throws {
    let machine = try Machine()
    try machine.installExamples()
    // From a desktop's menu: without a terminal, and with no other program before.
    let detached = ["setsid", "--wait"]
    let bought = try machine.run("PhotoPro", "buy", wrapper: detached)
    #expect(bought.exitCode == 0 && bought.errors.isEmpty, "\(bought)")
    let shared = try machine.run("PhotoFree", wrapper: detached)
    #expect(shared.text.hasPrefix("Pro unlocked") && shared.errors.isEmpty, "\(shared)")
  }

  @Test func `A user of the terminal needs the one command with which the README begins`() throws {
    let readme = try String(contentsOf: DocumentationPage.root.appending(path: "README.md"), encoding: .utf8)
    let section = try #require(readme.split(separator: "## Store and read a secret").last)
    let block = try #require(section.split(separator: "```console\n").dropFirst().first?.split(separator: "```").first)
    let commands = block.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map {
      $0.dropFirst(2).split(separator: " ")
    }
    let machine = try Machine()
    var count = 0
    for command in commands where command.first == "coffer" {
      if command[1] == "get" { break }
      try machine.succeed("coffer", command.dropFirst().map(String.init), input: "s3cret")
      count += 1
    }
    #expect(count == 1)
    let get = try #require(commands.dropFirst(count).first)
    #expect(try machine.succeed("coffer", get.dropFirst().map(String.init)) == "s3cret")
  }

  @Test func `The README names the package of this version`() throws {
    let readme = try String(contentsOf: DocumentationPage.root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains("apt install ./coffer_\(CofferVersion.text)_amd64.deb"))
  }

  @Test func `The example of the package shows a purchase on a second machine, and leaves nothing`() throws {
    let machine = try Machine()
    let root = DocumentationPage.root
    let names = [
      "Scripts/packaging/share-a-purchase", "Entitlements/PhotoFree.entitlements", "Entitlements/PhotoPro.entitlements",
    ]
    try Command.run(arguments: ["cp"] + names.map { root.appending(path: $0).path } + [machine.directory.path])
    let temporary = machine.directory.path("temporary")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    let programs = URL(fileURLWithPath: Machine.path(of: "coffer")).deletingLastPathComponent().path
    let run = try machine.run(
      machine.directory.path("share-a-purchase"),
      environment: ["TMPDIR": temporary, "PATH": "\(programs):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"])
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.hasSuffix("read by the free one on the desktop: receipt-4711"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
  }
}
