import CofferSystem
import CofferTestSupport
import Testing

@Suite struct ShellWordTests {
  @Test(arguments: [
    ("/srv/vault.git", "/srv/vault.git"), ("com.example.photo-pro", "com.example.photo-pro"), ("a b", "'a b'"),
    ("", "''"),
    ("$(x)", "'$(x)'"), ("~x", "'~x'"), ("it's", "'it'\\''s'"), ("a\u{1B}b", "'a\\u{1B}b'"),
  ])
  func `A word of a command is quoted if a shell would change it, and cannot control the terminal`(
    text: String, word: String
  ) {
    #expect(text.shellWord == word)
  }

  @Test(arguments: ["it's", "a!b", "$(touch x)", "'\u{301}; x", "`x`\\", "a\nb"])
  func `A shell reads quoted text as it is`(text: String) throws {
    let said = try Command.run("sh", "-c", "printf '%s.' \(text.quotedForShell)")
    #expect(said.utf8.elementsEqual("\(text).".utf8))
  }
}
