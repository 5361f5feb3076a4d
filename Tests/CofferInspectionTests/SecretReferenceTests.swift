import CofferInspection
import CofferVault
import Testing

/// References of passwords in files and on command lines.
@Suite struct SecretReferenceTests {
  @Test(arguments: [
    (
      "coffer://TEAM.group/github.com/jane",
      SecretReference(group: "TEAM.group", service: "github.com", account: "jane")
    ),
    (
      "coffer:///github.com/jane@example.com",
      SecretReference(group: nil, service: "github.com", account: "jane@example.com")
    ),
    ("coffer:///s/", SecretReference(group: nil, service: "s", account: "")),
    ("coffer:////a", SecretReference(group: nil, service: "", account: "a")),
    ("coffer:///a%2Fb%20c/%C3%A9%25%23", SecretReference(group: nil, service: "a/b c", account: "é%#")),
    ("coffer://g/s/a#label", SecretReference(group: "g", service: "s", account: "a", attribute: "label")),
    ("coffer://g/s/a%3F#svce", SecretReference(group: "g", service: "s", account: "a?", attribute: "svce")),
  ])
  func `A reference is read, and written in the same form`(text: String, expected: SecretReference) throws {
    #expect(try SecretReference(text) == expected)
    #expect(expected.text == text)
  }

  @Test func `Every text is a part of a reference, and comes back`() throws {
    for text in ["\u{1}\n\t \u{7F}", "日本👍", "a&b=c;(d)!'*$\"<>\\^`{|}[]", "..", "%2F"] {
      let reference = SecretReference(group: text, service: text, account: text)
      #expect(try SecretReference(reference.text) == reference)
      #expect(reference.text.utf8.allSatisfy { (33...126).contains($0) }, "\(reference.text)")
    }
  }

  @Test(arguments: [
    "", "hunter2", "op://a/b/c", "Coffer:///a/b", "coffer:/a/b/c", "coffer://g/s", "coffer://g/s/a/b", "coffer:////",
    "coffer:///a b/c", "coffer:///a/b?c", "coffer:///é/b", "coffer:///a%2/b", "coffer:///a%zz/b", "coffer:///a%+1/b",
    "coffer:///a%00/b", "coffer:///a%FF/b", "coffer:///a/b#", "coffer:///a/b#two words", "coffer:///a/b#x#y",
    "coffer:///a/b\n", "coffer:///" + String(repeating: "a", count: 9_000) + "/b",
  ])
  func `Anything else is refused, and the error does not repeat it`(text: String) throws {
    let error = try #require(throws: VaultError.self) { try SecretReference(text) }
    #expect(error.code == .invalidArgument && error.description.contains("coffer list --references"))
    #expect(!error.description.contains("hunter2"))
  }
}
