import CofferTestSupport
import Foundation
import Testing

/// Machines that sync over https with a real server, which asks for a password.
@Suite struct HTTPSyncTests {
  private static let password = "p:a/s@s w%rd"
  private static let escaped = "p%3Aa%2Fs%40s%20w%25rd"

  private let authority: CertificateAuthority
  private let server: GitHTTPServer

  init() throws {
    authority = try CertificateAuthority()
    var options = GitHTTPServer.Options()
    options.identity = try authority.identity(for: "127.0.0.1")
    options.login = ("me", Self.password)
    server = try GitHTTPServer(options: options)
    try server.makeRepository()
  }

  /// A machine with a vault whose git keeps passwords in a file, if `hasHelper`.
  private func machine(hasHelper: Bool = true) throws -> Machine {
    let machine = try Machine()
    if hasHelper { try machine.directory.write(".gitconfig", "[credential]\n\thelper = store\n") }
    return machine
  }

  /// The URL with the password in it.
  private var secretURL: String {
    server.url("vault.git").replacing("https://", with: "https://me:\(Self.escaped)@")
  }

  /// Expects that no file of a machine contains the password, apart from the one that is for it.
  private func expectNoPassword(on machine: Machine, but file: String) throws {
    for url in machine.files() + [URL(fileURLWithPath: machine.vault.path)] where !url.hasDirectoryPath {
      let bytes = try Data(contentsOf: url)
      #expect(bytes.firstRange(of: Data(Self.password.utf8)) == nil, "\(url.path)")
      #expect(bytes.firstRange(of: Data(Self.escaped.utf8)) == nil, "\(url.path)")
    }
    #expect(FileManager.default.fileExists(atPath: machine.directory.path(file)))
  }

  @Test func `Two machines sync over https, with the password from the URL, ~ netrc and a file`() throws {
    let laptop = try machine()
    let key = try laptop.makeVault(name: "laptop")
    try laptop.register("PhotoPro")
    let set = try laptop.run("coffer", "remote", "set", "--ca-file", authority.certificate, secretURL)
    #expect(set.exitCode == 0 && set.errors.isEmpty, "\(set)")
    #expect(set.text == "The remote is \(server.url("vault.git", user: "me")). Next: coffer sync")
    #expect(
      try laptop.coffer("remote", "show")
        == """
        \(server.url("vault.git", user: "me"))
        Certificate authorities: \(authority.certificate), instead of those of the system
        """)
    try laptop.sync()
    try expectNoPassword(on: laptop, but: ".git-credentials")

    let desktop = try machine(hasHelper: false)
    try desktop.directory.write(".netrc", "machine 127.0.0.1 login me password \"\(Self.password)\"\n")
    try desktop.coffer(
      "clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, "--ca-file", authority.certificate,
      server.url("vault.git"))
    try laptop.sync()
    #expect(try laptop.coffer("device", "list").contains("desktop"))

    // A third source, for a sync that a timer runs.
    try FileManager.default.removeItem(atPath: desktop.directory.path(".netrc"))
    let refused = try desktop.run("coffer", "sync")
    #expect(refused.exitCode == 7 && refused.errors.contains("the server asks for a password"), "\(refused)")
    let file = try desktop.directory.write("password", Self.password + "\n")
    let wrongUser = try desktop.run("coffer", "sync", environment: ["COFFER_HTTP_PASSWORD_FILE": file])
    #expect(wrongUser.exitCode == 7 && wrongUser.errors.contains("refuses the password"), "\(wrongUser)")
    let own = try desktop.run(
      "coffer", "remote", "set", "--ca-file", authority.certificate, server.url("vault.git", user: "me"),
      environment: ["COFFER_HTTP_PASSWORD_FILE": file])
    #expect(own.exitCode == 0, "\(own)")
    let synced = try desktop.run("coffer", "sync", environment: ["COFFER_HTTP_PASSWORD_FILE": file])
    #expect(synced.exitCode == 0, "\(synced)")
    for outcome in [set, refused, wrongUser, synced] { #expect(!outcome.description.contains("p:a/s")) }
  }

