import Coffer
import CofferCertificates
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
        let service: String?
        let server: String?
        let account: String?
        let label: String?
        let issuer: String?
        let writerApp: String?
        let writerMachine: String
        let hasConflict: Bool
      }
      let `class`: String
      let items: [Item]
    }
    let group: String
    let classes: [Kind]
  }

  private struct Report: Decodable {
    struct Attribute: Decodable, Equatable {
      let code: String
      let name: String
      let text: String
    }
    let `class`: String
    let reference: String
    let group: String
    let server: String?
    let account: String?
    let attributes: [Attribute]
    let versionCount: Int
    let access: String
    let writerMachine: String
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
    #expect(
      groups.map { $0.classes.map(\.class) } == [
        ["generic-password", "certificate", "key", "identity"], ["internet-password"],
      ])
    let item = try #require(groups.first?.classes.first?.items.first)
    #expect(item.service == "api.example.com" && item.account == "jane" && item.label == "Server")
    #expect(item.server == nil && item.issuer == nil && item.writerMachine == "laptop")
    #expect(item.writerApp == "\(team).com.example.photo.pro")
    let certificate = try #require(groups.first?.classes[1].items.first)
    #expect(certificate.label == "Jane Doe" && certificate.issuer == "Jane Doe" && certificate.service == nil)
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
      /Class +Generic password/, /Group +[A-Z2-7]+\.com\.example\.photo\.pro/, /Service +api\.example\.com/,
      /Account +jane/, /Label +Server/, /Versions +1/,
    ] {
      #expect(text.contains(line), "\(text)")
    }
    let group = try machine.team() + ".com.example.photo.purchases"
    let mail = try machine.json(
      Report.self, "show", "--class", "internet-password", "mail.example.com", "jane", "--group", group)
    #expect(mail.class == "internet-password" && mail.group == group && mail.versionCount == 1)
    #expect(mail.access == "read-write" && mail.server == "mail.example.com" && mail.writerMachine == "laptop")
    #expect(mail.attributes.contains(.init(code: "ptcl", name: "Protocol", text: "IMAPS")))
    for (name, line) in [
      ("certificate", /Validity +expires in [89] days/), ("key", /Kind of key +private/),
      ("identity", /Private key +Jane Doe in .*photo\.pro/),
    ] {
      let shown = try machine.succeed("coffer", ["show", "--class", name, "Jane Doe"])
      #expect(shown.contains(line) && !shown.contains("value-of"), "\(shown)")
    }
    #expect(!text.contains("value-of") && !"\(mail)".contains("value-of"))
  }

  @Test func `show takes a reference as every command prints it, also in upper case and without its class`() throws {
    let machine = try makeMachine()
    let names = ["--class", "internet-password", "mail.example.com", "jane"]
    let text = try machine.succeed("coffer", ["show"] + names)
    let printed = try #require(text.firstMatch(of: /Persistent reference +(\S+)/)).1
    let mail = try machine.json(Report.self, "show", "--class", "internet-password", "mail.example.com", "jane")
    #expect(printed == mail.reference && mail.reference.wholeMatch(of: /inet\/[0-9a-f]{32}/) != nil)
    for reference in [mail.reference, mail.reference.uppercased(), String(mail.reference.dropFirst(5))] {
      #expect(try machine.succeed("coffer", ["show", "--reference", reference]) == text, "\(reference)")
    }
    for wrong in ["inet/", "inet", mail.reference + "0", "a/b/c", "genq/" + mail.reference.dropFirst(5)] {
      expectFailure(try machine.start("coffer", ["show", "--reference", wrong]).wait(), 2, "32 hexadecimal digits")
    }
  }

  @Test func `show names what is missing`() throws {
    let machine = try makeMachine()
    let missing = try machine.start("coffer", ["show", "api.example.com", "joan"] + pro).wait()
    expectFailure(missing, 3, "coffer list --tree --app com.example.photo.pro")
    let reference = "genp/" + String(repeating: "0", count: 32)
    expectFailure(try machine.start("coffer", ["show", "--reference", reference]).wait(), 3, "does not exist")
  }

  @Test func `show and get take an item of several groups from the first, and show names the others`() throws {
    let machine = try makeMachine()
    let second = ["set", "api.example.com", "jane", "--group", "com.example.photo.purchases"] + pro
    try machine.succeed("coffer", second, input: "value-of-second")
    let shown = try machine.start("coffer", ["show", "api.example.com", "jane"]).wait()
    #expect(shown.exitCode == 0 && shown.text.contains(/Group +\S+\.com\.example\.photo\.pro\n/), "\(shown)")
    for part in ["2 items have these names", "--reference: genp/", "com.example.photo.purchases"] {
      #expect(shown.errors.contains(part), "\(shown)")
    }
    #expect(try machine.coffer("get", "api.example.com", "jane") == "value-of-jane")
    let other = try machine.start(
      "coffer", ["show", "api.example.com", "jane", "--group", "com.example.photo.purchases"]
    ).wait()
    #expect(other.errors.isEmpty && other.text.contains("com.example.photo.purchases"), "\(other)")
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
