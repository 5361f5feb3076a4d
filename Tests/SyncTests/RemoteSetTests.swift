import CofferTestSupport
import Foundation
import Testing

@Suite struct RemoteSetTests {
  private func machine() throws -> Machine {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    return machine
  }

  /// Returns a repository with a commit of something else at a reference.
  private func foreignRemote(at reference: String) throws -> TemporaryRemote {
    let remote = try TemporaryRemote()
    try remote.git("update-ref", reference, remote.git("commit-tree", "-m", "x", remote.git("mktree")))
    return remote
  }

  // MARK: Repositories of something else

  @Test(arguments: [
    ("refs/heads/master", "the branch master"), ("refs/heads/main", "the branch main"),
    ("refs/tags/1.0", "the tag 1.0"),
  ])
  func `A repository of something else is refused when it is set and when it is synced`(
    reference: String, words: String
  ) throws {
    let machine = try machine()
    let remote = try foreignRemote(at: reference)
    let before = try remote.git("for-each-ref")
    func expectRefusal(_ outcome: Machine.Outcome) throws {
      #expect(outcome.exitCode == 6 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("\(remote.path) is not free for a vault: it has \(words) of something else"))
      #expect(outcome.errors.contains("coffer remote set --force \(remote.path)\n"), "\(outcome)")
      #expect(try remote.git("for-each-ref") == before)
    }
    try expectRefusal(try machine.run("coffer", "remote", "set", remote.path))
    #expect(try machine.run("coffer", "remote", "show").exitCode == 3)

    // If something else comes into it later, the sync finds out.
    try FileManager.default.moveItem(atPath: remote.path, toPath: remote.path + ".away")
    try Command.run("git", "init", "--quiet", "--bare", remote.path)
    #expect(try machine.run("coffer", "remote", "set", remote.path).exitCode == 0)
    try FileManager.default.removeItem(atPath: remote.path)
    try FileManager.default.moveItem(atPath: remote.path + ".away", toPath: remote.path)
    try expectRefusal(try machine.run("coffer", "sync"))
    let clone = try Machine().run(
      "coffer", "clone", "--no-passphrase", "--vault-key-file", machine.directory.path("vault-key"), remote.path)
    #expect(
      clone.exitCode == 6 && clone.errors.contains("contains no vault but \(words) of something else"), "\(clone)")
  }

  @Test func `--force shares a repository, now and later, and leaves its branches alone`() throws {
    let machine = try machine()
    let remote = try foreignRemote(at: "refs/heads/master")
    let master = try remote.git("rev-parse", "refs/heads/master")
    try machine.coffer("remote", "set", "--force", remote.path)
    try machine.set("a", "1")
    #expect(try machine.coffer("sync").hasPrefix("Synced: 1 item, "))
    #expect(
      try remote.git("for-each-ref", "--format=%(refname)").split(separator: "\n")
        == ["refs/heads/master", "refs/heads/vault-1"])
    #expect(try remote.git("rev-parse", "refs/heads/master") == master)
    // The choice lasts as long as the remote.
    try remote.git("update-ref", "refs/heads/feature", master)
    try remote.git("update-ref", "-d", "refs/heads/vault-1")
    let restored = try machine.run("coffer", "sync")
    #expect(restored.exitCode == 6 && restored.errors.contains("has lost the vault's branch"), "\(restored)")
    #expect(try machine.coffer("sync").hasPrefix("Up to date: 1 item, "))
    let other = try foreignRemote(at: "refs/heads/master")
    #expect(try machine.run("coffer", "remote", "set", other.path).exitCode == 6)
    #expect(try machine.coffer("remote", "show") == remote.path)
  }

  @Test func `A repository that has only the README of a vault is free: a first sync may be interrupted`() throws {
    let machine = try machine()
    let remote = try TemporaryRemote()
    try machine.coffer("remote", "set", remote.path)
    try machine.sync()
    try remote.git("update-ref", "-d", "refs/heads/vault-1")
    #expect(try remote.git("for-each-ref", "--format=%(refname)") == "refs/heads/main")
    let other = try self.machine()
    #expect(try other.coffer("remote", "set", remote.path).hasPrefix("The remote is \(remote.path)."))
    #expect(try other.coffer("sync").hasPrefix("Synced: 0 items, "))
  }

  // MARK: Passwords

  @Test(arguments: [["remote", "set"], ["clone", "--no-passphrase", "--vault-key-file"]])
  func `No process has the password of the URL in its arguments while the remote is asked`(command: [String]) throws {
    let machine = try machine()
    if command[0] == "clone" { try FileManager.default.removeItem(at: machine.vault) }
    let server = try ScriptedServer(answer: [], isSilent: true)
    let url = "http://me:hidden%2Fpassword@127.0.0.1:\(server.port)/vault.git"
    let key = command[0] == "clone" ? [machine.directory.path("vault-key")] : []
    let program = try machine.start("coffer", command + key + ["--timeout", "1000", url])
    func lines() throws -> [String] {
      try machine.processes().map { process in
        let bytes = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
        return String(decoding: bytes, as: UTF8.self).replacing("\0", with: " ")
      }
    }
    try waitUntil("the remote is asked") { try lines().contains { $0.contains("coffer-transport") } }
    let all = try lines()
    #expect(all.contains { $0.contains("http://me:*****************@127.0.0.1") }, "\(all)")
    #expect(!all.contains { $0.contains("hidden") }, "\(all)")
    kill(program.processIdentifier, SIGINT)
    #expect(try program.wait().exitCode == 130)
  }

  // MARK: Remotes that cannot be reached

  @Test func `A remote that cannot be reached is set with a note that it was not checked`() throws {
    let machine = try machine()
    let closed = try ClosedPort()
    let port = closed.number
    for (url, part) in [
      ("ssh://me@127.0.0.1:\(port)/v.git", "Connection refused; try: ssh -p \(port) me@127.0.0.1"),
      ("http://127.0.0.1:\(port)/v.git", "check the URL, the network and the proxy"),
      ("git://127.0.0.1:\(port)/v.git", "check the URL and the network"),
    ] {
      let outcome = try machine.run("coffer", "remote", "set", url)
      #expect(outcome.exitCode == 0 && outcome.text == "The remote is \(url). Next: coffer sync", "\(outcome)")
      #expect(outcome.errors.hasPrefix("The remote was not checked: "), "\(outcome)")
      #expect(outcome.errors.contains(part), "\(outcome)")
      #expect(try machine.coffer("remote", "show") == url)
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 7 && sync.errors.contains(part), "\(sync)")
    }
  }

  // MARK: Remotes that answer and cannot be used

  @Test func `A path without a repository does not replace a remote that works`() throws {
    let machine = try machine()
    let remote = try TemporaryRemote()
    try machine.coffer("remote", "set", remote.path)
    let absent = machine.directory.path("absent vault.git")
    let advice = "check the path, or create a repository with: git init --bare '\(absent)'"
    let outcome = try machine.run("coffer", "remote", "set", absent)
    #expect(outcome.exitCode == 7 && outcome.output.isEmpty, "\(outcome)")
    let force = "to set the remote all the same, add --force"
    #expect(outcome.errors == "coffer: the remote is not set: no git repository at \(absent); \(advice); \(force)\n")
    #expect(try machine.coffer("remote", "show") == remote.path)

    let forced = try machine.run("coffer", "remote", "set", "--force", absent)
    #expect(forced.exitCode == 0 && forced.text == "The remote is \(absent). Next: coffer sync", "\(forced)")
    #expect(forced.errors == "The remote has a fault: no git repository at \(absent); \(advice)\n")
    let sync = try machine.run("coffer", "sync")
    #expect(sync.exitCode == 7 && sync.errors.contains(advice), "\(sync)")
    try Command.run("git", "init", "--quiet", "--bare", absent)
    #expect(try machine.run("coffer", "remote", "set", absent).errors.isEmpty)
  }

  @Test func `A server with a wrong certificate, password or path does not replace a remote that works`() throws {
    let machine = try machine()
    let remote = try TemporaryRemote()
    try machine.coffer("remote", "set", remote.path)
    try machine.directory.write(".gitconfig", "[credential]\n\thelper = store\n")
    let authority = try CertificateAuthority()
    var options = GitHTTPServer.Options()
    options.login = ("me", "right")
    options.identity = try authority.identity(for: "127.0.0.1", isExpired: true)
    let expired = try GitHTTPServer(options: options)
    options.identity = try authority.identity(for: "127.0.0.1")
    let server = try GitHTTPServer(options: options)
    try server.makeRepository()
    let trusted = ["--ca-file", authority.certificate]
    func url(_ password: String, _ path: String = "vault.git") -> String {
      server.url(path).replacing("https://", with: "https://me:\(password)@")
    }
    for (arguments, words) in [
      ([url("right")], "of an unknown authority"),
      (trusted + [expired.url("vault.git")], "has expired"),
      (trusted + [url("wrong")], "the server refuses the password"),
      (trusted + [url("right", "other.git")], "no git repository at"),
    ] {
      let outcome = try machine.start("coffer", ["remote", "set"] + arguments).wait()
      #expect(outcome.exitCode == 7 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("the remote is not set: ") && outcome.errors.contains(words), "\(outcome)")
      #expect(try machine.coffer("remote", "show") == remote.path)
    }
    let right = try machine.start("coffer", ["remote", "set"] + trusted + [url("right")]).wait()
    #expect(right.exitCode == 0, "\(right)")
    #expect(try machine.coffer("remote", "show").hasPrefix(server.url("vault.git", user: "me")))
  }

  @Test func `After a wrong host key or login, the advice is the ssh command that shows it`() throws {
    let server = try SSHServer()
    let url = "ssh://\(server.user)@127.0.0.1:\(server.port)/srv/v.git"
    for (configuration, words) in [
      (server.clientConfigurationWithWrongHostKey, "the host key is unknown or has changed; the remote said: "),
      (server.clientConfigurationWithWrongKey, "the server refused the login; the remote said: "),
    ] {
      let machine = try machine()
      machine.environment["COFFER_SSH_CONFIG"] = configuration
      let advice = "try: ssh -F \(configuration) -p \(server.port) \(server.user)@127.0.0.1"
      let refused = try machine.run("coffer", "remote", "set", url)
      #expect(refused.exitCode == 7 && refused.errors.contains(words), "\(refused)")
      #expect(refused.errors.contains(advice), "\(refused)")
      #expect(try machine.run("coffer", "remote", "show").exitCode == 3)
      try machine.coffer("remote", "set", "--force", url)
      let outcome = try machine.run("coffer", "sync")
      #expect(outcome.exitCode == 7 && outcome.errors.contains(words), "\(outcome)")
      #expect(outcome.errors.hasSuffix("\(advice)\n"), "\(outcome)")
    }
  }

  @Test func `clone of a path without a repository says so, and does not advise to create one`() throws {
    let machine = try machine()
    let key = machine.directory.path("vault-key")
    let other = try Machine()
    for (path, shown) in [("../none.git", "none.git"), ("none.git", "here/none.git")] {
      let here = other.directory.path("here")
      try FileManager.default.createDirectory(atPath: here, withIntermediateDirectories: true)
      let outcome = try other.run(
        "coffer", "clone", "--no-passphrase", "--vault-key-file", key, path, wrapper: ["env", "--chdir=\(here)"])
      #expect(outcome.exitCode == 7)
      let physical = try Command.run("realpath", other.directory.path)
      #expect(outcome.errors == "coffer: no git repository at \(physical)/\(shown); check the path\n", "\(outcome)")
    }
  }

  // MARK: Relative paths

  @Test(arguments: ["./v.git", "v.git", "../work/v.git", "~/work/v.git", "FILE"])
  func `A path that depends on where it is typed is stored as the one that it means`(text: String) throws {
    let machine = try machine()
    let folder = machine.directory.path("work")
    let elsewhere = ["env", "--chdir=/"]
    let here = ["env", "--chdir=\(folder)"]
    try Command.run("git", "init", "--quiet", "--bare", folder + "/v.git")
    let physical = try Command.run("realpath", folder + "/v.git")
    let url = text == "FILE" ? "file://\(physical)" : text
    let stored = text == "FILE" ? url : text.hasPrefix("~") ? folder + "/v.git" : physical
    let set = try machine.run("coffer", "remote", "set", url, wrapper: here)
    #expect(set.exitCode == 0 && set.text == "The remote is \(stored). Next: coffer sync", "\(set)")
    #expect(set.errors.isEmpty)
    let sync = try machine.run("coffer", "sync", wrapper: elsewhere)
    #expect(sync.exitCode == 0, "\(sync)")

    let other = try Machine()
    other.environment["HOME"] = machine.directory.path
    let clone = try other.run(
      "coffer", "clone", "--no-passphrase", "--vault-key-file", machine.directory.path("vault-key"), url, wrapper: here)
    #expect(clone.exitCode == 0, "\(clone)")
    #expect(try other.coffer("remote", "show") == stored)
    #expect(try other.run("coffer", "sync", wrapper: elsewhere).exitCode == 0)
  }
}