  @Test func `A proxy of the environment carries the sync, and its refusal is named`() throws {
    let machine = try machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    let open = try ProxyServer()
    let set = try machine.run(
      "coffer", "remote", "set", "--ca-file", authority.certificate, secretURL,
      environment: ["https_proxy": "http://127.0.0.1:\(open.port)"])
    #expect(set.exitCode == 0 && set.errors.isEmpty, "\(set)")
    #expect(open.log.contains("CONNECT 127.0.0.1:\(server.port)"))
    func sync(through proxy: String, except hosts: String = "") throws -> Machine.Outcome {
      try machine.run("coffer", "sync", environment: ["https_proxy": proxy, "no_proxy": hosts])
    }
    #expect(try sync(through: "http://127.0.0.1:\(open.port)").exitCode == 0)

    let closed = try ProxyServer(login: ("proxy", "word"))
    let asked = try sync(through: "http://127.0.0.1:\(closed.port)")
    #expect(asked.exitCode == 7 && asked.errors.contains("the proxy asks for a password (407)"), "\(asked)")
    #expect(try sync(through: "http://proxy:word@127.0.0.1:\(closed.port)").exitCode == 0)
    let limited = try ProxyServer(allowedPorts: [1])
    let refused = try sync(through: "http://127.0.0.1:\(limited.port)")
    #expect(refused.exitCode == 7 && refused.errors.contains("the proxy refuses the connection (403)"), "\(refused)")
    let port = try ClosedPort()
    let absent = try sync(through: "http://127.0.0.1:\(port.number)")
    #expect(absent.exitCode == 7 && absent.errors.contains("https_proxy"), "\(absent)")
    #expect(try sync(through: "http://127.0.0.1:\(port.number)", except: "127.0.0.1").exitCode == 0)
    // What libcurl says about these contains the whole URL. No other text has this word by chance.
    for proxy in ["http://proxy:H1D#den@127.0.0.1:1", "htp://proxy:H1Dden@127.0.0.1:1"] {
      let unusable = try sync(through: proxy)
      #expect(unusable.exitCode == 7 && unusable.errors.contains("proxy"), "\(unusable)")
      #expect(!unusable.description.contains("H1D"))
      #expect(try !machine.coffer("status").contains("H1D"))
    }
  }

  @Test
  func `A password that works and is kept nowhere is not forgotten silently, and no variable turns off the check`()
    throws
  {
    let machine = try machine(hasHelper: false)
    try machine.makeVault()
    let set = try machine.run("coffer", "remote", "set", "--ca-file", authority.certificate, secretURL)
    #expect(set.errors.contains("the password in the URL is right, but it is not stored"), "\(set)")
    let variables = [
      "URLSessionCertificateAuthorityInfoFile": "INSECURE_SSL_NO_VERIFY", "GIT_SSL_NO_VERIFY": "1",
      "CURL_INSECURE": "1",
    ]
    let untrusted = try machine.run("coffer", "remote", "set", secretURL, environment: variables)
    #expect(untrusted.exitCode == 7 && untrusted.errors.contains("of an unknown authority"), "\(untrusted)")
    for outcome in [set, untrusted] { #expect(!outcome.description.contains(Self.escaped)) }
  }

  @Test func `A password file that others can read is refused, and so is an option that makes no sense`() throws {
    let machine = try machine(hasHelper: false)
    try machine.makeVault()
    let file = try machine.directory.write("password", Self.password, permissions: 0o644)
    let set = try machine.run(
      "coffer", "remote", "set", "--ca-file", authority.certificate, server.url("vault.git"),
      environment: ["COFFER_HTTP_PASSWORD_FILE": file])
    #expect(set.errors.contains("password can be read by other users") && set.errors.contains("chmod 600"), "\(set)")
    for (arguments, words) in [
      (["--ca-file", file], "is no file of certificates"), (["--ca-file", "/absent"], "is no file of certificates"),
      (["--timeout", "0"], "--timeout must be a number of seconds"),
    ] {
      let outcome = try machine.start("coffer", ["remote", "set"] + arguments + [server.url("vault.git")]).wait()
      #expect(outcome.exitCode == 2 && outcome.errors.contains(words), "\(outcome)")
    }
    let silent = try ScriptedServer(answer: [], isSilent: true)
    let timedOut = try machine.run(
      "coffer", "remote", "set", "--timeout", "1", "http://127.0.0.1:\(silent.port)/vault.git")
    #expect(timedOut.errors.contains("no answer within 1.0 seconds"), "\(timedOut)")
  }
}
