import Coffer
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Internet passwords, which apps store and commands find, replace and delete.
@Suite struct InternetPasswordTests {
  private let pro = ["--app", "com.example.photo.pro"]
  private let machine: Machine

  private struct Row: Decodable {
    let `class`: String
    let reference: String
    let group: String
    let service: String?
    let server: String?
    let account: String
    let value: String?
    let valueBase64: String?
  }

  /// A machine with the password that the tutorial stores, and a generic one that is newer.
  init() throws {
    machine = try Machine.withExamples()
    try store(InternetPassword(server: "sync.example.com", account: "jane", protocol: .https, label: "Sync server"))
    try machine.succeed("coffer", ["set", "api", "jane"] + pro, input: "api-value")
  }

  private func store(_ item: InternetPassword, _ value: String = "sync-value") throws {
    let plist = URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))
    try Vault.open(.file(plist), at: VaultLocation(folder: machine.vault)).add(value, for: item)
  }

  private func run(_ arguments: String..., input: String = "") throws -> Machine.Outcome {
    try machine.start("coffer", arguments + pro, input: Data(input.utf8)).wait()
  }

  @Test func `list, get and show find an internet password as they find a generic one`() throws {
    let list = try machine.succeed("coffer", ["list"] + pro).split(separator: "\n")
    #expect(list.count == 3 && list[0].contains("CLASS"), "\(list)")
    #expect(list[1].contains("internet, HTTPS") && list[1].contains("sync.example.com"), "\(list)")
    #expect(list[2].contains("generic") && list[2].contains("api"), "\(list)")
    let rows = try machine.json([Row].self, "list", "--app", "com.example.photo.pro")
    #expect(rows.map(\.class) == ["internet-password", "generic-password"])
    #expect(rows.map(\.server) == ["sync.example.com", nil] && rows.map(\.service) == [nil, "api"])
    let one = try machine.json([Row].self, "list", "sync.example.com")
    #expect(one.map(\.reference) == [rows[0].reference])
    for names in [
      ["sync.example.com", "jane"], ["sync.example.com", "jane", "--class", "internet-password"],
      ["--reference", rows[0].reference],
    ] {
      #expect(try machine.succeed("coffer", ["get"] + names + pro) == "sync-value")
      #expect(try machine.succeed("coffer", ["show"] + names + pro).contains("Internet password"))
    }
    expectFailure(try run("get", "sync.example.com", "jane", "--class", "generic-password"), 3, "no such item")
    expectFailure(try run("get", "--reference", rows[0].reference, "--class", "internet-password"), 2, "replaces")
    expectFailure(try run("get", "--reference", "inet/1"), 2, "32 hexadecimal digits")
  }

  @Test func `A list of generic passwords only has no column for the class`() throws {
    #expect(try !machine.succeed("coffer", ["list", "api"] + pro).contains("CLASS"))
  }

  @Test func `get --json prints the item with its value, as text or in base64`() throws {
    let group = try machine.team() + ".com.example.photo.pro"
    let row = try machine.json(Row.self, "get", "sync.example.com", "jane")
    #expect(row.value == "sync-value" && row.server == "sync.example.com" && row.group == group)
    #expect(row.class == "internet-password" && row.valueBase64 == nil)
    let bytes = Data([0xFF, 0x00])
    #expect(try machine.start("coffer", ["set", "bytes", "a"] + pro, input: bytes).wait().exitCode == 0)
    let binary = try machine.json(Row.self, "get", "bytes", "a")
    #expect(binary.value == nil && binary.valueBase64 == bytes.base64EncodedString() && binary.service == "bytes")
    expectFailure(try run("get", "bytes", "a", "--json", "--raw"), 2, "coffer get --help")
    expectFailure(try run("get", "nothing", "a", "--json"), 3, "no such item")
  }

  @Test func `set replaces an internet password with its class, and stores none beside it by accident`() throws {
    let refused = try run("set", "sync.example.com", "jane", input: "new-value")
    let group = try machine.team() + ".com.example.photo.pro"
    let command =
      "coffer set --class internet-password sync.example.com jane --app com.example.photo.pro --group \(group)"
    expectFailure(refused, 2, "an internet password in \(group) has these names", command, "--class generic-password")
    #expect(try machine.json([Row].self, "list").count == 2)
    // The command of the error, word by word.
    try machine.succeed("coffer", command.split(separator: " ").dropFirst().map(String.init), input: "new-value")
    #expect(try machine.succeed("coffer", ["get", "sync.example.com", "jane"] + pro) == "new-value")
    let show = try machine.succeed("coffer", ["show", "sync.example.com", "jane"] + pro)
    #expect(show.contains("Sync server") && show.contains("HTTPS") && show.contains(/Versions +2/), "\(show)")
    #expect(try machine.json([Row].self, "list").count == 2)
    let both = try run("set", "sync.example.com", "jane", "--class", "generic-password", input: "generic")
    #expect(both.exitCode == 0, "\(both)")
    #expect(try machine.succeed("coffer", ["get", "sync.example.com", "jane"] + pro) == "generic")
    #expect(try machine.json([Row].self, "list").count == 3)
  }

  @Test func `set creates an internet password with its attributes, and tells it apart from one with another port`()
    throws
  {
    let server = ["--class", "internet", "mail.example.com", "jane"]
    for (port, value) in [("993", "first"), ("143", "second"), ("993", "third")] {
      try machine.succeed("coffer", ["set"] + server + ["--protocol", "imaps", "--port", port] + pro, input: value)
    }
    let rows = try machine.json([Row].self, "list", "mail.example.com")
    #expect(rows.map(\.class) == ["internet-password", "internet-password"])
    let values = try rows.map { try machine.succeed("coffer", ["get", "--reference", $0.reference] + pro) }
    #expect(values == ["third", "second"])
    expectFailure(try run("set", "--class", "internet", "mail.example.com", "jane", input: "x"), 2, "have these names")
    // A reference of programs names a password by its server and account only.
    let reference = "coffer:///mail.example.com/jane"
    expectFailure(try run("read", reference), 2, "coffer edit --reference", rows[1].reference)
    try machine.succeed("coffer", ["edit", "--reference", rows[1].reference, "--account", "jane-143"] + pro)
    #expect(try machine.succeed("coffer", ["read", reference] + pro) == "third")
    try machine.succeed("coffer", ["edit", "--reference", rows[1].reference, "--account", "jane"] + pro)
    // A server in an option means the class.
    try machine.succeed(
      "coffer", ["set", "--server", "web.example.com", "--account", "jane", "--comment", "a note"] + pro, input: "v")
    let shown = try machine.succeed("coffer", ["show", "web.example.com", "jane"] + pro)
    #expect(shown.contains("Internet password") && shown.contains("a note"), "\(shown)")
    try machine.succeed(
      "coffer", ["set", "--class", "internet", "web.example.com", "jane", "--path", "/x"] + pro, input: "other")
    #expect(try machine.json([Row].self, "list", "web.example.com").count == 2)
    expectFailure(try run("set", "web.example.com", "jane", "--server", "x"), 2, "given twice")
    expectFailure(try run("set", "api", "jane", "--port", "1", input: "v"), 2, "has no --port")
    expectFailure(try run("set", "api", "jane", "--attribute", "x", input: "v"), 2, "coffer set --help")
    try machine.succeed("coffer", ["set", "api", "jane", "--attribute", "comment=by name"] + pro, input: "v")
    #expect(try machine.succeed("coffer", ["show", "api", "jane"] + pro).contains("by name"))
  }

  @Test func `delete names the class of an internet password, and deletes it with the class`() throws {
    let refused = try run("delete", "sync.example.com", "jane")
    expectFailure(refused, 3, "an internet password", "coffer delete --class internet-password sync.example.com jane")
    #expect(try machine.json([Row].self, "list").count == 2)
    let deleted = try run("delete", "sync.example.com", "jane", "--class", "internet-password")
    #expect(deleted.exitCode == 0 && deleted.text.hasPrefix("Deleted sync.example.com jane from"), "\(deleted)")
    #expect(try machine.json([Row].self, "list").map(\.service) == ["api"])
  }

  @Test func `Of several passwords of one account at a server, a reference chooses`() throws {
    try store(InternetPassword(server: "sync.example.com", account: "jane", protocol: .imaps, port: 993), "mail-value")
    let rows = try machine.json([Row].self, "list", "sync.example.com")
    for command in ["get", "set", "delete"] {
      let arguments = [command, "sync.example.com", "jane", "--class", "internet-password"] + pro
      let refused = try machine.start("coffer", arguments, input: Data("v".utf8)).wait()
      expectFailure(refused, 2, "2 internet passwords", "\(rows[0].reference) (HTTPS)", "IMAPS, port 993")
    }
    #expect(try machine.succeed("coffer", ["get", "--reference", rows[1].reference] + pro) == "mail-value")
    try machine.succeed("coffer", ["set", "--reference", rows[1].reference] + pro, input: "new")
    #expect(try machine.succeed("coffer", ["get", "--reference", rows[1].reference] + pro) == "new")
    try machine.succeed("coffer", ["delete", "--reference", rows[1].reference] + pro)
    #expect(try machine.succeed("coffer", ["get", "sync.example.com", "jane"] + pro) == "sync-value")
  }

  @Test func `rotate names the command for each class, and that command takes the item off the list`() throws {
    try machine.coffer("app", "remove", "com.example.photo.free", "--yes")
    try machine.coffer("app", "remove", "com.example.photo.pro", "--yes")
    let list = try machine.run("coffer", "rotate")
    #expect(list.errors.contains("coffer set SERVICE ACCOUNT"), "\(list)")
    #expect(list.errors.contains("coffer set --class internet-password SERVER ACCOUNT"), "\(list)")
    #expect(list.text.contains("internet") && list.text.contains("generic"), "\(list)")
    try machine.coffer(
      "set", "--class", "internet-password", "sync.example.com", "jane", "--group", "com.example.photo.pro",
      input: "replaced")
    let left = try machine.run("coffer", "rotate")
    #expect(!left.text.contains("sync.example.com") && !left.errors.contains("--class"), "\(left)")
    try machine.coffer("rotate", "dismiss", "api", "jane", "--reason", "closed")
    #expect(try machine.run("coffer", "rotate").output.isEmpty)
  }

  @Test func `A mistyped name is answered with the similar one`() throws {
    for names in [["sync.exmaple.com", "jane"], ["sync.example.com", "jnae"]] {
      let outcome = try machine.start("coffer", ["get"] + names + pro).wait()
      expectFailure(outcome, 3, "did you mean sync.example.com, jane?", "List the items with: coffer list")
    }
    #expect(try !run("get", "something", "else").errors.contains("did you mean"))
  }
}
