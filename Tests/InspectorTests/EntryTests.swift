import CofferTestSupport
import Foundation
import Testing

/// How a browser gets a session, and nobody else does.
@Suite struct EntryTests {
  @Test func `The token of the address is exchanged once for a session cookie`() throws {
    let inspector = try RunningInspector()
    let response = try inspector.exchange(inspector.token)
    #expect(response.status == 303 && response["location"] == "/")
    let cookie = try #require(response["set-cookie"])
    #expect(cookie.wholeMatch(of: /coffer-session-[0-9]+=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict/) != nil)
    #expect(!cookie.contains(inspector.token))

    let again = try inspector.exchange(inspector.token)
    #expect(again.status == 403 && again["set-cookie"] == nil)
    // The session that began with it continues.
    let value = try #require(cookie.split(separator: ";").first.map(String.init))
    let page = try inspector.send("GET", "/", as: .init(cookie: value, csrf: ""))
    #expect(page.status == 200 && page.text.contains("csrf"))
  }

  @Test func `The page at the address gives no secret, and reads the token by a script from a file`() throws {
    let inspector = try RunningInspector()
    let page = try inspector.send("GET", "/", ["Sec-Fetch-Site": "none"])
    #expect(page.status == 200)
    #expect(page.text.contains(#"<script src="/assets/enter.js""#))
    #expect(!page.text.contains(inspector.token) && !page.text.contains("csrf"))
    #expect(!page.text.contains("<script>") && page.text.firstMatch(of: /\son[a-z]+=/) == nil)
  }

  @Test func `Guessed tokens are refused, and however many leave the right one`() throws {
    let inspector = try RunningInspector()
    let wrong = [
      "", "0", String(repeating: "0", count: 64), String(inspector.token.dropLast()), inspector.token + "0",
      inspector.token.uppercased() == inspector.token ? "x" : inspector.token.uppercased(), "%00", "\u{FF10}",
      String(repeating: "f", count: 900), "%",
    ]
    // A lone % is no form.
    for token in wrong + wrong {
      #expect(try inspector.exchange(token).status == (token == "%" ? 415 : 403), "\(token)")
    }
    #expect(try inspector.exchange(inspector.token).status == 303)
  }

  @Test func `A token in a query or in another method begins no session`() throws {
    let inspector = try RunningInspector()
    for (method, path) in [("GET", "/session?token="), ("GET", "/?token="), ("POST", "/session?token=")] {
      let response = try inspector.send(method, path + inspector.token, form: method == "POST" ? "" : nil)
      #expect(response["set-cookie"] == nil, "\(method) \(path)")
    }
    #expect(try inspector.exchange(inspector.token).status == 303)
  }

  @Test func `The browser is given a private file, so that nobody reads the token from its arguments`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let record = machine.directory.path("record")
    let browser = try machine.directory.writeScript(
      "browser",
      "printf '%s\\n' \"$1\" >'\(record).new'; stat -c %a \"$1\" >>'\(record).new'; cat \"$1\" >>'\(record).new'; mv '\(record).new' '\(record)'"
    )
    let folder = machine.directory.path("runtime")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let program = try machine.start(
      "coffer", ["inspect"], environment: ["BROWSER": browser, "XDG_RUNTIME_DIR": folder])
    let inspector = try RunningInspector(machine, program)
    let text = try waitForFile(record)
    let lines = text.split(separator: "\n")
    try #require(lines.count > 2)
    #expect(lines[0].hasPrefix(folder) && !lines[0].contains(inspector.token))
    #expect(lines[1] == "600")
    #expect(text.contains("url=\(inspector.origin)/#\(inspector.token)"))
    let arguments = try String(contentsOfFile: "/proc/\(program.processIdentifier)/cmdline", encoding: .utf8)
    #expect(!arguments.contains(inspector.token))

    // Used, so deleted.
    _ = try inspector.enter()
    try waitUntil("the file is deleted") { try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty }
    #expect(try inspector.end().exitCode == 0)
  }

  @Test func `The private file is deleted when the program ends before its use`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let folder = machine.directory.path("runtime")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let program = try machine.start(
      "coffer", ["inspect"], environment: ["BROWSER": "true", "XDG_RUNTIME_DIR": folder])
    let inspector = try RunningInspector(machine, program)
    try waitUntil("the file exists") { try FileManager.default.contentsOfDirectory(atPath: folder).count == 1 }
    #expect(try inspector.end(signal: SIGINT).exitCode == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }
}
