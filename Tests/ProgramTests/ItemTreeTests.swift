import Coffer
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@Suite struct ItemTreeTests {
  private let pro = ["--app", "com.example.photo.pro"]

  private struct Group: Decodable {
    struct Kind: Decodable {
      struct Item: Decodable {
        let reference: String
        let title: String
        let subtitle: String
        let hasConflict: Bool
      }
      let `class`: String
      let name: String
      let items: [Item]
    }
    let group: String
    let classes: [Kind]
  }

  private struct Report: Decodable {
    struct Fact: Decodable, Equatable {
      let name: String
      let text: String
    }
    let `class`: String
    let reference: String
    let group: String
    let facts: [Fact]
    let versions: Int
    let isWritable: Bool
  }

  /// Returns a machine with items of four classes, of which the values begin with "value-of-".
  private func makeMachine() throws -> Machine {
    let machine = try Machine.withExamples()
    try machine.succeed(
      "coffer", ["set", "api.example.com", "jane", "--label", "Server"] + pro, input: "value-of-jane")
    let plist = URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))
    let vault = try Vault.open(.file(plist), at: VaultLocation(folder: machine.vault))
    try vault.add(
      "value-of-mail", for: InternetPassword(server: "mail.example.com", account: "jane", protocol: .imaps),
      in: "com.example.photo.purchases")
    let directory = try TemporaryDirectory()
    try Command.run(
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
      directory.path("key"), "-outform", "DER", "-out", directory.path("der"), "-subj", "/CN=Jane Doe", "-days", "9")
    let der = try Data(contentsOf: URL(fileURLWithPath: directory.path("der")))
    try vault.add(KeychainCertificate(der: der), privateKey: "value-of-key")
    return machine
  }

  @Test func `list --tree shows groups, classes and items of all classes, without values`() throws {
    let machine = try makeMachine()
    let team = try machine.team()
    let tree = try machine.succeed("coffer", ["list", "--tree"] + pro)
    let lines = tree.split(separator: "\n").map { $0.replacing(/until .*/, with: "until") }
    #expect(
      lines == [
        "\(team).com.example.photo.pro", "  Generic passwords", "    api.example.com  jane  Server", "  Certificates",
        "    Jane Doe  Jane Doe  until", "  Keys", "    Jane Doe  private, elliptic curve (NIST), 256 bits",
        "  Identities", "    Jane Doe  Jane Doe  until", "\(team).com.example.photo.purchases", "  Internet passwords",
        "    mail.example.com  jane  IMAPS",
      ])
    // The owner also sees the group of the other app.
    let whole = try machine.succeed("coffer", ["list", "--tree"])
    #expect(whole == "\(team).com.example.photo.free\n  no items\n\(tree)")
    let groups = try machine.json([Group].self, "list", "--tree", "--app", "com.example.photo.pro")
    #expect(groups.map { $0.classes.map(\.class) } == [["genp", "cert", "keys", "idnt"], ["inet"]])
    #expect(groups.first?.classes.first?.items.map(\.title) == ["api.example.com"])
    let one = try machine.json([Group].self, "list", "--tree", "--group", "com.example.photo.purchases")
    #expect(one.map(\.group) == ["\(team).com.example.photo.purchases"])
    #expect(!tree.contains("value-of"))
    expectFailure(
      try machine.start("coffer", ["list", "--tree", "--group", "com.example.none"]).wait(), 4, "com.example")
  }

  @Test func `show prints all attributes of an item of any class, and never its value`() throws {
    let machine = try makeMachine()
    let text = try machine.succeed("coffer", ["show", "api.example.com", "jane"] + pro)
    for line in [
      /Kind +Generic password/, /Service +api\.example\.com/, /Account +jane/, /Label +Server/, /Versions +1/,
    ] {
      #expect(text.contains(line), "\(text)")
    }
    let group = try machine.team() + ".com.example.photo.purchases"
    let mail = try machine.json(
      Report.self, "show", "--class", "internet-password", "mail.example.com", "jane", "--group", group)
    #expect(mail.class == "inet" && mail.group == group && mail.versions == 1 && mail.isWritable)
    #expect(mail.facts.contains(.init(name: "Protocol", text: "IMAPS")))
    #expect(try machine.json(Report.self, "show", "--reference", mail.reference).facts == mail.facts)
    for (name, line) in [
      ("certificate", /Validity +valid for [89] more days/), ("key", /Kind of key +private/),
      ("identity", /Private key +in .*photo\.pro/),
    ] {
      let shown = try machine.succeed("coffer", ["show", "--class", name, "Jane Doe"])
      #expect(shown.contains(line) && !shown.contains("value-of"), "\(shown)")
    }
    #expect(!text.contains("value-of") && !"\(mail)".contains("value-of"))
  }

  @Test func `show names what is missing or ambiguous`() throws {
    let machine = try makeMachine()
    let missing = try machine.start("coffer", ["show", "api.example.com", "joan"] + pro).wait()
    expectFailure(missing, 3, "coffer list --tree --app com.example.photo.pro")
    let reference = "genp/" + String(repeating: "0", count: 32)
    expectFailure(try machine.start("coffer", ["show", "--reference", reference]).wait(), 3, "does not exist")
    let second = ["set", "api.example.com", "jane", "--group", "com.example.photo.purchases"] + pro
    try machine.succeed("coffer", second, input: "value-of-second")
    expectFailure(
      try machine.start("coffer", ["show", "api.example.com", "jane"]).wait(), 2, "2 items", "genp/", "--group")
    try machine.succeed("coffer", ["show", "api.example.com", "jane", "--group", "com.example.photo.pro"])
  }

  @Test func `Names with control characters are shown as escapes`() throws {
    let machine = try Machine.withExamples()
    let name = "a\u{1B}]0;x\u{7}\u{202E}b"
    try machine.succeed("coffer", ["set", name, "jane", "--label", "l\nm"] + pro, input: "v")
    for arguments in [["list", "--tree"], ["show", name, "jane"]] {
      let text = try machine.succeed("coffer", arguments)
      #expect(text.contains("a\\u{1B}]0;x\\u{7}\\u{202E}b") && text.contains("l\\u{A}m"), "\(text)")
    }
  }
}
