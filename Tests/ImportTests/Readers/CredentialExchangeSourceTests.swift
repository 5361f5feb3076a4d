import CofferImport
import CofferSystem
import Testing

@Suite struct CredentialExchangeSourceTests {
  private static let file = """
    {"version":{"major":1,"minor":0},"exporterRpId":"a.example","exporterDisplayName":"A","timestamp":1,"accounts":[{"id":"AA",
    "username":"u","email":"e","collections":[{"id":"C1","title":"Work","items":[],"subCollections":[{"id":"C2","title":"Mail",
    "items":[{"item":"I1"}]}]}],"items":[{"id":"I1","creationAt":1577934245,"modifiedAt":1577934246,"title":"Mail","favorite":true,
    "scope":{"urls":["https://mail.example","https://b.example"],"androidApps":[{"bundleId":"app"}]},"tags":["t"],"credentials":[
    {"type":"basic-auth","username":{"fieldType":"string","value":"jane"},"password":{"fieldType":"concealed-string","value":"p"}},
    {"type":"totp","secret":"JBSWY3DP","period":60,"digits":8,"algorithm":"sha256","username":"jane@mail","issuer":"Mail Co"},
    {"type":"note","content":{"fieldType":"string","value":"n"}},
    {"type":"passkey","credentialId":"Y3Jl","rpId":"mail.example","username":"jane","userDisplayName":"J","userHandle":"dWg",
    "key":"a2V5"},{"type":"credit-card","number":{"fieldType":"string","value":"4111"}},
    {"type":"custom-fields","fields":[{"fieldType":"concealed-string","label":"PIN","value":"1234"}]},
    {"type":"basic-auth","username":{"value":"second"},"password":{"value":"p2"}}]}]}]}
    """

  @Test func `Passwords, codes and notes become items, and every other credential is kept whole`() throws {
    let lines = try ReadLines.read(Self.file) { CredentialExchangeSource($0) }
    let login = try #require(lines["jane"])
    #expect(login.value == "p" && login.text("srvr") == "mail.example" && login.folder == "Work/Mail")
    let origin = try #require(login.origin)
    #expect(origin.entry == "I1" && origin.created == "2020-01-02T03:04:05Z" && origin.tags == ["t"])
    #expect(
      lines["jane:otp"]?.value
        == "otpauth://totp/jane%40mail?secret=JBSWY3DP&issuer=Mail%20Co&algorithm=SHA256&digits=8&period=60")
    #expect(lines["jane:notes"]?.value == "n")
    let details = try #require(lines.details("jane:details"))
    #expect(details["credentials"]?.elements.map { $0["type"]?.text } == ["passkey", "credit-card", "basic-auth"])
    #expect(details["credentials"]?.elements.first?["key"] == "a2V5")
    #expect(details["fields"]?.elements.first?["value"] == "1234")
    #expect(details["extra"]?["favorite"] == .bool(true))
    #expect(details["extra"]?["androidApps"]?.elements.first?["bundleId"] == "app")
  }

  @Test func `A file of Coffer's own cannot ask, count or skip in the name of its reader`() throws {
    let item =
      #"{"class":"generic-password","attributes":{"svce":"s"},"value":"v","ask":true,"count":9,"name":"n","skipped":"r"}"#
    let own = try ReadLines.read(#"{"format":"coffer-export","version":1,"items":[\#(item)]}"#) {
      CofferExportSource($0)
    }
    let exchange = try ReadLines.read(
      #"{"version":{"major":1},"accounts":[{"items":[{"extensions":[{"name":"coffer","items":[\#(item)]}]}]}]}"#
    ) { CredentialExchangeSource($0) }
    let expected = ImportLine(
      "generic-password", folder: "", attributes: ["svce": .text("s")], value: Array("v".utf8), entry: nil)
    for lines in [own, exchange] { #expect(lines.items == [expected] && lines.skipped.isEmpty) }
  }

  @Test func `A damaged item of Coffer's own is named, and so is a credential that another program has added`() throws {
    let lines = try ReadLines.read(
      """
      {"version":{"major":1},"accounts":[{"items":[{"title":"T","credentials":[{"type":"basic-auth","password":{"value":"p"}},
      {"type":"passkey","key":"AA"},{"type":"passkey","key":"BB"}],"extensions":[{"name":"coffer","items":[
      {"class":"generic-password","attributes":{"acct":"jane"},"name":"basic-auth"},{"class":7},
      {"class":"generic-password","attributes":{"acct":"d"},"value":"{\\"credentials\\":[{\\"type\\":\\"passkey\\",\\"key\\":\\"AA\\"}]}"}]}]},
      {"id":"I","title":"Next","credentials":[{"type":"basic-auth","username":{"value":"joe"},"password":{"value":"q"}}]}]}]}
      """
    ) { CredentialExchangeSource($0) }
    #expect(lines["jane"]?.value == "p" && lines["joe"]?.value == "q" && lines.items.count == 3)
    #expect(lines.skipped.map(\.name) == ["T", "T"])
    #expect(lines.skipped.last?.skipped == "another program has added or changed a credential: passkey")
  }

  @Test func `A credential that is not understood is kept whole, and nothing of it twice`() throws {
    let lines = try ReadLines.read(
      """
      {"version":{"major":1},"accounts":[{"collections":[{"title":"A","items":[{"item":"I"}]},{"title":"B","items":[
      {"item":"I"}]}],"items":[{"id":"I","title":"T","credentials":[{"type":"basic-auth","username":
      {"value":"jane"},"password":{"value":"p"}},{"type":"note","content":{"value":7}},{"type":"custom-fields","fields":[
      {"label":"a","value":"1"},{"label":"b","value":2}]},{"type":"custom-fields","label":"L","fields":[]}]}]}]}
      """
    ) { CredentialExchangeSource($0) }
    let details = try #require(lines.details("jane:details"))
    #expect(details["credentials"]?.elements.map { $0["type"]?.text } == ["note", "custom-fields", "custom-fields"])
    #expect(details["fields"] == nil && lines["jane:notes"] == nil && lines["jane"]?.folder == "A")
    #expect(details["extra"]?["collections"] == .array([.array([.string("A")]), .array([.string("B")])]))
  }

  @Test func `Another version, or a file without accounts, is refused by name`() {
    let later = #"{"version":{"major":2,"minor":0},"accounts":[]}"#
    #expect(refusal(later) { CredentialExchangeSource($0) }.contains("version 2"))
    #expect(refusal("{}") { CredentialExchangeSource($0) }.contains("no version or no accounts"))
  }
}
