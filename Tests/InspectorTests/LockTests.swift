import CofferTestSupport
import Foundation
import Testing

/// When the keys leave memory, and how they come back.
@Suite struct LockTests {
  private static let passphrase = "correct horse 7 battery + & staple"
  private static let encoded = "correct+horse+7+battery+%2B+%26+staple"

  @Test func `The page's lock ends the sessions and the program`() throws {
    let inspector = try RunningInspector()
    let session = try inspector.enter()
    let kept = try RawConnection(port: inspector.port)
    try kept.send(inspector.request("GET", "/", as: session))
    #expect(try kept.response().status == 200)
    let response = try inspector.send("POST", "/lock", form: "csrf=\(session.csrf)", as: session)
    #expect(response.status == 200 && response.text.contains("locked"))
    #expect(response["set-cookie"]?.contains("Max-Age=0") == true && response["clear-site-data"] == "\"cache\"")
    #expect(!response.text.contains(session.csrf))
    // A connection of before has no session any more.
    if (try? kept.send(inspector.request("GET", "/items", as: session))) != nil, let late = try? kept.response() {
      #expect(late.status == 403)
    }
    let outcome = try inspector.program.wait()
    #expect(outcome.exitCode == 0 && outcome.errors.contains("Locked from the page"))
    #expect(throws: RawConnection.Failure.self) { try RawConnection(port: inspector.port) }
  }

  @Test func `Without a terminal the page asks for the passphrase, and shows nothing before`() throws {
    let inspector = try RunningInspector.withPassphrase(Self.passphrase, "--ask-in-page")
    let response = try inspector.exchange(inspector.token)
    let cookie = try #require(response["set-cookie"]?.split(separator: ";").first.map(String.init))
    let locked = try inspector.send("GET", "/groups/a?q=%27b", as: .init(cookie: cookie, csrf: ""))
    #expect(locked.status == 423 && locked.text.contains(#"type="password""#))
    #expect(locked.text.contains(#"name="to" value="/groups/a?q=%27b""#))
    let csrf = try #require(locked.text.firstMatch(of: /name="csrf" value="([0-9a-f]{64})"/))
    let session = RunningInspector.Session(cookie: cookie, csrf: String(csrf.1))
    #expect(try inspector.send("GET", "/session", as: session).status == 423)
    #expect(try inspector.send("POST", "/items", form: "csrf=\(session.csrf)", as: session).status == 423)

    // A redirect leads to a page of this server only.
    for target in ["//evil.example", "http://evil.example", "/\\evil.example", "", "/a%0d%0aX:%20y"] {
      let form = "csrf=\(session.csrf)&passphrase=&to=\(target)"
      let empty = try inspector.send("POST", "/unlock", form: form, as: session)
      #expect(empty.status == 423 && empty.text.contains(#"name="to" value="/""#), "\(target)")
    }
    let form = "csrf=\(session.csrf)&passphrase=\(Self.encoded)&to=/groups/a?q=%2527b"
    let unlocked = try inspector.send("POST", "/unlock", form: form, as: session)
    #expect(unlocked.status == 303 && unlocked["location"] == "/groups/a?q=%27b")
    #expect(try inspector.send("GET", "/", as: session).status == 200)
    #expect(try inspector.send("GET", "/session", as: session).status == 204)
    #if os(Linux)
      if geteuid() == 0 {
        #expect(try count(of: Self.passphrase, in: inspector) == 0)
        #expect(try count(of: Self.encoded, in: inspector) == 0)
      }
    #endif
  }

  @Test func `Five wrong passphrases end the program`() throws {
    let inspector = try RunningInspector.withPassphrase(Self.passphrase)
    let session = try inspector.enter()
    _ = session
    let asking = try RunningInspector(
      inspector.machine, try inspector.machine.start("coffer", ["inspect", "--no-open", "--ask-in-page"]))
    let response = try asking.exchange(asking.token)
    let cookie = try #require(response["set-cookie"]?.split(separator: ";").first.map(String.init))
    let page = try asking.send("GET", "/", as: .init(cookie: cookie, csrf: ""))
    let csrf = try #require(page.text.firstMatch(of: /name="csrf" value="([0-9a-f]{64})"/))
    let locked = RunningInspector.Session(cookie: cookie, csrf: String(csrf.1))
    for _ in 1...5 {
      let wrong = try asking.send("POST", "/unlock", form: "csrf=\(locked.csrf)&passphrase=wrong", as: locked)
      #expect(wrong.status == 423 && wrong.text.contains("wrong"))
    }
    let outcome = try asking.program.wait()
    #expect(outcome.exitCode == 0 && outcome.errors.contains("Too many wrong passphrases"))
  }

  @Test func `After the idle time the vault is locked, and after another time the program ends`() throws {
    let inspector = try RunningInspector.withPassphrase(Self.passphrase, "--idle", "3s")
    let session = try inspector.enter()
    // What a page asks in the background is no use.
    let background = ["X-Coffer-Background": "1"]
    try waitUntil { try inspector.send("GET", "/session", background, as: session).status == 423 }
    let page = try inspector.send("GET", "/items", background, as: session)
    #expect(page.status == 423 && page.text.contains(#"type="password""#))
    let form = "csrf=\(session.csrf)&passphrase=\(Self.encoded)"
    #expect(try inspector.send("POST", "/unlock", form: form, as: session).status == 303)
    #expect(try inspector.send("GET", "/", as: session).status == 200)
    let outcome = try inspector.program.wait()
    #expect(outcome.exitCode == 0 && outcome.errors.contains("Not used any more"))
  }

  @Test func `A vault without a passphrase ends the program after the idle time`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let inspector = try RunningInspector(on: machine, "--idle", "1s")
    let outcome = try inspector.program.wait()
    #expect(outcome.exitCode == 0 && outcome.errors.contains("Not used any more"))
    #expect(outcome.errors.contains("Ends after 1 second without use"))
  }

  /// Returns how often a text occurs in the memory that the program can write.
  private func count(of text: String, in inspector: RunningInspector) throws -> Int {
    try ProcessMemory(of: inspector.program.processIdentifier).count(of: text)
  }
}
