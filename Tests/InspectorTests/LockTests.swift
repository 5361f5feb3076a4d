import CofferCrypto
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@testable import CofferInspectProgram

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
    #expect(locked.text.contains("The vault on <bdi>laptop</bdi> is locked."))
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
    let (inspector, session) = try askingInPage()
    for _ in 1...5 {
      let wrong = try inspector.send("POST", "/unlock", form: "csrf=\(session.csrf)&passphrase=wrong", as: session)
      #expect(wrong.status == 423 && wrong.text.contains("wrong"))
    }
    let outcome = try inspector.program.wait()
    #expect(outcome.exitCode == 0 && outcome.errors.contains("Too many wrong passphrases"))
  }

  @Test func `SIGUSR1 locks the vault at once, and the passphrase unlocks it`() throws {
    let inspector = try RunningInspector.withPassphrase(Self.passphrase)
    let session = try inspector.enter()
    #expect(try inspector.send("GET", "/items", as: session).status == 200)
    try inspector.lock(session)
    let page = try inspector.send("GET", "/items", as: session)
    #expect(page.status == 423 && page.text.contains(#"type="password""#))
    try unlock(inspector, session)
    #expect(try inspector.send("GET", "/items", as: session).status == 200)
    try inspector.lock(session)
    #expect(try inspector.end().exitCode == 0)
  }

  @Test func `SIGUSR1 ends the program if the vault needs no passphrase`() throws {
    let inspector = try RunningInspector()
    _ = try inspector.enter()
    let outcome = try inspector.end(signal: SIGUSR1)
    #expect(outcome.exitCode == 0 && outcome.errors.contains("Locked by another program; coffer inspect has ended."))
  }

  @Test func `A lock voids an unlock that has begun`() async throws {
    let machine = try Machine()
    try machine.makeVault(passphrase: Self.passphrase)
    let inspector = Inspector(
      VaultOpening(folder: VaultFolder(machine.vault), app: nil), vault: nil, requiresPassphrase: true,
      idleTime: .seconds(3600))
    // Runs here until it waits for the passphrase's key.
    let unlocking = Task.immediate { try await inspector.unlock(passphrase: SecretText(copying: Self.passphrase.utf8)) }
    inspector.lock()
    _ = await unlocking.result
    #expect(inspector.isLocked)
    // A screen that is locked again has nothing to lock here.
    inspector.lock()
    #expect(inspector.isLocked)
    try await inspector.unlock(passphrase: SecretText(copying: Self.passphrase.utf8))
    #expect(!inspector.isLocked)
    inspector.lock()
  }

  // However slow the machine is: a lock may come late, and must not come early.
  @Test func `After the idle time the vault is locked, and after another time the program ends`() throws {
    let idle = Duration.seconds(2)
    let (inspector, session) = try askingInPage("--idle", "2s")
    let lastUse = ContinuousClock.now
    try unlock(inspector, session)
    // What a page asks in the background is no use.
    let background = ["X-Coffer-Background": "1"]
    try waitUntil("the vault is locked") {
      try inspector.send("GET", "/session", background, as: session).status == 423
    }
    let locked = ContinuousClock.now
    #expect(locked - lastUse >= idle)
    let page = try inspector.send("GET", "/items", background, as: session)
    #expect(page.status == 423 && page.text.contains(#"type="password""#))
    let outcome = try inspector.program.wait()
    #expect(outcome.exitCode == 0 && outcome.errors.contains("Not used any more"))
    // Time to type a passphrase.
    #expect(ContinuousClock.now - lastUse >= idle + .seconds(60))
  }

  @Test func `Use puts the lock off`() throws {
    let idle = Duration.seconds(3)
    let (inspector, session) = try askingInPage("--idle", "3s")
    let deadline = ContinuousClock.now + .seconds(300)
    // A machine that stops for the idle time between two uses proves nothing, and the attempt is repeated.
    attempts: while true {
      try #require(ContinuousClock.now < deadline)
      var lastUse = ContinuousClock.now
      try unlock(inspector, session)
      let start = ContinuousClock.now
      while ContinuousClock.now - start < idle * 1.5 {
        let asked = ContinuousClock.now
        guard try inspector.send("GET", "/items", as: session).status == 200 else {
          #expect(ContinuousClock.now - lastUse >= idle)
          continue attempts
        }
        lastUse = asked
        usleep(50_000)
      }
      break
    }
    #expect(try inspector.end().exitCode == 0)
  }

  @Test func `A vault without a passphrase ends the program after the idle time`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let inspector = try RunningInspector(on: machine, "--idle", "1s")
    let outcome = try inspector.program.wait()
    #expect(outcome.exitCode == 0 && outcome.errors.contains("Not used any more"))
    #expect(outcome.errors.contains("Ends after 1 second without use"))
  }

  /// Starts a locked inspector, and returns it with a session whose pages ask for the passphrase.
  private func askingInPage(_ arguments: String...) throws -> (RunningInspector, RunningInspector.Session) {
    let machine = try Machine()
    try machine.makeVault(passphrase: Self.passphrase)
    let program = try machine.start("coffer", ["inspect", "--no-open", "--ask-in-page"] + arguments)
    let inspector = try RunningInspector(machine, program)
    return (inspector, try inspector.enter())
  }

  private func unlock(_ inspector: RunningInspector, _ session: RunningInspector.Session) throws {
    let form = "csrf=\(session.csrf)&passphrase=\(Self.encoded)"
    #expect(try inspector.send("POST", "/unlock", form: form, as: session).status == 303)
  }

  /// Returns how often a text occurs in the memory that the program can write.
  private func count(of text: String, in inspector: RunningInspector) throws -> Int {
    try ProcessMemory(of: inspector.program.processIdentifier).count(of: text)
  }
}
