import CofferImport
import CofferSystem
import CofferTestSupport
import Foundation
import Testing

@Suite struct BitwardenSourceTests {
  private static let export = """
    {"encrypted":false,"folders":[{"id":"f1","name":"Work/Mail"}],"items":[
    {"id":"i1","folderId":"f1","organizationId":null,"type":1,"reprompt":1,"name":"Mail","notes":"n","favorite":true,
    "creationDate":"2020-01-02T03:04:05.678Z","revisionDate":"2020-01-02T03:04:06Z","collectionIds":null,
    "fields":[{"name":"PIN","value":"1234","type":1,"linkedId":null},{"name":"T","value":"true","type":2}],
    "passwordHistory":[{"lastUsedDate":"2019-01-01T00:00:00Z","password":"old"}],
    "login":{"uris":[{"match":3,"uri":"https://mail.example"},{"match":null,"uri":"https://b.example"}],"username":"jane",
    "password":"p\\n\\u0000q","totp":"JBSWY3DP","fido2Credentials":[{"credentialId":"00112233-4455-6677-8899-aabbccddeeff",
    "keyType":"public-key","keyValue":"AA","rpId":"mail.example","userHandle":"uh","userName":"jane","counter":"3"}]}},
    {"id":"i2","type":2,"name":"Note","notes":"secret note","secureNote":{"type":0}},
    {"id":"i3","type":3,"name":"Card","card":{"number":"4111","code":"123"}},
    {"id":"i4","type":4,"name":"Me","identity":{"firstName":"Jane"}},
    {"id":"i5","type":5,"name":"Key","sshKey":{"privateKey":"k"}}]}
    """

  private func read(_ text: String, password: String = "") throws -> ReadLines {
    try ReadLines.read(text) { BitwardenSource($0) { Array(password.utf8) } }
  }

  @Test func `Every field of every kind of item is kept`() throws {
    let lines = try read(Self.export)
    let login = try #require(lines["jane"])
    #expect(login.value == "p\n\0q" && login.text("srvr") == "mail.example" && login.folder == "Work/Mail")
    #expect(login.origin?.entry == "i1" && login.origin?.created == "2020-01-02T03:04:05Z")
    #expect(lines["jane:notes"]?.value == "n" && lines["jane:otp"]?.value == "otpauth://totp/Mail?secret=JBSWY3DP")
    let details = try #require(lines.details("jane:details"))
    #expect(details["fields"]?.elements.map { $0["value"]?.text } == ["1234", "true"])
    #expect(details["history"]?.elements.first?["password"] == "old")
    #expect(details["extra"]?["favorite"] == .bool(true) && details["extra"]?["reprompt"] == .integer(1))
    #expect(details["extra"]?["uris"]?.elements.first?["match"] == .integer(3))
    let passkey = try #require(details["credentials"]?.elements.first)
    #expect(passkey["credentialId"] == "ABEiM0RVZneImaq7zN3u_w" && passkey["bitwarden"]?["counter"] == "3")
    let notes = lines.items.filter { $0.text("svce") == "Note:notes" }
    #expect(notes.map(\.value) == ["secret note"])
    let others = lines.items.filter { $0.text("acct")?.isEmpty == true && $0.origin?.part == "details" }
    #expect(others.map { $0.text("svce") } == ["Card:details", "Me:details", "Key:details"])
    #expect(others.map(\.shownValue).joined().contains("\"number\":\"4111\""))
  }

  @Test func `The kinds of fields, further collections and the organisation are kept`() throws {
    let lines = try read(
      """
      {"collections":[{"id":"c1","name":"One"},{"id":"c2","name":"Two"}],"items":[{"id":"i","type":1,"name":"N",
      "organizationId":"o","collectionIds":["c1","c2"],"login":{"username":"jane","password":"p"},
      "fields":[{"name":"PIN","value":"1","type":1},{"name":"user","value":null,"type":3,"linkedId":100}]}]}
      """)
    #expect(lines["jane"]?.folder == "One")
    let extra = try #require(lines.details("jane:details")?["extra"])
    #expect(extra["collections"]?.elements.map(\.text) == ["One", "Two"] && extra["organizationId"]?.text == "o")
    #expect(extra["fields"]?.elements.map { $0["linkedId"] } == [.integer(100)])
  }

  @Test(arguments: ["pbkdf2", "argon2id"])
  func `An export that is protected by a password opens with it, and only with it`(kind: String) throws {
    let file = DocumentationPage.root.appending(path: "Tests/ImportTests/Exports/bitwarden-\(kind).json")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(try read(text, password: "correct horse")["jane"]?.value == "from \(kind)")
    let wrong = refusal(text) { BitwardenSource($0) { Array("wrong".utf8) } }
    #expect(wrong.contains("password of the export is wrong"))
    let changed = text.replacing(/"data":"2\.(..)/) { "\"data\":\"2.\($0.1 == "AA" ? "BB" : "AA")" }
    #expect(refusal(changed) { BitwardenSource($0) { Array("correct horse".utf8) } }.contains("was changed"))
  }

  @Test func `An account-restricted export is refused by name, without asking for a password`() {
    let text = #"{"encrypted":true,"encKeyValidation_DO_NOT_EDIT":"2.a|b|c","folders":[],"items":[]}"#
    let refused = refusal(text) { input in
      BitwardenSource(input) {
        Issue.record("asked for a password")
        return []
      }
    }
    #expect(refused.contains("account restricted") && refused.contains("password protected"))
  }

  @Test(arguments: [
    #""kdfType":0,"kdfIterations":2000000000"#, #""kdfType":1,"kdfIterations":3,"kdfMemory":100000,"kdfParallelism":4"#,
    #""kdfType":1,"kdfIterations":3,"kdfMemory":64,"kdfParallelism":400"#, #""kdfType":7,"kdfIterations":1"#,
  ])
  func `A key derivation that takes too long or too much memory is refused`(parameters: String) {
    let text = #"{"encrypted":true,"passwordProtected":true,"salt":"c2FsdHNhbHQ=",\#(parameters),"data":"2.a|b|c"}"#
    #expect(refusal(text) { BitwardenSource($0) { [] } }.contains("too much time or memory"))
  }

  @Test func `Half of a character keeps back only the item that has it, by name`() throws {
    let lines = try read(
      """
      {"items":[{"id":"1","type":1,"name":"Mail","notes":"a\\ud83d","login":{"username":"jane","password":"p"}},
      {"id":"2","type":1,"name":"Half \\ude00","login":{"username":"joe","password":"q"}},
      {"id":"3","type":1,"name":"Whole \\ud83d\\ude00","login":{"username":"jim","password":"\\ud83d\\n"}},
      {"id":"4","type":1,"name":"\\ud83d\\ude00","login":{"username":"kim","password":"r"}}]}
      """)
    #expect(lines.items.map { $0.text("acct") } == ["jane", "kim"] && lines["jane"]?.value == "p")
    #expect(lines["kim"]?.text("svce") == "\u{1F600}")
    #expect(lines.skipped.map(\.name) == ["Mail", "Half \u{FFFD}", "Whole \u{1F600}"])
    #expect(lines.skipped.allSatisfy { $0.skipped?.contains("half of a character") == true })
  }

  @Test func `JSON that is deep, cut off or no export is refused`() {
    #expect(refusal(String(repeating: "[", count: 5_000)) { BitwardenSource($0) { [] } }.contains("not JSON"))
    #expect(refusal(#"{"items":[{"#) { BitwardenSource($0) { [] } }.contains("not JSON"))
    #expect(refusal("{}") { BitwardenSource($0) { [] } }.contains("no items"))
  }
}
