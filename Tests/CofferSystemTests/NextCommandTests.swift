import CofferSystem
import Testing

@Suite struct NextCommandTests {
  @Test func `A command line names its words, app and group as a shell reads them`() {
    #expect(NextCommand.line("list") == "coffer list")
    #expect(
      NextCommand.line("get", ["a b", "jane's"], app: "com.example.app", group: "com.example.a b")
        == #"coffer get 'a b' 'jane'\''s' --app com.example.app --group 'com.example.a b'"#)
  }

  @Test func `Words that begin with a hyphen come after the options, and placeholders are not quoted`() {
    #expect(NextCommand.line("get", ["-a", "b"], group: "g") == "coffer get --group g -- -a b")
    #expect(
      NextCommand.line("set", placeholders: "SERVICE", "ACCOUNT", group: "g") == "coffer set SERVICE ACCOUNT --group g")
  }
}
