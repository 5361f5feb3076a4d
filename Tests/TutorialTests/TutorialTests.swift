import CofferTestSupport
import Foundation
import Testing

@Suite struct TutorialTests {
  private let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "DocumentationApps/Tutorial")

  @Test func `Each file in the tutorial is the one that is built and run here`() throws {
    let page = try DocumentationPage("SharingAnItem")
    let blocks = page.blocks(of: "swift") + page.blocks(of: "xml")
    #expect(blocks.count == 5)
    for block in blocks where block.file != "Package.swift" {
      let file = sources.appending(path: block.file)
      let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
      #expect(block.text == text, "\(block.file)")
    }
  }

  @Test func `SwiftPM reads the tutorial's manifest, which contains both apps and their plists`() throws {
    let page = try DocumentationPage("SharingAnItem")
    let manifest = try #require(page.blocks(of: "swift").first { $0.file == "Package.swift" }).text
    let directory = try TemporaryDirectory()
    try directory.write("Package.swift", manifest)
    let json = try Command.run("swift", "package", "dump-package", in: directory.url)
    let start = try #require(json.firstIndex(of: "{"))
    let package = try #require(
      try JSONSerialization.jsonObject(with: Data(json[start...].utf8)) as? [String: Any])
    let targets = try #require(package["targets"] as? [[String: Any]])
    #expect(targets.compactMap { $0["name"] as? String } == ["Notes", "Backup"])
    #expect(json.contains("Notes.entitlements") && json.contains("Backup.entitlements"))
  }

  @Test func `The tutorial's commands, run in order, print the output that it shows`() throws {
    let machine = try Machine()
    let page = try DocumentationPage("SharingAnItem")
    let console = try #require(page.blocks(of: "console").first).text.split(separator: "\n").map(String.init)
    var expected: [String] = []
    var printed: [String] = []
    for line in console {
      guard line.hasPrefix("$ ") else {
        expected.append(line)
        continue
      }
      var words = line.dropFirst(2).split(separator: " ").map(String.init)
      let program = words.removeFirst()
      if program == "swift" {
        #expect(words.removeFirst() == "run")
        printed += try machine.succeed(words[0], []).split(separator: "\n").map(String.init)
      } else {
        words = words.map { $0.hasPrefix("Sources/") ? sources.appending(path: $0).path : $0 }
        words = words.map { $0 == "vault-key" ? machine.directory.path("vault-key") : $0 }
        try machine.succeed(program, words)
      }
    }
    let status = try machine.succeed("coffer", ["status", "--json"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(status.utf8)) as? [String: Any])
    let team = try #require(object["team"] as? String)
    #expect(printed.map { $0.replacingOccurrences(of: team, with: "TEAMID") } == expected)
  }
}
