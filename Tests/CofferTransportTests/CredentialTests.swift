import Testing

@testable import CofferTransport

@Suite struct CredentialTests {
  @Test func `A credential is shown nowhere`() {
    let credential = Credential(user: "me-my-self", password: "secret-word")
    var dumped = ""
    dump(credential, to: &dumped)
    for text in ["\(credential)", String(reflecting: credential), dumped] {
      #expect(!text.contains("secret-word") && !text.contains("me-my-self"), "\(text)")
    }
  }

  @Test func `The header is that of RFC 7617`() {
    #expect(Credential(user: "Aladdin", password: "open sesame").authorization == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(Credential(user: "test", password: "123\u{a3}").authorization == "Basic dGVzdDoxMjPCow==")
    #expect(Credential(user: "", password: ":").authorization == "Basic Ojo=")
  }

  @Test(arguments: [
    ("a:b", "c"), ("a\r\nX: y", "c"), ("a", "c\r\nX: y"), ("a", "c\n"), ("a\0", "c"), ("a", "\u{1b}"), ("a\u{7f}", "c"),
  ])
  func `A name or password that would forge a header is never sent`(user: String, password: String) {
    #expect(Credential(user: user, password: password).authorization == nil)
  }
}
