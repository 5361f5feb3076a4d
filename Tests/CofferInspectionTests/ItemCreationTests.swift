import Coffer
import CofferCrypto
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@testable import CofferInspection

@Suite struct ItemCreationTests {
  private let one = "com.example.one"

  private func group(_ session: MemoryInspection) throws -> String {
    try #require(session.app.accessGroups.first).name
  }

  @Test func `Passwords of both classes are added with their attributes, as an app adds them`() throws {
    let session = try MemoryInspection()
    let group = try group(session)
    let texts = ["svce": "service", "acct": "jane", "labl": "Label", "icmt": "one\r\ntwo", "invi": "0"]
    let reference = try session.vault.addPassword(
      .genericPassword, texts, value: SecretText("first\nsecond"), in: group)
    let item = try #require(try session.app.storedItem(for: GenericPassword(service: "service", account: "jane")))
    #expect(item.reference == reference.persistent && item.item.label == "Label" && item.item.comment == "one\ntwo")
    #expect(item.item.accessibility == .whenUnlocked)
    #expect(try session.app.string(for: item.item) == "first\nsecond")
    _ = try session.vault.addPassword(
      .internetPassword, ["srvr": "host", "acct": "jane", "ptcl": "htps", "port": "8443"], value: SecretText("v"),
      in: group)
    let server = InternetPassword(server: "host", account: "jane", protocol: .https, port: 8443)
    #expect(try session.app.string(for: server) == "v")
  }

  @Test func `What cannot be added changes nothing, and the error says why`() throws {
    let session = try MemoryInspection()
    let group = try group(session)
    let names = ["svce": "service", "acct": "jane"]
    func add(_ texts: [String: String], _ value: String = "v", in other: String? = nil) -> VaultError.Code? {
      code { _ = try session.vault.addPassword(.genericPassword, texts, value: SecretText(value), in: other ?? group) }
    }
    #expect(add(names) == nil)
    #expect(add(names) == .duplicateItem)
    #expect(add(["svce": "", "acct": ""]) == .invalidArgument)
    #expect(add(["svce": "other"], "") == .invalidArgument)
    #expect(add(["svce": String(repeating: "x", count: 1_025)]) == .invalidArgument)
    #expect(add(["svce": "other", "pdmn": "zz"]) == .invalidArgument)
    #expect(add(["svce": "other", "cdat": "1"]) == .invalidArgument)
    // The machine has no passphrase.
    #expect(add(["svce": "other", "pdmn": "akpu"]) == .invalidArgument)
    #expect(add(["svce": "other"], in: "com.example.none") == .notEntitled)
    #expect(try session.app.list(GenericPassword.self).items.count == 1)
  }

  @Test(arguments: NewKey.allCases)
  func `A key is generated and found by its label and tag`(kind: NewKey) throws {
    let session = try MemoryInspection()
    let group = try group(session)
    for _ in 1...2 { _ = try? session.vault.addKey(kind, label: "Signing", tag: "com.example.key", in: group) }
    let keys = try session.app.list(KeychainKey.self).items
    #expect(keys.count == 2 && Set(keys.map(\.item.applicationLabel)).count == 2)
    for key in keys.map(\.item) {
      #expect(key.label == "Signing" && key.applicationTag == Data("com.example.key".utf8))
      let bytes = try #require(try session.app.bytes(for: key))
      #expect(key.kind == (kind == .aes256 ? .symmetric : .private))
      #expect(bytes.count == [.p256: 97, .p384: 145, .p521: 199, .aes256: 32][kind])
      #expect(key.sizeInBits == [.p256: 256, .p384: 384, .p521: 521, .aes256: 256][kind])
    }
    #expect(code { _ = try session.vault.addKey(kind, label: "", tag: "", in: group) } == .invalidArgument)
  }

  @Test func `Certificates are imported and exported as they are, all of a text or none`() throws {
    let session = try MemoryInspection()
    let directory = try TemporaryDirectory()
    let group = try group(session)
    let pems = try ["root", "leaf"].map { name in
      let path = directory.path("\(name).pem")
      try Command.run(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
        directory.path("\(name).key"), "-out", path, "-subj", "/CN=\(name)", "-days", "10")
      return try String(contentsOfFile: path, encoding: .utf8)
    }
    let items = try session.vault.importCertificates(pems.joined().replacing("\n", with: "\r\n"), in: group)
    #expect(items.count == 2)
    for (item, (pem, name)) in zip(items, zip(pems, ["root", "leaf"])) {
      let file = try session.vault.certificateFile(of: item, in: group)
      #expect(file.pem == pem && file.title == name)
    }
    // The second one exists: nothing of the text is stored.
    let third = directory.path("third.pem")
    try Command.run(
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
      directory.path("third.key"), "-out", third, "-subj", "/CN=third", "-days", "10")
    let text = try String(contentsOfFile: third, encoding: .utf8) + pems[1]
    #expect(code { _ = try session.vault.importCertificates(text, in: group) } == .duplicateItem)
    #expect(try session.app.list(KeychainCertificate.self).items.count == 2)
    let key = try String(contentsOfFile: directory.path("third.key"), encoding: .utf8)
    #expect(code { _ = try session.vault.importCertificates(key, in: group) } == .invalidArgument)
    let password = try session.vault.addPassword(
      .genericPassword, ["svce": "s"], value: SecretText("v"), in: group)
    #expect(code { _ = try session.vault.certificateFile(of: password) } == .itemNotFound)
  }

  @Test func `The fields of an item are known as they were seen, until somebody names another item`() throws {
    let session = try MemoryInspection()
    let name = GenericPassword(service: "service", account: "jane", label: "before")
    try session.app.add("v", for: name)
    try session.app.add("v", for: GenericPassword(service: "other", account: "jane"))
    func details(_ text: String) throws -> ItemDetails {
      let row = try #require(try session.vault.items(ItemRequest(text: text)).rows.first)
      return try session.vault.details(of: row.reference, in: row.group)
    }
    let seen = try details("service")
    try session.vault.edit(seen.revision, ["labl": "after"])
    let fields = try #require(try session.vault.fields(of: seen.row.reference, seenAs: seen.revision))
    #expect(fields.first { $0.code == "labl" }?.fieldText == "before")
    #expect(try session.vault.fields(of: seen.row.reference, seenAs: details("other").revision) == nil)
  }
}
