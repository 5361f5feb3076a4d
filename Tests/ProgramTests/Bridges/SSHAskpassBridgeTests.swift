import Coffer
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// The bridge for ssh, ssh-add and git, which ask it for passphrases and passwords.
@Suite struct SSHAskpassBridgeTests {
  private let scene: BridgeScene

  init() throws {
    scene = try BridgeScene()
    try scene.install("ssh-askpass")
    scene.machine.environment["SSH_ASKPASS"] = scene.path(".local/bin/coffer-ssh-askpass")
    scene.machine.environment["SSH_ASKPASS_REQUIRE"] = "force"
  }

  /// Makes a key with a passphrase, and returns its path.
  private func makeKey() throws -> String {
    try Command.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "key pass", "-f", scene.path("id"))
    return scene.path("id")
  }

  /// Adds a key to an agent of its own, without a terminal.
  private func add(_ key: String, _ scene: BridgeScene) throws -> Machine.Outcome {
    try scene.run("setsid", ["--wait", "ssh-agent", "ssh-add", key])
  }

  @Test func `ssh-add opens a key with the stored passphrase, and a wrong one is tried once`() throws {
    let key = try makeKey()
    let none = try add(key, scene)
    #expect(none.exitCode != 0 && none.errors.contains("no terminal to ask"), "\(none)")
    try scene.set("ssh", key, "wrong")
    #expect(try add(key, scene).exitCode != 0)
    try scene.set("ssh", key, "key pass\n")
    let added = try add(key, scene)
    #expect(added.exitCode == 0 && added.errors.contains("Identity added"), "\(added)")
    let job = try BridgeScene(headlessOf: scene)
    try job.install("ssh-askpass")
    job.machine.environment["SSH_ASKPASS"] = job.path(".local/bin/coffer-ssh-askpass")
    job.machine.environment["SSH_ASKPASS_REQUIRE"] = "force"
    #expect(try add(key, job).exitCode == 0)
  }

  @Test func `ssh logs in with a key whose passphrase is stored`() throws {
    let server = try SSHServer()
    let key = try makeKey()
    try server.authorize("\(key).pub")
    let arguments = [
      "--wait", "ssh", "-F", server.clientConfigurationWithWrongKey, "-o", "BatchMode=no", "-i", key, "127.0.0.1",
      "echo",
      "in",
    ]
    #expect(try scene.run("setsid", arguments).exitCode != 0)
    try scene.set("ssh", key, "key pass")
    let outcome = try scene.run("setsid", arguments)
    #expect(outcome.exitCode == 0 && outcome.text == "in", "\(outcome)")
  }

  @Test func `git asks it for the user name and the password of a server`() throws {
    var options = GitHTTPServer.Options()
    options.login = ("jane", "p@ss word")
    let server = try GitHTTPServer(options: options)
    try server.makeRepository()
    scene.machine.environment["GIT_ASKPASS"] = scene.machine.environment["SSH_ASKPASS"]
    scene.machine.environment["GIT_CONFIG_NOSYSTEM"] = "1"
    func clone(_ name: String) throws -> Machine.Outcome {
      try scene.run("setsid", ["--wait", "git", "clone", "-q", server.url("vault.git"), name])
    }
    #expect(try clone("one").exitCode != 0)
    let stored = try scene.answer(
      "git", "store",
      input: Data("protocol=http\nhost=127.0.0.1:\(server.port)\nusername=jane\npassword=p@ss word\n".utf8))
    #expect(stored.exitCode == 0)
    let outcome = try clone("two")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try scene.answer("ssh-askpass", "Password for 'http://jo%40x@127.0.0.1:\(server.port)': ").exitCode != 0)
  }

  @Test func `install refuses over another SSH_ASKPASS, and a confirmation without a terminal names no option`()
    throws
  {
    let own = scene.machine.environment["SSH_ASKPASS"]
    scene.machine.environment["SSH_ASKPASS"] = "/usr/bin/ksshaskpass"
    expectFailure(
      try scene.machine.run("coffer", "bridge", "install", "ssh-askpass"), 2, "SSH_ASKPASS is /usr/bin/ksshaskpass",
      "env -u SSH_ASKPASS")
    scene.machine.environment["SSH_ASKPASS"] = own
    try scene.install("ssh-askpass")
    scene.machine.environment["SSH_ASKPASS_PROMPT"] = "confirm"
    let outcome = try scene.answer("ssh-askpass", "Allow use of key?")
    expectFailure(outcome, 5, "no terminal to ask for confirmation", "run this in a terminal")
  }

  @Test func `A question that looks like an option is a question`() throws {
    let program = scene.path(".local/bin/coffer-ssh-askpass")
    for prompt in ["--help", "--group=com.example.photo.purchases"] {
      let outcome = try scene.run(program, [prompt])
      expectFailure(outcome, 5, "no terminal to ask")
      #expect(outcome.output.isEmpty)
    }
  }

  @Test func `A password of another service on the server is not for ssh`() throws {
    let plist = URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))
    let vault = try Vault.open(.file(plist), at: VaultLocation(folder: scene.machine.vault))
    var domain = InternetPassword(server: "host.example.com", account: "domain")
    domain.securityDomain = "git:foo"
    let others = [
      InternetPassword(server: "host.example.com", account: "port", port: 5432),
      InternetPassword(server: "host.example.com", account: "path", path: "/admin"),
      InternetPassword(server: "host.example.com", account: "https", protocol: .https), domain,
    ]
    let own = [
      InternetPassword(server: "host.example.com", account: "any"),
      InternetPassword(server: "host.example.com", account: "ssh", protocol: .ssh, port: 2222),
    ]
    for item in others + own { try vault.add("web-value", for: item) }
    for item in others {
      let none = try scene.answer("ssh-askpass", "\(item.account)@host.example.com's password: ")
      expectFailure(none, 5, "no terminal to ask")
      #expect(none.output.isEmpty)
    }
    for item in own {
      #expect(try scene.answer("ssh-askpass", "\(item.account)@host.example.com's password: ").text == "web-value")
    }
  }

  @Test func `A password of a server is found by user and server, and what a server writes is no other question`()
    throws
  {
    try scene.machine.coffer("set", "host.example.com", "jane", "--class", "internet-password", input: "secret")
    for prompt in ["jane@host.example.com's password: ", "(jane@host.example.com) Password: "] {
      let outcome = try scene.answer("ssh-askpass", prompt)
      #expect(outcome.output == Data("secret\n".utf8), "\(outcome)")
    }
    // The text after the parentheses is the server's own.
    for prompt in [
      "(jane@evil.example.com) Enter passphrase for key '/home/jane/.ssh/id': ",
      "(jane@evil.example.com) jane@host.example.com's password: ", "joe@host.example.com's password: ",
      "(jane@evil.example.com) Password for 'https://host.example.com': ", "Bad passphrase, try again for /x: ",
      "Enter PIN for 'token': ",
    ] {
      let outcome = try scene.answer("ssh-askpass", prompt)
      expectFailure(outcome, 5, "no terminal to ask")
      #expect(outcome.output.isEmpty)
    }
  }

  #if os(Linux)
    @Test func `Other questions are asked on the terminal, and hide a secret only`() throws {
      let terminal = try PseudoTerminal(
        scene.machine, "bridge", "ssh-askpass", "Are you sure (yes/no/[fingerprint])? ")
      try terminal.await("Are you sure (yes/no/[fingerprint])?")
      terminal.type("yes\n")
      #expect(terminal.wait() == 0)
      // In the question, as it is typed, and as the answer, which is standard output here.
      #expect(terminal.screen.components(separatedBy: "yes").count == 4, "\(terminal.screen)")
      let again = try PseudoTerminal(
        scene.machine, "bridge", "ssh-askpass", "Please type 'yes', 'no' or the fingerprint: ")
      try again.await("Please type 'yes', 'no' or the fingerprint:")
      again.type("no\n")
      #expect(again.wait() == 0)
      // In the question, as it is typed, and as the answer.
      #expect(again.screen.components(separatedBy: "no").count == 4, "\(again.screen)")
      let hidden = try PseudoTerminal(scene.machine, "bridge", "ssh-askpass", "Enter PIN for 'token': ")
      try hidden.await("Enter PIN for 'token':")
      hidden.type("1234\n")
      #expect(hidden.wait() == 0)
      #expect(hidden.screen.components(separatedBy: "1234").count == 2, "\(hidden.screen)")
    }
  #endif
}
