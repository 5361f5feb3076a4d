import CofferTestSupport
import Testing

@testable import CofferTransport

@Suite struct NetrcFileTests {
  private func credential(_ text: String, _ host: String = "example.com", user: String? = nil) -> Credential? {
    NetrcFile(Array(text.utf8)).credential(for: host, user: user)
  }

  @Test func `The entry of the host counts, in one line or several`() {
    let text = "machine other.org login a password b\nmachine Example.com\n\tlogin c\n\tpassword d\n"
    #expect(credential(text) == Credential(user: "c", password: "d"))
    #expect(credential(text, "EXAMPLE.COM") == Credential(user: "c", password: "d"))
    #expect(credential(text, "third.org") == nil)
  }

  @Test func `The default entry counts for other hosts, and an entry only for its user`() {
    let text =
      "machine example.com login a password 1 machine example.com login b password 2 default login z password 3"
    #expect(credential(text) == Credential(user: "a", password: "1"))
    #expect(credential(text, user: "b") == Credential(user: "b", password: "2"))
    #expect(credential(text, user: "c") == nil)
    #expect(credential(text, "other.org") == Credential(user: "z", password: "3"))
  }

  @Test func `An entry without a login has the user of the URL`() {
    #expect(credential("machine example.com password x", user: "me") == Credential(user: "me", password: "x"))
    #expect(credential("machine example.com password x") == nil)
    #expect(credential("machine example.com login me") == nil)
  }

  @Test func `Quotation marks, comments and macros are read as other programs read them`() {
    #expect(
      credential("machine example.com login me password \"a \\\"b\\\\ c\"")
        == Credential(user: "me", password: "a \"b\\ c"))
    #expect(
      credential("# machine example.com login x password y\nmachine example.com login me password p#q # end")
        == Credential(user: "me", password: "p#q"))
    let macro = "macdef init\nmachine example.com login x password y\n\nmachine example.com login me password z"
    #expect(credential(macro) == Credential(user: "me", password: "z"))
  }

  @Test(arguments: [
    "", "machine", "machine example.com", "login x", "password", "default", "macdef", "\"", "machine \"",
    "machine example.com login \"", "macdef x\n\n\n", "machine example.com password \"\\",
  ])
  func `A file that is cut off has no credential`(_ text: String) {
    #expect(credential(text) == nil)
  }
}
