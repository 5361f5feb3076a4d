import CofferTestSupport
import Foundation
import Testing

/// `coffer set --json-lines`: many items in one transaction.
@Suite struct ItemLineTests {
  private let machine: Machine

  private struct Row: Decodable {
    let `class`: String
    let group: String
    let service: String?
    let server: String?
    let account: String?
    let label: String?
    let value: String?
    let valueBase64: String?
  }

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
  }

  private func set(_ lines: String, _ options: String...) throws -> Machine.Outcome {
    try machine.start("coffer", ["set", "--json-lines"] + options, input: Data(lines.utf8)).wait()
  }

  private var count: Int { get throws { try machine.json([Row].self, "list").count } }

  @Test func `Each line is an item, with its class, attributes, one-time codes and value`() throws {
    let purchases = "com.example.photo.purchases"
    let outcome = try set(
      """
      {"group": "\(purchases)", "service": "github.com", "account": "jané", "label": "Work", "value": "s3cret\\n"}

      {"group": "\(purchases)", "class": "internet-password", "server": "mail.example.com", "account": "jane", \
      "protocol": "IMAPS", "port": 993, "comment": "a note", "valueBase64": "AP8="}
      {"group": "\(purchases)", "server": "web.example.com", "protocol": "htps", "value": "", "created": "2020-01-01T00:00:00Z", \
      "hasConflict": false, "oneTimePassword": "otpauth://totp/x?secret=MZXW6YTB"}
      """, "--allow-empty")
    #expect(outcome.exitCode == 0 && outcome.text == "Stored 3 items", "\(outcome)")
    let generic = try machine.json(Row.self, "get", "github.com", "jané")
    #expect(generic.value == "s3cret\n" && generic.label == "Work" && generic.group.hasSuffix(purchases))
    let mail = try machine.json(Row.self, "get", "mail.example.com")
    #expect(mail.class == "internet-password" && mail.valueBase64 == "AP8=")
    let shown = try machine.coffer("show", "mail.example.com", "jane")
    #expect(shown.contains("IMAPS") && shown.contains("993") && shown.contains("a note"), "\(shown)")
    #expect(try machine.coffer("otp", "uri", "web.example.com").contains("secret=MZXW6YTB&"))
  }

  @Test func `What get prints as JSON is a line that stores the same item`() throws {
    try machine.coffer("set", "api", "jane", "--label", "Test server", input: "s3cret-value")
    let line = try machine.coffer("get", "api", "jane", "--json").split(separator: "\n").joined()
    try machine.coffer("delete", "api", "jane")
    #expect(try set(line + "\n").exitCode == 0)
    let row = try machine.json(Row.self, "get", "api", "jane")
    #expect(row.value == "s3cret-value" && row.label == "Test server")
  }

  @Test func `An item that exists gets the value, and keeps the attributes that the line has not`() throws {
    try machine.coffer("set", "api", "jane", "--label", "Test server", input: "old")
    try machine.coffer("edit", "api", "jane", "--comment", "kept")
    #expect(try set(#"{"service": "api", "account": "jane", "label": "New", "value": "new"}"#).exitCode == 0)
    #expect(try machine.coffer("get", "api", "jane") == "new")
    let shown = try machine.coffer("show", "api", "jane")
    #expect(shown.contains("kept") && shown.contains("New"), "\(shown)")
    #expect(try count == 1)
  }

  @Test(arguments: [
    ("hunter2", "one JSON object"), ("[1]", "one JSON object"),
    (#"{"service": ["x"], "value": "v"}"#, "one JSON object"),
    (#"{"service": "x"}"#, "no value"), (#"{"service": "x", "value": "a", "valueBase64": "YQ=="}"#, "also a value"),
    (#"{"service": "x", "valueBase64": "hunter2"}"#, "not Base64"),
    (#"{"value": "hunter2"}"#, "service and account are empty"),
    (#"{"service": "x", "pasword": "hunter2", "value": "v"}"#, "no key pasword"),
    (#"{"service": "x", "port": 1, "value": "v"}"#, "no key port"),
    (#"{"class": "key", "label": "x", "value": "v"}"#, "its class is none"),
    (#"{"server": "x", "protocol": "hunter2", "value": "v"}"#, "protocol cannot have this value"),
    (#"{"server": null, "account": "a", "port": 1, "value": "v"}"#, "no key port"),
    (#"{"service": "x", "comment": true, "value": "v"}"#, "comment is true or false"),
    (#"{"service": "x", "value": ""}"#, "the value is empty"),
    (#"{"service": "good", "account": "", "value": "hunter2"}"#, "has the same item"),
    (
      #"{"class": "certificate", "oneTimePassword": "otpauth://totp/x?secret=MY", "value": "v"}"#,
      "no key oneTimePassword"
    ),
    (#"{"server": "x", "port": "99999", "value": "v"}"#, "needs a number"),
    (#"{"service": "x", "oneTimePassword": "hunter2", "value": "v"}"#, "no address of one-time codes"),
    (#"{"class": "certificate", "value": "hunter2"}"#, "certificate"),
  ])
  func `A line that is no item is named by its number, and nothing is stored`(line: String, words: String) throws {
    let good = #"{"service": "good", "value": "v"}"#
    let other = #"{"service": "other", "value": "v"}"#
    let outcome = try set("\(good)\n\n\(line)\n\(other)\n")
    expectFailure(outcome, 2, "line 3 of standard input", words, "nothing was changed")
    #expect(!outcome.errors.contains("hunter2"), "\(outcome)")
    #expect(try count == 0)
  }

  @Test func `A line that the vault refuses undoes those before it`() throws {
    let long = String(repeating: "x", count: 1_025)
    let outcome = try set(
      #"{"service": "first", "value": "v"}"# + "\n" + #"{"service": "\#(long)", "value": "v"}"# + "\n")
    expectFailure(outcome, 2, "line 2 of standard input", "1025 bytes", "nothing was changed")
    #expect(try count == 0)
    let groups = try set(
      #"{"group": "com.example.photo.pro", "service": "a", "value": "v"}"# + "\n"
        + #"{"group": "com.example.absent", "service": "b", "value": "v"}"# + "\n")
    expectFailure(groups, 4, "com.example.absent")
    let mixed = try set(
      #"{"group": "com.example.photo.pro", "service": "a", "value": "v"}"# + "\n" + #"{"service": "b", "value": "v"}"#)
    expectFailure(mixed, 2, "in each line, or in none")
    let named = #"{"group": "com.example.photo.pro", "service": "a", "value": "v"}"#
    expectFailure(try set(named, "--group", "com.example.photo.pro"), 2, "leave out --group")
    #expect(try count == 0)
    expectFailure(try set("\n \n"), 2, "no items")
    expectFailure(try machine.run("coffer", "set", "--json-lines", "x"), 2, "coffer set --help")
  }

  @Test func `An empty text of an option removes an attribute of a stored item, and a flag is yes or no`() throws {
    try machine.coffer(
      "set", "api", "jane", "--label", "L", "--comment", "C", "--attribute", "hidden-in-lists=yes", input: "v")
    #expect(try machine.coffer("show", "api", "jane").contains("Hidden in lists"))
    try machine.coffer(
      "set", "api", "jane", "--label", "", "--comment", "", "--attribute", "hidden-in-lists=0", input: "v2")
    let shown = try machine.coffer("show", "api", "jane")
    for word in ["Label", "Comment", "Hidden in lists"] { #expect(!shown.contains(word), "\(shown)") }
    #expect(try machine.coffer("get", "api", "jane") == "v2")
    for (options, words) in [
      (["api", "jane", "--attribute", "hidden-in-lists=maybe"], "yes or no"),
      (["api", "jane", "--attribute", "label=x"], "--attribute takes neither names nor the label"),
      (["--reference", String(repeating: "0", count: 32), "--service", "api"], "the names are given twice"),
    ] {
      let outcome = try machine.start("coffer", ["set"] + options, input: Data("v3".utf8)).wait()
      expectFailure(outcome, 2, words)
    }
    #expect(try machine.coffer("get", "api", "jane") == "v2")
  }

  @Test func `A file of ten thousand lines is stored at once`() throws {
    let lines = (0..<10_000).map {
      #"{"service": "service\#($0 % 100)", "account": "account\#($0)", "label": "Label \#($0)", "value": "value\#($0)"}"#
    }
    let file = try machine.directory.write("items", lines.joined(separator: "\n"))
    let outcome = try machine.run("coffer", "set", "--json-lines", "--from-file", file)
    #expect(outcome.text == "Stored 10\u{202F}000 items", "\(outcome)")
    #expect(try count == 10_000)
    #expect(try machine.coffer("get", "service77", "account9977") == "value9977")
  }
}
