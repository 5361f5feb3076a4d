import CofferTestSupport
import Foundation
import Testing

/// The conversation with the credential helpers of git, with the real `git credential`.
@Suite struct CredentialHelperTests {
  private let server: GitHTTPServer
  private let machine: Machine

  init() throws {
    var options = GitHTTPServer.Options()
    options.login = ("me", "right")
    server = try GitHTTPServer(options: options)
    try server.makeRepository()
    machine = try Machine()
    try machine.makeVault()
    // It records what it is asked, and answers with what is in a file.
    let directory = machine.directory
    let helper = try directory.writeScript(
      "helper",
      """
      { echo "> $1"; cat; } >> '\(directory.path("asked"))'
      [ "$1" = get ] && cat '\(directory.path("answer"))'
      """)
    try directory.write(".gitconfig", "[credential]\n\thelper = \(helper)\n")
    try answer("username=me\npassword=right\n")
    try machine.coffer("remote", "set", server.url("vault.git"))
    try forget()
  }

  private func answer(_ text: String) throws { try machine.directory.write("answer", text) }

  private func forget() throws { try machine.directory.write("asked", "") }

  /// What the helper was asked: each action with its lines.
  private func asked() throws -> [(action: String, lines: Set<String>)] {
    let text = try String(contentsOfFile: machine.directory.path("asked"), encoding: .utf8)
    return text.components(separatedBy: "> ").filter { !$0.isEmpty }.map { part in
      let lines = part.split(separator: "\n").map(String.init)
      return (lines[0], Set(lines.dropFirst()))
    }
  }

  private var place: Set<String> { ["protocol=http", "host=127.0.0.1:\(server.port)"] }

  @Test func `A password that works is approved, and the helper is asked for this server only`() throws {
    try machine.sync()
    let asked = try asked()
    #expect(Set(asked.map(\.action)) == ["get", "store"])
    for request in asked {
      let password: Set<String> = request.action == "store" ? ["username=me", "password=right"] : []
      #expect(request.lines == place.union(password), "\(request)")
    }
    // Each process asks once.
    #expect(asked.count { $0.action == "get" } == asked.count { $0.action == "store" })
  }

  @Test func `A password that the server refuses is rejected, so that the helper forgets it, and never approved`()
    throws
  {
    try answer("username=me\npassword=stale\n")
    let sync = try machine.run("coffer", "sync")
    #expect(sync.exitCode == 7 && sync.errors.contains("the server refuses the password"), "\(sync)")
    #expect(!sync.description.contains("stale"))
    let asked = try asked()
    #expect(asked.map(\.action) == ["get", "erase"])
    #expect(asked.last?.lines == place.union(["username=me", "password=stale"]), "\(asked)")
    try answer("username=me\npassword=right\n")
    try forget()
    try machine.sync()
    #expect(try Set(self.asked().map(\.action)) == ["get", "store"])
  }

  @Test func `A wrong password of a file or of netrc is not taken for one of the helper's`() throws {
    let file = try machine.directory.write("password", "wrong\n")
    let password = ["COFFER_HTTP_PASSWORD_FILE": file]
    try machine.coffer("remote", "set", server.url("vault.git", user: "me"))
    try forget()
    let sync = try machine.run("coffer", "sync", environment: password)
    #expect(sync.exitCode == 0, "\(sync)")
    #expect(try Set(asked().map(\.action)) == ["get", "store"])
    #expect(try !asked().contains { $0.lines.contains("password=wrong") })
    try machine.directory.write(".netrc", "machine 127.0.0.1 login me password right\n")
    try forget()
    try machine.sync()
    #expect(try asked().isEmpty)
  }

  @Test func `A password for another host than the server's is not sent, whoever offers it`() throws {
    try answer("")
    let before = try server.requests.count
    try machine.directory.write(".netrc", "machine 127.0.0.11 login me password right\n")
    let sync = try machine.run("coffer", "sync")
    #expect(sync.exitCode == 7 && sync.errors.contains("the server asks for a password"), "\(sync)")
    let requests = try server.requests.dropFirst(before)
    #expect(!requests.isEmpty && requests.allSatisfy { $0.contains(" 401 \"-\"") }, "\(requests)")
  }

  @Test(arguments: ["username=me\nusername=you", "quit=1", "username=me\npassword=", "garbage", "password=right"])
  func `What a helper answers badly is no password and no crash`(_ text: String) throws {
    try answer(text + "\n")
    let sync = try machine.run("coffer", "sync")
    #expect(sync.exitCode == 7 && sync.errors.contains("password"), "\(sync)")
  }

  @Test func `No password is sent before the server asks for it`() throws {
    let open = try GitHTTPServer()
    try open.makeRepository()
    try machine.coffer("remote", "set", open.url("vault.git", user: "me"))
    try forget()
    try machine.sync()
    #expect(try asked().isEmpty)
    #expect(try !open.requests.isEmpty && open.requests.allSatisfy { $0.contains("\"-\"") })
  }

  @Test func `No password is sent without encryption to another machine, whatever stands for it`() throws {
    // As a proxy, it is every other machine.
    let body = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n"
    let proxy = try ScriptedServer(answer: Array(body.utf8), isSilent: false)
    machine.environment["http_proxy"] = "http://127.0.0.1:\(proxy.port)"
    try machine.coffer("remote", "set", "--force", "--insecure-http", "http://me@example.com/vault.git")
    try forget()
    let sync = try machine.run("coffer", "sync")
    #expect(sync.exitCode == 7 && sync.errors.contains("which is not sent without encryption"), "\(sync)")
    #expect(try asked().isEmpty)
  }

  @Test func `http:// to this machine goes through no proxy`() throws {
    let proxy = try ProxyServer()
    machine.environment["http_proxy"] = "http://127.0.0.1:\(proxy.port)"
    machine.environment["all_proxy"] = "http://127.0.0.1:\(proxy.port)"
    try machine.sync()
    #expect(!proxy.log.contains("127.0.0.1:\(server.port)") && !proxy.log.contains("vault.git"), "\(proxy.log)")
  }
}
