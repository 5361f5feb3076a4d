import CofferTestSupport
import Foundation
import Testing

/// Imports from the programs themselves, in the versions that this system has.
@Suite struct OtherProgramTests {
  private let machine: Machine

  init() throws { machine = try Machine() }

  private static func exists(_ programs: String...) -> Bool {
    programs.allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
  }

  @Test(.enabled(if: exists("age", "age-keygen"), "Scripts/bootstrap --with importers installs it"))
  func `A store of passage is decrypted by age with the identities beside it`() throws {
    let folder = machine.directory.path("passage")
    try FileManager.default.createDirectory(atPath: "\(folder)/store/web", withIntermediateDirectories: true)
    try machine.succeed("/usr/bin/age-keygen", ["-o", "\(folder)/identities"])
    for (name, contents) in [("web/a b", "s3cret\nlogin: jane\nx\n"), ("plain", "pw\n")] {
      // As passage does it: to the recipients of its own identities.
      let outcome = try machine.run(
        "/usr/bin/age", "--encrypt", "--identity", "\(folder)/identities", "--output", "\(folder)/store/\(name).age",
        input: Data(contents.utf8))
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    #expect(try machine.imported("passage", "\(folder)/store").counts == [3, 0, 0, 0])
    #expect(try machine.coffer("get", "web/a b", "jane") == "s3cret")
    #expect(try machine.coffer("get", "web/a b:notes", "jane") == "login: jane\nx")
    #expect(try machine.imported("passage", "\(folder)/store", "--identities", "\(folder)/identities").sameCount == 3)
  }

  @Test(.enabled(if: exists("keepassxc-cli"), "Scripts/bootstrap --with importers installs it"))
  func `A database of KeePassXC is imported from its XML and its CSV`() throws {
    let database = machine.directory.path("a.kdbx")
    func cli(_ arguments: String..., typing lines: String...) throws -> String {
      try machine.succeed(
        "/usr/bin/keepassxc-cli", arguments, input: lines.joined(separator: "\n") + "\n")
    }
    _ = try cli("db-create", "--set-password", database, typing: "master", "master")
    _ = try cli("mkdir", database, "Mail", typing: "master")
    _ = try cli(
      "add", "--username", "jané", "--url", "https://mail.example/in", "--notes", "line 1\\nline 2",
      "--password-prompt",
      database, "Mail/Site & <x>", typing: "master", "p\"<&>ä")
    _ = try cli("edit", "--password-prompt", database, "Mail/Site & <x>", typing: "master", "newer")
    let attached = try machine.write("attached.bin", [0, 255, 10])
    _ = try cli("attachment-import", database, "Mail/Site & <x>", "attached.bin", attached, typing: "master")
    _ = try cli("attachment-rm", database, "Mail/Site & <x>", "attached.bin", typing: "master")
    _ = try cli(
      "add", "--username", "{REF:U@A:https://mail.example/in}", "--password-prompt", database, "Same",
      typing: "master", "own")
    let xml = try machine.directory.write("a.xml", cli("export", "--format", "xml", database, typing: "master"))
    let report = try machine.imported("keepassxc", xml)
    #expect(report.entryCount == 2 && report.skipped.isEmpty, "\(report)")
    #expect(try machine.coffer("get", "mail.example", "jané") == "newer")
    #expect(try machine.coffer("get", "Same", "jané") == "own")
    #expect(try machine.coffer("get", "mail.example:notes", "jané") == "line 1\nline 2")
    // It is an attachment of an earlier version only.
    let listed = try machine.coffer("list", "--json")
    let file = try #require(listed.firstMatch(of: /mail\.example:attached\.bin \([^)]+\)/)?.output)
    #expect(try machine.value(String(file), "jané") == [0, 255, 10])
    #expect(try machine.coffer("get", "mail.example:details", "jané").contains("p\\\"<&>ä"))
    #expect(try machine.imported("keepassxc", xml).newCount == 0)

    let csv = try machine.directory.write("a.csv", cli("export", "--format", "csv", database, typing: "master"))
    let second = try Machine()
    _ = try second.imported("keepassxc", csv)
    #expect(try second.coffer("get", "mail.example", "jané") == "newer")
    #expect(try second.coffer("get", "mail.example:notes", "jané") == "line 1\nline 2")
  }

  @Test(
    .enabled(
      if: exists("dbus-run-session", "gnome-keyring-daemon", "secret-tool"),
      "Scripts/bootstrap --with importers installs it"))
  func `The items of a running secret service are imported with their attributes`() throws {
    let script = """
      set -e
      printf 'keyring' | gnome-keyring-daemon --unlock --components=secrets >/dev/null
      printf 'line 1\\nline 2' | secret-tool store --label='My label' service github.com username jane extra 'é x'
      printf 'plain' | secret-tool store --label='Only a label' kind test
      "$COFFER" import secret-service --json
      "$COFFER" import secret-service --json | grep -q '"newCount" : 0'
      """
    let outcome = try machine.start(
      "/usr/bin/dbus-run-session", ["--", "sh", "-c", script],
      environment: [
        "COFFER": Machine.path(of: "coffer"), "XDG_RUNTIME_DIR": machine.directory.path,
        "XDG_DATA_HOME": machine.directory.path("data"),
      ]
    ).wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    let report = try JSONDecoder().decode(ImportSummary.self, from: outcome.output)
    #expect(report.entryCount == 2 && report.skipped.isEmpty, "\(report)")
    #expect(try machine.coffer("get", "github.com", "jane") == "line 1\nline 2")
    #expect(try machine.coffer("get", "Only a label") == "plain")
    // Its attributes are those of the item itself.
    #expect(try !machine.coffer("list").contains(":details"))
    #expect(try machine.coffer("list", "--group", "coffer.desktop").contains("github.com"))
  }

  @Test func `A secret service that does not run is an error that says so`() throws {
    let outcome = try machine.run(
      "coffer", "import", "secret-service", environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"])
    #expect(outcome.exitCode == 2 && outcome.errors.contains("no session bus"), "\(outcome)")
  }

  @Test func `Variables get the name of their folder as the service, or the one that is given`() throws {
    try FileManager.default.createDirectory(
      atPath: machine.directory.path("project"), withIntermediateDirectories: true)
    let file = try machine.directory.write("project/.env", "TOKEN=\"a\\nb\"\n")
    _ = try machine.imported("dotenv", file)
    #expect(try machine.coffer("get", "project", "TOKEN") == "a\nb")
    _ = try machine.imported("dotenv", file, "--service", "other")
    #expect(try machine.coffer("get", "other", "TOKEN") == "a\nb")
  }

  @Test(arguments: [("project", "./.env"), ("project", ".env"), ("project/sub", "../.env")])
  func `The service of variables is the folder's name, also for a path with dots`(folder: String, path: String) throws {
    try FileManager.default.createDirectory(
      atPath: machine.directory.path("project/sub"), withIntermediateDirectories: true)
    try machine.directory.write("project/.env", "TOKEN=a\n")
    let script = "cd \"$1\" && exec \"$2\" import dotenv \"$3\""
    let words = ["-c", script, "sh", machine.directory.path(folder), Machine.path(of: "coffer"), path]
    try machine.succeed("/bin/sh", words)
    #expect(try machine.coffer("get", "project", "TOKEN") == "a")
  }
}
