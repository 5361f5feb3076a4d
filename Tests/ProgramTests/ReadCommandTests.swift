import CofferTestSupport
import Foundation
import Testing

/// `coffer read`, the list of references, and what a shell completes from the vault.
@Suite struct ReadCommandTests {
  private let machine: Machine

  private struct Row: Decodable {
    let secretReference: String
    let value: String?
    let attribute: String?
    let text: String?
  }

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    try machine.coffer("set", "git hub/x", "jané", "--label", "A label", input: "s3cret-value")
    try machine.coffer("set", "github.com", "jane", input: "other")
  }

  @Test func `Each reference that list prints reads its value`() throws {
    let references = try machine.coffer("list", "--references").split(separator: "\n").map(String.init)
    let group = try machine.team() + ".com.example.photo.pro"
    #expect(references == ["coffer://\(group)/git%20hub%2Fx/jan%C3%A9", "coffer://\(group)/github.com/jane"])
    #expect(try references.map { try machine.coffer("read", $0) } == ["s3cret-value", "other"])
    #expect(try machine.json([Row].self, "list").map(\.secretReference) == references)
    expectFailure(try machine.run("coffer", "list", "--references", "--json"), 2, "coffer list --help")
  }

  @Test func `A reference that fzf has chosen, of a name with a line end too, reads its value`() throws {
    try machine.coffer("set", "two\nlines", "a b", input: "third")
    for (words, value) in [("hub%2Fx", "s3cret-value"), ("two lines", "third")] {
      let choice = try machine.succeed(
        "/bin/sh", ["-c", "\"$0\" list --references | fzf --filter \"$1\"", Machine.path(of: "coffer"), words])
      #expect(try machine.coffer("read", choice) == value, "\(choice)")
    }
    // The lines of a search have the reference of the item in their first column.
    let line = "\"$0\" search label | fzf --filter 'git hub' | cut -d ' ' -f 1"
    let found = try machine.succeed("/bin/sh", ["-c", line, Machine.path(of: "coffer")])
    #expect(try machine.coffer("get", "--reference", found) == "s3cret-value")
  }

  @Test func `An attribute is read by its name or code, and JSON has the item with it or its value`() throws {
    let reference = "coffer:///git%20hub%2Fx/jan%C3%A9"
    for (attribute, text) in [("label", "A label"), ("labl", "A label"), ("service", "git hub/x"), ("acct", "jané")] {
      #expect(try machine.coffer("read", "\(reference)#\(attribute)") == text)
    }
    #expect(try machine.coffer("read", "\(reference)#created").wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
    expectFailure(try machine.run("coffer", "read", "\(reference)#port"), 2, "no attribute port", "label")
    let value = try machine.json(Row.self, "read", reference)
    #expect(value.value == "s3cret-value" && value.text == nil)
    let label = try machine.json(Row.self, "read", "\(reference)#label")
    #expect(label.text == "A label" && label.attribute == "label" && label.value == nil)
  }

  @Test func `A value is written unchanged to a pipe, and with escapes to a terminal`() throws {
    try machine.coffer("set", "bytes", "a", input: "a\u{1B}[2J\0")
    #expect(try machine.run("coffer", "read", "coffer:///bytes/a").output == Data("a\u{1B}[2J\0".utf8))
    let terminal = try PseudoTerminal(machine, "read", "coffer:///bytes/a")
    #expect(terminal.wait() == 0 && terminal.screen.hasPrefix("a\\u{1B}[2J\\u{0}\r\n"), "\(terminal.screen)")
  }

  @Test func `What does not exist is exit code 3 with a similar name, and a text that is no reference is not repeated`()
    throws
  {
    expectFailure(try machine.run("coffer", "read", "coffer:///github.com/jan"), 3, "did you mean github.com, jane?")
    let outcome = try machine.run("coffer", "read", "hunter2")
    expectFailure(outcome, 2, "this is not a reference", "coffer list --references")
    #expect(!outcome.errors.contains("hunter2"))
  }

  /// Returns what the shell would offer for the last of the words after the program's name.
  private func offered(_ words: String..., for argument: [String]) throws -> [String] {
    let outcome = try machine.start(
      "coffer", ["---completion"] + argument + ["\(words.count)", "\(words.last?.count ?? 0)", "coffer"] + words
    ).wait()
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
    return outcome.text.split(separator: "\n").map(String.init)
  }

  @Test func `A shell completes references, services, accounts, groups and apps from the vault`() throws {
    let group = try machine.team() + ".com.example.photo.pro"
    #expect(try offered("read", "", for: ["read", "--", "positional@0"]).contains("coffer://\(group)/github.com/jane"))
    #expect(try offered("get", "gith", for: ["get", "--", "positional@0"]) == ["github.com"])
    #expect(try offered("get", "github.com", "", for: ["get", "--", "positional@1"]) == ["jane"])
    #expect(try offered("get", "--group", "", for: ["get", "--", "--group"]).contains(group))
    #expect(try offered("get", "--app", "com.", for: ["get", "--", "--app"]).contains("com.example.photo.pro"))
  }

  @Test func `A shell is offered no word that it would expand`() throws {
    for (index, name) in ["$(touch x)", "`touch x`", "two words", "~root", "-x", "a;b", "a\tb", "*", "'a'"].enumerated()
    {
      try machine.coffer("set", "--", name, "account\(index)", input: "v")
    }
    #expect(try offered("get", "", for: ["get", "--", "positional@0"]) == ["github.com"])
    // References have escapes for all of that.
    #expect(try offered("read", "coffer:", for: ["read", "--", "positional@0"]).count == 11)
  }

  @Test func `Completion asks nobody: a vault with a passphrase offers what needs none`() throws {
    let locked = try Machine()
    try locked.makeVault(passphrase: "correct horse")
    let terminal = try PseudoTerminal(
      locked, "---completion", "read", "--", "positional@0", "2", "0", "coffer", "read", "")
    #expect(terminal.wait() == 0 && terminal.screen == "\r\n", "\(terminal.screen)")
    let none = try Machine().run("coffer", "---completion", "get", "--", "positional@0", "2", "0", "coffer", "get", "")
    #expect(none.exitCode == 0 && none.text.isEmpty && none.errors.isEmpty, "\(none)")
  }
}
