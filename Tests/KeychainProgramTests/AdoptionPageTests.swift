import CofferTestSupport
import Foundation
import Testing

@Suite struct AdoptionPageTests {
  private let sources = DocumentationPage.root.appending(path: "Tests/DocumentationApps/Adoption")
  private let page: DocumentationPage

  init() throws { page = try DocumentationPage("KeychainOnLinux", of: "Security") }

  @Test func `Each file on the page is the one that is built and run here`() throws {
    let shown = (page.blocks(of: "swift") + page.blocks(of: "xml")).filter { !$0.file.isEmpty }
    #expect(
      shown.map(\.file) == [
        "Sources/Reminders/TokenStore.swift", "Package.swift", "Sources/Reminders/Security.swift", "Package.swift",
        "Sources/Reminders/main.swift", "Reminders.entitlements",
      ])
    for block in shown where block.file != "Package.swift" {
      let text = try String(contentsOf: sources.appending(path: block.file), encoding: .utf8)
      #expect(block.text == text.trimmingCharacters(in: .newlines), "\(block.file)")
    }
  }

  @Test func `SwiftPM reads the page's manifest, which names an existing product`() throws {
    let manifest = try #require(page.blocks(of: "swift").first { $0.file == "Package.swift" }).text
    let directory = try TemporaryDirectory()
    try directory.write("Package.swift", manifest)
    let json = try Command.run("swift", "package", "dump-package", in: directory.url)
    let start = try #require(json.firstIndex(of: "{"))
    let package = try #require(
      try JSONSerialization.jsonObject(with: Data(json[start...].utf8)) as? [String: Any])
    let target = try #require((package["targets"] as? [[String: Any]])?.first)
    let dependency = try #require((target["dependencies"] as? [[String: Any]])?.first?["product"] as? [Any])
    #expect(dependency.prefix(2).map { $0 as? String } == ["Security", "coffer"])
    let own = try String(contentsOf: DocumentationPage.root.appending(path: "Package.swift"), encoding: .utf8)
    #expect(own.contains(".library(name: \"Security\""))
    #expect(own.contains(".library(name: \"LocalAuthentication\""))
  }

  @Test func `With the page's aliases, files that import Apple's modules compile unchanged`() throws {
    let manifests = page.blocks(of: "swift").filter { $0.file == "Package.swift" }.map(\.text)
    let aliases = manifests[1].matches(of: /"-module-alias", "(\w+=\w+)"/).map { String($0.output.1) }
    #expect(aliases == ["CryptoKit=Crypto", "Darwin=Glibc", "System=SystemPackage"])
    let directory = try TemporaryDirectory()
    try directory.write("Package.swift", manifests.joined(separator: "\n\n"))
    let json = try Command.run("swift", "package", "dump-package", in: directory.url)
    #expect(json.contains("CryptoKit=Crypto"))
    let file = try directory.write(
      "main.swift",
      """
      import CryptoKit
      import Darwin

      print(SHA256.hash(data: [1]), getpid())
      """)
    // The module of swift-system needs another one in C, whose place only SwiftPM knows.
    let flags = aliases.dropLast().flatMap { ["-module-alias", $0] }
    let modules = Machine.programs.appending(path: "Modules").path
    try Command.run(arguments: ["swiftc", "-typecheck", "-I", modules] + flags + [file])
    #expect(throws: (any Error).self) { try Command.run(arguments: ["swiftc", "-typecheck", "-I", modules, file]) }
  }

  @Test func `The page's commands, run in order, print the output that it shows`() throws {
    let machine = try Machine()
    let directory = machine.directory
    try Command.run("mkdir", "-p", directory.path(".build/debug"))
    try Command.run("cp", Machine.path(of: "Reminders"), directory.path(".build/debug/Reminders"))
    try Command.run("cp", sources.appending(path: "Reminders.entitlements").path, directory.path)
    machine.environment["PATH"] = "\(Machine.programs.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"

    var script = "set -e\ncd '\(directory.path)'\n"
    var expected: [String] = []
    for line in page.blocks(of: "console").flatMap({ $0.text.components(separatedBy: "\n") }) {
      guard line.hasPrefix("$ ") else {
        expected.append(line)
        continue
      }
      let command = String(line.dropFirst(2))
      // The app is built already. The output of coffer contains names that differ in each run, and is not compared.
      if command != "swift build" { script += command + (command.hasPrefix("coffer") ? " >&2\n" : "\n") }
    }
    let outcome = try machine.start("/bin/sh", ["-c", script]).wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.text.components(separatedBy: "\n") == expected)
    #expect(expected == ["none", "s3cret", "s3cret"])
  }

  @Test func `The page's app reports a missing entitlement and how to add it`() throws {
    let machine = try Machine()
    let outcome = try machine.run("Reminders", "load", "jane")
    #expect(outcome.text.hasPrefix("Reminders: A required entitlement isn't present."), "\(outcome)")
    #expect(outcome.text.contains("COFFER_ENTITLEMENTS"), "\(outcome)")
  }
}
