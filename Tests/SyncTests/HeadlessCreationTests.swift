import CofferTestSupport
import Foundation
import Testing

/// `coffer device create`.
@Suite struct HeadlessCreationTests {
  private let suite: HeadlessMachine

  init() throws { suite = try HeadlessMachine.copy(withCredential: false) }

  private func create(_ arguments: String...) throws -> Machine.Outcome {
    try suite.laptop.start("coffer", ["device", "create"] + arguments).wait()
  }

  @Test func `It writes a new file for its owner alone, and says what the credential reads`() throws {
    let made = try create("--name", "ci", "--apps", HeadlessMachine.freeApp, "--out", suite.credential)
    #expect(made.exitCode == 0 && made.text.contains("The headless credential ci expires on "), "\(made)")
    #expect(made.text.contains("com.example.photo.purchases") && !made.text.contains("photo.pro"), "\(made)")
    #expect(made.errors.contains("whole membership log and earlier versions"), "\(made)")
    let attributes = try FileManager.default.attributesOfItem(atPath: suite.credential)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let text = String(decoding: try suite.text, as: UTF8.self)
    #expect(text.hasPrefix("-----BEGIN COFFER CREDENTIAL-----\n"))
    #expect(text.hasSuffix("\n-----END COFFER CREDENTIAL-----\n") && text.count < 2_000)
    let log = try suite.laptop.coffer("log")
    #expect(log.contains("created the headless credential ci, which only reads"))
    #expect(log.contains("gave the app com.example.photo.free keys on ci"))
    // No file is overwritten, and nothing changes.
    let entries = try suite.laptop.status("logLength")
    let again = try create("--name", "ci2", "--apps", HeadlessMachine.freeApp, "--out", suite.credential)
    #expect(again.exitCode == 2 && again.errors.contains("already exists"), "\(again)")
    #expect(try suite.laptop.status("logLength") == entries && text == String(decoding: try suite.text, as: UTF8.self))
  }

  @Test func `It prints the credential for a system that keeps secrets, and nothing else beside it`() throws {
    let made = try create(
      "--name", "ci", "--apps", "\(HeadlessMachine.freeApp), \(app)", "--expires", "2w", "--out", "-")
    #expect(made.exitCode == 0 && made.text.hasPrefix("-----BEGIN") && made.text.hasSuffix("-----"), "\(made)")
    #expect(!made.errors.contains("BEGIN"))
    // Without its last newline and with other line ends, as some systems hand it out.
    try suite.write(Array(made.text.replacing("\n", with: "\r\n").utf8))
    let several = try suite.run("get", "service", "token")
    #expect(several.exitCode == 2 && several.errors.contains("the credential ci has several apps"), "\(several)")
    #expect(try suite.run("get", "service", "token", "--app", HeadlessMachine.freeApp).text == "of the free app")
    #expect(try suite.run("get", "service", "own", "--app", app).text == "of the paid app")
    #expect(try suite.laptop.coffer("device", "list").contains(/ci +[0-9a-f]{8} +read-only .*expires [0-9]{4}-/))
  }

  @Test func `It tells programs in JSON what was created`() throws {
    struct Report: Decodable {
      struct App: Decodable { let id: String }
      struct Group: Decodable { let group: String }
      let name: String
      let machineID: String
      let expires: Date
      let apps: [App]
      let groups: [Group]
      let file: String
    }
    let made = try create(
      "--name", "ci", "--apps", app, "--expires", "2126-03-01", "--out", suite.credential, "--json")
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let report = try decoder.decode(Report.self, from: made.output)
    #expect(report.name == "ci" && report.file == suite.credential && report.apps.map(\.id.count) == [32])
    #expect(report.groups.count == 2 && report.machineID.count == 32)
    #expect(abs(report.expires.timeIntervalSince1970 - 4_927_996_800) < 86_400)
  }

  @Test func `What cannot become a credential is refused before anything changes`() throws {
    let entries = try suite.laptop.status("logLength")
    try suite.laptop.coffer("app", "add", "--no-locked", Machine.entitlements(of: "PhotoFree"))
    let cases: [([String], Int32, String)] = [
      (["--name", "laptop", "--apps", app], 2, "a machine of this vault is named laptop"),
      (["--name", "", "--apps", app], 2, "the machine's name is empty"),
      (["--name", "ci", "--apps", "com.example.unknown"], 4, "no app com.example.unknown is registered"),
      (["--name", "ci", "--apps", ","], 2, "a headless credential is for 1 to 64 apps"),
      (["--name", "ci", "--apps", app, "--expires", "never"], 2, "The value is invalid for '--expires"),
      (["--name", "ci", "--apps", app, "--expires", "0d"], 2, "The value is invalid for '--expires"),
      (["--name", "ci", "--apps", app, "--expires", "2020-01-01"], 2, "2020-01-01 is no day in the future"),
      (["--name", "ci", "--apps", app, "--expires", "2126-02-30"], 2, "2126-02-30 is no day in the future"),
    ]
    for (arguments, code, words) in cases {
      let outcome = try suite.laptop.start("coffer", ["device", "create", "--out", suite.credential] + arguments).wait()
      #expect(outcome.exitCode == code && outcome.errors.contains(words), "\(arguments): \(outcome)")
      #expect(!FileManager.default.fileExists(atPath: suite.credential), "\(arguments)")
    }
    #expect(try suite.laptop.status("logLength") == entries)
    let folder = try create("--name", "ci", "--apps", app, "--out", "/nonexistent/credential")
    #expect(folder.exitCode == 1 && folder.errors.contains("cannot write the credential"), "\(folder)")
    // A member changes no membership, and cannot be made of a credential.
    let made = try create("--name", "ci", "--apps", app, "--out", suite.credential)
    #expect(made.exitCode == 0)
    let granted = try suite.laptop.run("coffer", "app", "install", HeadlessMachine.freeApp, "--on", "ci")
    #expect(granted.exitCode == 2 && granted.errors.contains("whose apps do not change"), "\(granted)")
    let admin = try suite.laptop.run("coffer", "admin", "add", "ci", "--vault-key-file", suite.key)
    #expect(admin.exitCode == 2 && admin.errors.contains("which only reads"), "\(admin)")
  }

  @Test func `An app that requires a passphrase cannot be in it`() throws {
    let machine = try Machine()
    let passphrase = try machine.makeVault(passphrase: "horse")
    let locked = [Machine.entitlements(of: "PhotoFree"), "--locked", "--passphrase-file", passphrase]
    try machine.succeed("coffer", ["app", "add"] + locked)
    let outcome = try machine.run(
      "coffer", "device", "create", "--name", "ci", "--apps", HeadlessMachine.freeApp, "--out", suite.credential)
    #expect(outcome.exitCode == 2 && outcome.errors.contains("requires a passphrase on each machine"), "\(outcome)")
  }
}
