import Coffer
import CofferFormat
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Commands that generate, rename, move, copy and find items.
@Suite struct ItemChangeCommandTests {
  private let machine: Machine
  private let purchases = "com.example.photo.purchases"

  private struct Row: Decodable {
    let reference: String
    let group: String
    let `class`: String
    let service: String?
    let server: String?
    let account: String?
    let label: String?
  }

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    try machine.coffer("set", "api", "jane", "--label", "Server", input: "s3cret-value")
  }

  private func store(_ item: some KeychainItem) throws {
    let plist = URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))
    try Vault.open(.file(plist), at: VaultLocation(folder: machine.vault)).add("web-value", for: item)
  }

  private func rows() throws -> [Row] { try machine.json([Row].self, "list") }

  @Test func `--generate stores a new password each time, of the given form, and says only how to undo a change`()
    throws
  {
    var isNew = true
    for (options, form) in [
      ([], "^[!-~]{20}$"), (["--length", "4"], "^[!-~]{4}$"), (["--length", "128"], "^[!-~]{128}$"),
      (["--characters", "digits", "--length", "6"], "^[0-9]{6}$"),
      (["--characters", "alphanumeric"], "^[0-9A-Za-z]{20}$"),
    ] {
      var values: Set<String> = []
      for _ in 0..<2 {
        let outcome = try machine.start(
          "coffer", ["set", "new", "a", "--generate"] + options, input: Data("ignored\n".utf8)
        ).wait()
        #expect(outcome.exitCode == 0 && outcome.output.isEmpty, "\(outcome)")
        let undo = "The item had another value. To undo: coffer restore new a "
        #expect(isNew ? outcome.errors.isEmpty : outcome.errors.hasPrefix(undo), "\(outcome)")
        isNew = false
        values.insert(try machine.coffer("get", "new", "a"))
      }
      #expect(values.count == (options.contains("6") || options.contains("4") ? values.count : 2))
      for value in values { #expect(value.range(of: form, options: .regularExpression) != nil, "\(value)") }
    }
    let terminal = try PseudoTerminal(machine, "set", "typed", "a", "--generate")
    #expect(terminal.wait() == 0 && terminal.screen.isEmpty, "\(terminal.screen)")
    try machine.coffer("set", "words", "a", "--generate", "--words", "5")
    let words = try machine.coffer("get", "words", "a")
    // A few words of the list have a hyphen themselves.
    #expect((5...9).contains(words.split(separator: "-").count) && words.wholeMatch(of: /[a-z-]+/) != nil, "\(words)")
    for options in [
      ["--words", "6"], ["--generate", "--words", "2"], ["--generate", "--words", "6", "--length", "20"],
      ["--length", "20"], ["--generate", "--length", "3"], ["--generate", "--length", "129"],
      ["--generate", "--from-file", "x"], ["--generate", "--characters", "x"], ["--generate", "--strip-newline"],
    ] {
      expectFailure(try machine.start("coffer", ["set", "new", "a"] + options).wait(), 2, "coffer set --help")
    }
  }

  @Test func `--from-file stores the bytes of a file`() throws {
    let bytes = Data([0, 0xFF, 10, 65, 10])
    let file = machine.directory.url.appending(path: "value")
    try bytes.write(to: file)
    try machine.coffer("set", "file", "a", "--from-file", file.path, input: "ignored")
    #expect(try machine.run("coffer", "get", "file", "a").output == bytes)
    try machine.coffer("set", "file", "a", "--from-file", file.path, "--strip-newline")
    #expect(try machine.run("coffer", "get", "file", "a").output == bytes.dropLast())
    try Data("line\n".utf8).write(to: file)
    let line = try machine.run("coffer", "set", "file", "a", "--from-file", file.path)
    #expect(line.errors.contains("ends with a newline"), "\(line)")
    try Data().write(to: file)
    expectFailure(try machine.run("coffer", "set", "file", "a", "--from-file", file.path), 2, "the value is empty")
    expectFailure(
      try machine.run("coffer", "set", "file", "a", "--from-file", "/absent"), 2, "cannot read the value /absent")
    #expect(try machine.coffer("get", "file", "a") == "line")
  }

  @Test func `get --field prints an attribute by its name or code`() throws {
    #expect(try machine.coffer("get", "api", "jane", "--field", "label") == "Server")
    #expect(try machine.coffer("get", "api", "--field", "acct") == "jane")
    expectFailure(try machine.run("coffer", "get", "api", "jane", "--field", "port"), 2, "no attribute port", "label")
    expectFailure(try machine.run("coffer", "get", "api", "jane", "--field", "label", "--json"), 2, "coffer get --help")
  }

  @Test func `edit renames a password, which keeps its value and its reference`() throws {
    let before = try rows()[0]
    #expect(
      try machine.coffer(
        "rename", "api", "jane", "--service", "api.example.com", "--account", "joe", "--comment", "two\nlines"
      ).hasPrefix("Changed api in "))
    let after = try rows()
    #expect(after.map(\.service) == ["api.example.com"] && after[0].account == "joe" && after[0].label == "Server")
    #expect(after[0].reference == before.reference)
    #expect(try machine.coffer("get", "api.example.com", "joe") == "s3cret-value")
    #expect(try machine.coffer("get", "api.example.com", "joe", "--field", "comment") == "two\nlines")
    try machine.coffer("edit", "--reference", before.reference, "--label", "")
    #expect(try rows()[0].label == nil)
    try machine.coffer("set", "other", "joe", input: "v")
    expectFailure(try machine.run("coffer", "edit", "other", "joe", "--service", "api.example.com"), 1, "already")
    expectFailure(try machine.run("coffer", "edit", "api", "jane", "--label", "x"), 3, "no such item")
    expectFailure(try machine.run("coffer", "edit", "other", "joe"), 2, "coffer edit --help")
    expectFailure(try machine.run("coffer", "edit", "other", "joe", "--port", "1"), 2, "has no --port")
  }

  @Test func `A password that is restored under its old names does not take the reference of the renamed one`() throws {
    struct Version: Decodable {
      let version: String
      let isDeletion: Bool
    }
    let reference = try rows()[0].reference
    try machine.coffer("edit", "api", "jane", "--account", "joe")
    let former = try machine.json([Version].self, "history", "api", "jane").first { !$0.isDeletion }
    try machine.coffer("restore", "api", "jane", try #require(former).version)
    try machine.coffer("set", "api", "jane", input: "other-value")
    let both = try rows()
    #expect(Set(both.map(\.reference)).count == 2 && Set(both.map(\.account)) == ["jane", "joe"], "\(both)")
    #expect(try machine.coffer("get", "--reference", reference) == "s3cret-value")
  }

  @Test func `A password whose names are bytes or a number, as apps may store, is changed by its reference`() throws {
    for (number, account) in [AttributeValue.data([0xFF, 0]), .number(42)].enumerated() {
      var item = GenericPassword(service: "app", account: "")
      item._fields.attributes[.account] = account
      try store(item)
      let reference = try #require(try rows().first { $0.service == "app" && $0.label == nil }).reference
      try machine.coffer("edit", "--reference", reference, "--label", "label \(number)")
      #expect(try machine.coffer("get", "--reference", reference, "--field", "label") == "label \(number)")
      try machine.coffer("copy", "--reference", reference, "--to", purchases)
      #expect(try rows().filter { $0.label == "label \(number)" }.count == 2)
    }
  }

  @Test func `edit changes what only internet passwords have, with the names of show`() throws {
    try store(InternetPassword(server: "mail.example.com", account: "jane", protocol: .imap, port: 143))
    try machine.coffer("edit", "mail.example.com", "jane", "--protocol", "imaps", "--port", "993", "--path", "/inbox")
    let show = try machine.coffer("show", "mail.example.com", "jane")
    #expect(show.contains("IMAPS") && show.contains("993") && show.contains("/inbox"), "\(show)")
    #expect(try machine.coffer("get", "mail.example.com", "jane") == "web-value")
    expectFailure(
      try machine.run("coffer", "edit", "mail.example.com", "jane", "--protocol", "gopher"), 2, "choose one of", "IMAPS"
    )
    expectFailure(try machine.run("coffer", "edit", "mail.example.com", "jane", "--port", "x"), 2, "Port", "digits")
    expectFailure(
      try machine.run("coffer", "edit", "mail.example.com", "jane", "--service", "x"), 2, "has no --service")
  }

  @Test func `move takes a password to another group, and copy leaves it where it was`() throws {
    let team = try machine.team()
    let copied = try machine.coffer("copy", "api", "jane", "--to", purchases, "--account", "joe")
    #expect(copied == "Copied api in \(team).com.example.photo.pro to api in \(team).\(purchases)")
    #expect(try machine.coffer("get", "api", "joe", "--group", purchases) == "s3cret-value")
    #expect(try machine.coffer("get", "api", "joe", "--field", "label") == "Server")
    #expect(Set(try rows().map(\.reference)).count == 2)
    let moved = try machine.coffer("move", "api", "jane", "--to", purchases)
    #expect(moved == "Moved api from \(team).com.example.photo.pro to \(team).\(purchases)")
    #expect(try rows().map(\.group) == [String](repeating: "\(team).\(purchases)", count: 2))
    expectFailure(
      try machine.run("coffer", "move", "api", "jane", "--to", purchases), 2, "in this access group already")
    expectFailure(try machine.run("coffer", "copy", "api", "jane", "--account", "joe"), 1, "already has the item")
    expectFailure(try machine.run("coffer", "copy", "api", "jane"), 2, "coffer copy --help")
    #expect(try machine.run("coffer", "move", "api", "jane", "--to", "no.such.group").exitCode == 4)
    #expect(try rows().count == 2)
    // A group that the app may only read is refused, and nothing changes.
    machine.environment["COFFER_APP"] = "com.example.photo.free"
    #expect(try machine.run("coffer", "move", "api", "jane", "--to", "com.example.photo.free").exitCode == 4)
    #expect(try machine.run("coffer", "edit", "api", "jane", "--label", "x").exitCode == 4)
  }

  @Test func `search finds items of all classes by words, and prints references that get takes`() throws {
    try store(InternetPassword(server: "Mail.Example.com", account: "jané", protocol: .imap))
    let table = try machine.coffer("search", "mail", "JANE").split(separator: "\n")
    #expect(table.count == 2 && table[0].hasPrefix("REFERENCE"), "\(table)")
    let reference = try #require(table[1].split(separator: " ").first.map(String.init))
    #expect(try machine.coffer("get", "--reference", reference) == "web-value")
    let found = try machine.json([Row].self, "find", "server")
    #expect(found.map(\.service) == ["api"] && found[0].class == "generic-password" && !found[0].group.isEmpty)
    #expect(try machine.json([Row].self, "search", "a", "--class", "internet-password").count == 1)
    let none = try machine.run("coffer", "search", "nothing-has-this")
    #expect(none.exitCode == 0 && none.output.isEmpty && none.errors == "no item has these words\n", "\(none)")
    #expect(try machine.json([Row].self, "search", "s3cret").isEmpty)
    for index in 0..<3 { try machine.coffer("set", "many", "\(index)", input: "v") }
    #expect(try machine.json([Row].self, "search", "many").map(\.account) == ["0", "1", "2"])
  }
}
