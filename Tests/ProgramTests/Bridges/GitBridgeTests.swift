import CofferTestSupport
import Foundation
import Testing

/// The bridge for git: as git runs it, and with the real git over https.
@Suite struct GitBridgeTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    machine.environment["GIT_TERMINAL_PROMPT"] = "0"
    machine.environment["GIT_CONFIG_NOSYSTEM"] = "1"
  }

  private func ask(_ verb: String, _ lines: String...) throws -> Machine.Outcome {
    try machine.start(
      "coffer", ["bridge", "git", verb], input: Data((lines.joined(separator: "\n") + "\n\n").utf8)
    ).wait()
  }

  private func store(_ lines: String...) throws {
    let outcome = try machine.start(
      "coffer", ["bridge", "git", "store"], input: Data((lines.joined(separator: "\n") + "\n\n").utf8)
    ).wait()
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
  }

  /// Returns the lines of an answer.
  private func get(_ lines: String...) throws -> [String] {
    let outcome = try machine.start(
      "coffer", ["bridge", "git", "get"], input: Data((lines.joined(separator: "\n") + "\n\n").utf8)
    ).wait()
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
    return outcome.text.split(separator: "\n").map(String.init)
  }

  @Test func `What is stored is found for its protocol, host, port, path and user only`() throws {
    #expect(try get("protocol=https", "host=example.com").isEmpty)
    try store("protocol=https", "host=example.com", "username=jane", "password=p w=1 é")
    #expect(try get("protocol=https", "host=example.com") == ["username=jane", "password=p w=1 é"])
    #expect(try get("protocol=https", "host=example.com", "username=jane") == ["username=jane", "password=p w=1 é"])
    for other in [
      ["protocol=http", "host=example.com"], ["protocol=https", "host=example.com:8443"],
      ["protocol=https", "host=www.example.com"], ["protocol=https", "host=EXAMPLE.com"],
      ["protocol=https", "host=example.com", "username=joe"], ["protocol=https", "host=example.com", "path=a.git"],
      ["protocol=smtps", "host=example.com"], ["host=example.com"], ["protocol=https"], ["protocol=https", "host="],
    ] {
      #expect(
        try machine.start("coffer", ["bridge", "git", "get"], input: Data((other.joined(separator: "\n") + "\n").utf8))
          .wait().output.isEmpty)
    }
    try store("protocol=https", "host=[::1]:8443", "username=six", "password=v6")
    #expect(try get("protocol=https", "host=[::1]:8443") == ["username=six", "password=v6"])
    try store("protocol=cert", "host=example.com", "path=/key.pem", "username=", "password=cert-pass")
    #expect(try get("protocol=cert", "host=example.com", "path=/key.pem") == ["username=", "password=cert-pass"])
    #expect(try get("protocol=cert", "host=example.com", "path=/other.pem").isEmpty)
  }

  @Test func `A new password replaces the old one, several users stay apart, and the same again writes nothing`() throws
  {
    try store("protocol=https", "host=example.com", "username=jane", "password=one")
    try store("protocol=https", "host=example.com", "username=joe", "password=two")
    try store("protocol=https", "host=example.com", "username=jane", "password=three")
    #expect(try get("protocol=https", "host=example.com", "username=joe")[1] == "password=two")
    #expect(try get("protocol=https", "host=example.com")[1] == "password=three")
    func versions() throws -> String { try machine.coffer("show", "example.com", "jane") }
    let before = try versions()
    try store("protocol=https", "host=example.com", "username=jane", "password=three")
    #expect(try versions() == before && before.contains(/Versions +2/))
    // git's store must not keep what is incomplete or for this moment only.
    try store("protocol=https", "host=new.example.com", "username=jane")
    try store("protocol=https", "host=new.example.com", "password=one")
    try store("protocol=https", "host=new.example.com", "username=jane", "password=one", "ephemeral=1")
    #expect(try get("protocol=https", "host=new.example.com").isEmpty)
  }

  @Test func `erase deletes all that match, and none whose password differs from the given one`() throws {
    try store("protocol=https", "host=example.com", "username=jane", "password=one")
    try store("protocol=https", "host=example.com", "username=joe", "password=two")
    #expect(try ask("erase", "protocol=https", "host=example.com", "username=jane", "password=old").exitCode == 0)
    #expect(try get("protocol=https", "host=example.com", "username=jane").count == 2)
    #expect(try ask("erase", "protocol=https", "host=example.com", "password=two").exitCode == 0)
    #expect(try get("protocol=https", "host=example.com") == ["username=jane", "password=one"])
    try store("protocol=https", "host=example.com", "username=joe", "password=two")
    #expect(try ask("erase", "protocol=https").exitCode == 0)
    #expect(try get("protocol=https", "host=example.com").count == 2)
    #expect(try ask("erase", "protocol=https", "host=example.com").exitCode == 0)
    #expect(try get("protocol=https", "host=example.com").isEmpty)
  }

  @Test func `git neither gets, replaces nor deletes a login of a website, and has its own password beside it`() throws
  {
    let file = try machine.directory.write(
      "logins.csv",
      "name,url,username,password,otpauth\nA,https://example.com,jane,web,otpauth://totp/x?secret=JBSWY3DPEHPK3PXP\n")
    try machine.coffer("import", "csv", file)
    let (host, user) = ("host=example.com", "username=jane")
    #expect(try get("protocol=https", host).isEmpty)
    #expect(try ask("erase", "protocol=https", host, user, "password=web").exitCode == 0)
    for token in ["password=first", "password=second"] {
      try store("protocol=https", host, user, token)
      #expect(try get("protocol=https", host) == [user, token])
    }
    #expect(try machine.coffer("get", "example.com", "jane") == "web")
    #expect(try machine.coffer("read", "coffer:///example.com/jane") == "web")
    #expect(try machine.coffer("otp", "example.com", "jane").count == 6)
    #expect(try ask("erase", "protocol=https", host, user, "password=second").exitCode == 0)
    #expect(try get("protocol=https", host).isEmpty)
    #expect(try machine.coffer("get", "example.com", "jane") == "web")
    // A seed makes a login of a password that git has stored.
    try store("protocol=https", "host=own.example.com", user, "password=own")
    try machine.coffer("otp", "add", "own.example.com", "jane", input: "JBSWY3DPEHPK3PXP")
    #expect(try ask("erase", "protocol=https", "host=own.example.com").exitCode == 0)
    #expect(try machine.coffer("get", "own.example.com", "jane") == "own")
  }

  @Test func `An expired password is left out, and its refresh token is not`() throws {
    let future = Int(Date().timeIntervalSince1970) + 1_000
    try store(
      "protocol=https", "host=a.example.com", "username=u", "password=p", "password_expiry_utc=\(future)",
      "oauth_refresh_token=r=1")
    #expect(
      try get("protocol=https", "host=a.example.com") == [
        "username=u", "password=p", "password_expiry_utc=\(future)", "oauth_refresh_token=r=1",
      ])
    try store("protocol=https", "host=b.example.com", "username=u", "password=p", "password_expiry_utc=1000")
    #expect(try get("protocol=https", "host=b.example.com").isEmpty)
    let soon = Int(Date().timeIntervalSince1970) + 2
    try store(
      "protocol=https", "host=c.example.com", "username=u", "password=p", "password_expiry_utc=\(soon)",
      "oauth_refresh_token=r")
    try waitUntil("the password has expired") { Date().timeIntervalSince1970 > Double(soon) }
    #expect(try get("protocol=https", "host=c.example.com") == ["username=u", "oauth_refresh_token=r"])
  }

  @Test func `A credential of another kind is told to nobody who does not understand it`() throws {
    #expect(try ask("capability").text == "version 0\ncapability authtype")
    try store("capability[]=authtype", "protocol=https", "host=example.com", "authtype=Bearer", "credential=tok=en")
    #expect(try get("protocol=https", "host=example.com").isEmpty)
    let answer = ["capability[]=authtype", "authtype=Bearer", "credential=tok=en"]
    #expect(try get("capability[]=authtype", "protocol=https", "host=example.com") == answer)
    #expect(try get("capability[]=authtype", "capability[]=", "protocol=https", "host=example.com").isEmpty)
    #expect(try ask("erase", "protocol=https", "host=example.com", "credential=other").exitCode == 0)
    #expect(try get("capability[]=authtype", "protocol=https", "host=example.com") == answer)
    #expect(try ask("erase", "protocol=https", "host=example.com", "credential=tok=en").exitCode == 0)
    #expect(try get("capability[]=authtype", "protocol=https", "host=example.com").isEmpty)
    #expect(try ask("future-verb", "protocol=https", "host=example.com").exitCode == 0)
  }

  @Test(arguments: [
    "protocol=https\nhost=example.com\r\n\n", "protocol=https\nhost=example.com\0.evil\n\n", "protocol=https\nhost\n\n",
    "=x\n\n", "protocol=https\nhost=" + String(repeating: "a", count: 65_536) + "\n\n",
  ])
  func `A malformed message is refused, with one line`(message: String) throws {
    for verb in ["get", "store", "erase"] {
      let outcome = try machine.start("coffer", ["bridge", "git", verb], input: Data(message.utf8)).wait()
      expectFailure(outcome, 2, "git's message is malformed")
      #expect(outcome.output.isEmpty)
    }
  }

  @Test func `Unknown keys, and what follows the empty line, are ignored`() throws {
    try store(
      "protocol=https", "host=example.com", "username=u", "password=p", "wwwauth[]=Basic realm=x", "state[]=a", "new=1")
    let outcome = try ask("get", "wwwauth[]=Basic", "protocol=https", "host=example.com", "", "host=other.example.com")
    #expect(outcome.text == "username=u\npassword=p")
  }

  @Test func `A value that git cannot take is refused, and no line of it is written`() throws {
    try store("protocol=https", "host=example.com", "username=u", "password=p")
    for value in ["two\nlines", "a\rb", "a\0b", "p\nhost=evil"] {
      #expect(
        try machine.start(
          "coffer", ["set", "example.com", "u", "--class", "internet-password"], input: Data(value.utf8)
        ).wait().exitCode == 0)
      let outcome = try ask("get", "protocol=https", "host=example.com")
      expectFailure(outcome, 6, "which git cannot take")
      #expect(outcome.output.isEmpty)
    }
    // The newline of echo is no second line.
    try machine.coffer("set", "example.com", "u", "--class", "internet-password", input: "fine\n")
    #expect(try get("protocol=https", "host=example.com") == ["username=u", "password=fine"])
  }

  @Test func `install writes one entry, list shows it, and remove removes only that`() throws {
    try machine.directory.write(".gitconfig", "[credential]\n\thelper = cache\n[user]\n\tname = x\n")
    let file = machine.directory.path(".gitconfig")
    #expect(try machine.coffer("bridge", "list").contains("not installed"))
    #expect(try machine.coffer("bridge", "install", "git").hasPrefix("Wrote credential.helper = !"))
    try machine.coffer(
      "bridge", "install", "git", "--app", "com.example.photo.pro", "--group", "com.example.photo.purchases")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("helper = cache") && text.components(separatedBy: "bridge git").count == 2, "\(text)")
    struct Row: Decodable { let bridge: String; let isInstalled: Bool; let command: String? }
    let rows = try machine.json([Row].self, "bridge", "list")
    #expect(rows.map(\.bridge).prefix(2) == ["git", "docker"] && rows.map(\.isInstalled).prefix(2) == [true, false])
    #expect(rows.count == 9)
    #expect(
      rows[0].command?.hasSuffix("bridge git --app com.example.photo.pro --group com.example.photo.purchases") == true)
    #expect(try machine.coffer("bridge", "rm", "git").hasPrefix("Removed credential.helper"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "[credential]\n\thelper = cache\n[user]\n\tname = x\n")
    expectFailure(try machine.run("coffer", "bridge", "remove", "git"), 3, "not installed", "coffer bridge list")
    expectFailure(try machine.run("coffer", "bridge", "install", "svn"), 2, "coffer bridge install --help")
  }

  /// What git's own tests of helpers ask (t0303-credential-external.sh), by `git credential`. Who has no helper is
  /// asked: the answer then shows that the helper had none.
  @Test func `The cases of git's own tests for helpers hold with the real git`() throws {
    try machine.coffer("bridge", "install", "git")
    machine.environment["GIT_ASKPASS"] = try machine.directory.writeScript(
      "askpass", "case \"$1\" in Username*) echo askpass-username;; *) echo askpass-password;; esac")
    func git(_ verb: String, _ lines: String...) throws -> [String] {
      let outcome = try machine.start(
        "/usr/bin/git", ["-c", "credential.useHttpPath=true", "credential", verb],
        input: Data((lines.joined(separator: "\n") + "\n").utf8)
      ).wait()
      #expect(outcome.exitCode == 0, "\(outcome)")
      return outcome.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).suffix(2)
    }
    let asked = ["username=askpass-username", "password=askpass-password"]
    let (host, store) = (["protocol=https", "host=example.com"], ["username=store-user", "password=store-pass"])
    #expect(try git("fill", host[0], host[1]) == asked)
    // It can store and retrieve.
    #expect(try git("approve", host[0], host[1], store[0], store[1]).joined().isEmpty)
    #expect(try git("fill", host[0], host[1]) == store)
    // Protocol, host, user and path must match.
    #expect(try git("fill", "protocol=http", host[1]) == asked)
    #expect(try git("fill", host[0], "host=other.tld") == asked)
    #expect(try git("fill", host[0], host[1], "username=other") == ["username=other", asked[1]])
    try _ = git("approve", host[0], "host=path.tld", "path=path/to/repo", "username=user", "password=pass")
    #expect(try git("fill", host[0], "host=path.tld", "path=other/repo") == asked)
    #expect(try git("fill", host[0], "host=path.tld", "path=path/to/repo") == ["username=user", "password=pass"])
    // A new password replaces the old one, which does not erase the new one when it is rejected.
    try _ = git("approve", host[0], "host=overwrite.tld", "username=u", "password=pass1")
    try _ = git("approve", host[0], "host=overwrite.tld", "username=u", "password=pass2")
    #expect(try git("fill", host[0], "host=overwrite.tld") == ["username=u", "password=pass2"])
    try _ = git("reject", host[0], "host=overwrite.tld", "username=u", "password=pass1")
    #expect(try git("fill", host[0], "host=overwrite.tld") == ["username=u", "password=pass2"])
    // A host and a user can be forgotten; another user is not.
    try _ = git("reject", host[0], host[1])
    #expect(try git("fill", host[0], host[1]) == asked)
    for user in ["one", "two"] {
      try _ = git("approve", host[0], "host=m.tld", "username=\(user)", "password=p-\(user)")
    }
    #expect(try git("fill", host[0], "host=m.tld", "username=one") == ["username=one", "password=p-one"])
    try _ = git("reject", host[0], "host=m.tld", "username=one")
    #expect(try git("fill", host[0], "host=m.tld", "username=one") == ["username=one", asked[1]])
    #expect(try git("fill", host[0], "host=m.tld", "username=two") == ["username=two", "password=p-two"])
    // An empty user name can be stored.
    try _ = git("approve", "protocol=cert", "path=/key.pem", "host=h", "username=", "password=cert-pass")
    #expect(try git("fill", "protocol=cert", "path=/key.pem", "host=h") == ["username=", "password=cert-pass"])
  }

  @Test func `git clones and pushes over https with the stored password, and a wrong one is forgotten`() throws {
    let authority = try CertificateAuthority()
    var options = GitHTTPServer.Options()
    options.identity = try authority.identity(for: "127.0.0.1")
    options.login = ("me", "right")
    let server = try GitHTTPServer(options: options)
    try server.makeRepository()
    machine.environment["GIT_SSL_CAINFO"] = authority.certificate
    try machine.coffer("bridge", "install", "git")
    let place = ["protocol=https", "host=127.0.0.1:\(server.port)"]
    func git(_ arguments: String...) throws -> Machine.Outcome { try machine.start("/usr/bin/git", arguments).wait() }
    let copy = machine.directory.path("copy")
    #expect(try git("clone", "-q", server.url("vault.git"), copy).exitCode != 0)
    // As a person types it: git approves what has worked.
    let answer = try machine.directory.writeScript(
      "askpass", "case \"$1\" in Username*) echo me;; *) echo right;; esac")
    let first = try machine.start(
      "/usr/bin/git", ["clone", "-q", server.url("vault.git"), copy], environment: ["GIT_ASKPASS": answer]
    ).wait()
    #expect(first.exitCode == 0, "\(first)")
    #expect(try get(place[0], place[1]) == ["username=me", "password=right"])
    let push = try machine.start(
      "/bin/sh",
      [
        "-c",
        "cd \"$1\" && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x && git push -q origin HEAD:main",
        "sh", copy,
      ]
    ).wait()
    #expect(push.exitCode == 0, "\(push)")
    let second = try git("clone", "-q", server.url("vault.git"), machine.directory.path("second"))
    #expect(second.exitCode == 0, "\(second)")
    // git erases a password that the server refuses.
    try store(place[0], place[1], "username=me", "password=wrong")
    #expect(try git("clone", "-q", server.url("vault.git"), machine.directory.path("third")).exitCode != 0)
    #expect(try get(place[0], place[1]).isEmpty)
    // This git knows no expiry, and stores what has worked without it. The bridge keeps it, and an expired password is
    // not sent.
    let future = Int(Date().timeIntervalSince1970) + 3600
    try store(place[0], place[1], "username=me", "password=right", "password_expiry_utc=\(future)")
    try store(place[0], place[1], "username=me", "password=right")
    #expect(try get(place[0], place[1]).count == 3)
    let soon = Int(Date().timeIntervalSince1970) + 2
    try store(place[0], place[1], "username=me", "password=right", "password_expiry_utc=\(soon)")
    try store(place[0], place[1], "username=me", "password=right")
    try waitUntil("the password has expired") { Date().timeIntervalSince1970 > Double(soon) }
    let before = try server.requests.count { $0.contains("\"me\"") }
    #expect(try git("clone", "-q", server.url("vault.git"), machine.directory.path("fourth")).exitCode != 0)
    #expect(try before > 0 && server.requests.count { $0.contains("\"me\"") } == before)
  }

  @Test func `The owner's bridge needs no app, but the passphrase, and a headless credential only reads`() throws {
    let owner = try Machine()
    let passphrase = try owner.makeVault(passphrase: "correct horse")
    try owner.succeed("coffer", ["set", "first", "--passphrase-file", passphrase], input: "v")
    let lines = "protocol=https\nhost=example.com\n"
    let alone = ["setsid", "--wait"]
    let stored = try owner.run(
      "coffer", "bridge", "git", "store", input: Data((lines + "username=u\npassword=p\n").utf8), wrapper: alone)
    expectFailure(stored, 5, "COFFER_PASSPHRASE_FILE")
    owner.environment["COFFER_PASSPHRASE_FILE"] = passphrase
    try owner.coffer("bridge", "git", "store", input: lines + "username=u\npassword=p\n")
    #expect(try owner.coffer("bridge", "git", "get", input: lines) == "username=u\npassword=p")
    owner.environment["COFFER_PASSPHRASE_FILE"] = nil
    expectFailure(try owner.run("coffer", "bridge", "git", "get", input: Data(lines.utf8), wrapper: alone), 5)
    try store("protocol=https", "host=example.com", "username=u", "password=p")
    let job = try Machine()
    job.environment = try machine.makeHeadlessJob()
    #expect(try job.run("coffer", "bridge", "git", "get", input: Data(lines.utf8)).text == "username=u\npassword=p")
    #expect(
      try job.run("coffer", "bridge", "git", "store", input: Data((lines + "username=v\npassword=p\n").utf8)).exitCode
        != 0)
  }
}
