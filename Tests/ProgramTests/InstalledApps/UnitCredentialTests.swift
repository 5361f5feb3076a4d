#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// A headless credential that only a unit of systemd gets, and services with an account of their own.
  @Suite(.enabled(if: PrivateSystem.isAvailable, "only root can install apps, in a namespace with mounts of its own"))
  struct UnitCredentialTests {
    private let bundleID = InstalledScene.bundleID

    @Test func `An app of a strong group reads with a credential that was encrypted for its unit, without a variable`()
      throws
    {
      let scene = try InstalledScene(isInstalled: false)
      try scene.system.succeed(["git", "init", "--quiet", "--bare", "remote.git"], as: "alice")
      try scene.coffer("remote", "set", "/home/alice/remote.git")
      try scene.coffer("group", "require", "com.example.photo.purchases", "strong")
      let text = try scene.coffer(
        "device", "create", "--name", "unit", "--apps", bundleID, "--out", "-", "--for-unit")
      let sealed = "/etc/coffer.credential"
      try scene.system.succeed(
        ["systemd-creds", "encrypt", "--with-key=host", "--name=coffer", "-", sealed], input: text)
      #expect(try !scene.system.succeed(["cat", sealed]).contains(text.prefix(40)))
      // What systemd does before it starts the unit.
      let folder = "/run/credentials/photo.service"
      try scene.system.succeed(["mkdir", "-p", folder])
      try scene.system.succeed(["systemd-creds", "decrypt", "--name=coffer", sealed, "\(folder)/coffer"])
      try scene.system.succeed(["chown", "-R", "alice", folder])
      try scene.system.succeed(["chmod", "400", "\(folder)/coffer"])
      let variables = ["COFFER_REPOSITORY": "/home/alice/remote.git", "COFFER_LIBEXEC": "/usr/local/bin"]
      let unit = try scene.system.run(
        [InstalledScene.program], as: "alice", environment: variables.merging(["CREDENTIALS_DIRECTORY": folder]) { $1 })
      #expect(unit.text == "Photo Pro: all filters", "\(unit)")
      let plain = try scene.system.run(
        [InstalledScene.program], as: "alice",
        environment: variables.merging(["COFFER_CREDENTIAL_FILE": "\(folder)/coffer"]) { $1 })
      expectFailure(plain, 1, "requires that no other program", "LoadCredentialEncrypted=coffer")
      // Under another name it does not open.
      #expect(try scene.system.run(["systemd-creds", "decrypt", "--name=other", sealed, "-"]).exitCode != 0)
    }

    @Test
    func `A service with an account and a vault of its own meets a strong group, and an account of people does not`()
      throws
    {
      let scene = try InstalledScene(isInstalled: false)
      try scene.system.succeed(["git", "init", "--quiet", "--bare", "--shared=0666", "/home/remote.git"])
      try scene.system.succeed(["git", "config", "--system", "--add", "safe.directory", "*"])
      try scene.coffer("remote", "set", "/home/remote.git")
      try scene.coffer("sync")
      try scene.coffer("group", "require", "com.example.photo.purchases", "strong")
      try scene.system.succeed(
        ["useradd", "--system", "--create-home", "--user-group", "--shell", "/usr/sbin/nologin", "photod"])
      let key = try scene.system.succeed(["cat", "/home/alice/vault-key"])
      try scene.system.write(key, to: "/home/photod/key", as: "photod")
      try scene.system.succeed(["chmod", "600", "/home/photod/key"])
      try scene.system.succeed(
        [
          "/usr/local/bin/coffer", "clone", "--member", "--name", "photod", "--no-passphrase", "--vault-key-file",
          "key",
          "/home/remote.git",
        ], as: "photod")
      try scene.coffer("sync")
      let refused = try scene.system.run(
        ["/usr/local/bin/coffer", "app", "install", bundleID, "--on", "photod", "--passphrase-file", "passphrase"],
        as: "alice")
      #expect(refused.exitCode == 4 && refused.errors.contains("requires that no other program"), "\(refused)")
      try scene.coffer("app", "install", bundleID, "--on", "photod", "--own-account")
      let given = try scene.system.run(["/usr/local/bin/coffer", "app", "install", bundleID, "--user", "photod"])
      #expect(given.exitCode == 0, "\(given)")
      #expect(try scene.system.succeed([InstalledScene.program], as: "photod") == "Photo Pro: all filters")
      let list = try scene.system.succeed(["/usr/local/bin/coffer", "app", "list"], as: "photod")
      #expect(list.contains("by install"), "\(list)")

      let people = try scene.system.run(["/usr/local/bin/coffer", "app", "install", bundleID, "--user", "alice"])
      expectFailure(people, 2, "people can log in as alice", "useradd --system")
      let other = try scene.system.run(
        ["/usr/local/bin/coffer", "app", "install", "com.example.photo.free", "--user", "photod"])
      expectFailure(other, 2, "photod is used by \(bundleID)")
    }
  }
#endif
