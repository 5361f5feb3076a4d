import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Versions that an app wrote on a machine that had not heard that it lost the group, shown and adopted by their owner.
@Suite struct RefusedPageTests {
  private let desktop: Machine
  private let inspector: RunningInspector
  private let session: RunningInspector.Session
  private let shared = "com.example.shared"

  init() throws {
    let laptop = try Machine()
    let key = try laptop.makeVault()
    func register(_ groups: [String]) throws {
      let plist = entitlementsPlist("com.example.mail", groups: groups)
      try laptop.coffer("app", "add", "--yes", try laptop.directory.write("app.plist", plist))
    }
    try register(["~com.example.mail", "~com.example.shared"])
    try laptop.coffer("set", "both", "jane", "--group", shared, input: "before")
    let remote = laptop.directory.path("remote.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    try laptop.coffer("remote", "set", remote)
    try laptop.coffer("sync")
    desktop = try Machine()
    try desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, remote)
    for service in ["new", "both", "<b>late</b>"] {
      try desktop.coffer(
        "set", service, "jane", "--app", "com.example.mail", "--group", shared, input: "value-of-\(service)")
    }
    try laptop.coffer("set", "both", "jane", "--group", shared, input: "value-of-the-owner")
    try register(["~com.example.mail"])
    for machine in [desktop, laptop, desktop] { _ = try machine.run("coffer", "sync") }
    inspector = try RunningInspector(on: desktop)
    session = try inspector.enter()
  }

  private func page(_ path: String) throws -> RawResponse { try inspector.send("GET", path, as: session) }

  private func adopt(_ fields: String) throws -> RawResponse {
    try inspector.send("POST", "/refused/adopt", form: "csrf=\(session.csrf)&\(fields)", as: session)
  }

  /// The cards of the page by the titles of their versions.
  private func cards() throws -> [String: String] {
    let parts = try page("/refused").text.components(separatedBy: "<section ").dropFirst()
    return Dictionary(
      parts.compactMap { part in
        part.firstMatch(of: /<h2[^>]*><bdi>([^<]*)<\/bdi>/).map { (String($0.1), part) }
      }
    ) { first, _ in first }
  }

  private func version(of card: String?) throws -> String {
    String(try #require(card?.firstMatch(of: /name="version" value="([0-9a-f]{64})"/)).1)
  }

  private func get(_ service: String) throws -> Machine.Outcome {
    try desktop.run("coffer", "get", service, "jane", "--group", shared)
  }

  @Test func `A refused version is shown with its author and the reason, and its button makes it the current one`()
    throws
  {
    let overview = try page("/").text
    #expect(overview.contains(">Review 3</a>"))
    #expect(overview.contains("Refused versions</bdi></span><span class=\"count alert\">3<"))
    let cards = try cards()
    #expect(cards.keys.sorted() == ["&lt;b&gt;late&lt;/b&gt;", "both", "new"], "\(cards.keys)")
    for card in cards.values {
      #expect(card.contains("com.example.mail on desktop") && card.contains("lost the right to write it (entry "))
      #expect(!card.contains("value-of") && !card.contains("<b>"))
    }
    #expect(try get("new").exitCode == 3)
    let done = try adopt("version=\(version(of: cards["new"]))")
    #expect(done.status == 303 && done["location"] == "/refused?done=adopted", "\(done)")
    #expect(try get("new").text == "value-of-new")
    #expect(try self.cards().keys.sorted() == ["&lt;b&gt;late&lt;/b&gt;", "both"])
    let history = try desktop.coffer("history", "new", "jane", "--group", shared)
    #expect(history.contains("owner on desktop"), "\(history)")
    let again = try adopt("version=\(version(of: cards["new"]))")
    #expect(again.status == 400 && again.text.contains("The version was not adopted."), "\(again)")
    for version in ["", "x", String(repeating: "0", count: 64)] {
      #expect(try adopt("version=\(version)").status == 404, "\(version)")
    }
    #expect(try adopt("x=y").status == 400)
  }

  @Test func `A version of an item that was changed since is adopted only if its replacement is confirmed`() throws {
    let card = try #require(try cards()["both"])
    #expect(card.contains("this version would replace a newer one") && card.contains("name=\"replace\""))
    let list = try #require(card.firstMatch(of: /href="(\/groups\/[^"]+)"/)).1
    #expect(try page(list.replacingOccurrences(of: "&amp;", with: "&")).text.contains("1 item"))
    let version = try version(of: card)
    let refused = try adopt("version=\(version)")
    #expect(refused.status == 409 && refused.text.contains("The version was not adopted."), "\(refused)")
    #expect(!refused.text.contains("--force"))
    #expect(try get("both").text == "value-of-the-owner")
    #expect(try adopt("version=\(version)&replace=1").status == 303)
    #expect(try get("both").text == "value-of-both")
  }

  @Test func `A version is adopted by no form of another session`() throws {
    let version = try version(of: cards()["new"])
    let other = try RunningInspector(on: desktop)
    let foreign = try other.enter()
    let response = try inspector.send(
      "POST", "/refused/adopt", form: "version=\(version)&csrf=\(foreign.csrf)", as: session)
    #expect(response.status == 403)
    #expect(try get("new").exitCode == 3)
  }
}
