#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// An app whose program a package has installed for all users, and whose keys its user has sealed under the
  /// passphrase: the agent gives them to that program.
  @Suite(.enabled(if: PrivateSystem.isAvailable, "only root can install apps, in a namespace with mounts of its own"))
  struct LockedInstalledAppTests {
    private let program = InstalledScene.program
    private let bundleID = InstalledScene.bundleID

    private func makeSystem() throws -> AgentSystem {
      try AgentSystem { scene in
        try scene.coffer("app", "add", "--locked", "PhotoPro.entitlements")
        #expect(try scene.sudo("install", bundleID, "--setgid", program, "--program-only").exitCode == 0)
      }
    }

    @Test func `After coffer unlock it opens its vault without a change in it, and no other program gets its keys`()
      throws
    {
      let system = try makeSystem()
      #expect(try system.run(program).errors.contains("locked"))
      try system.scene.coffer("unlock")
      let opened = try system.run(program)
      #expect(opened.text == "Photo Pro: all filters", "\(opened)")
      #expect(try system.run(program, "buy").exitCode == 0)
      try system.scene.system.succeed(["cp", program, "copy"], as: "alice")
      #expect(try system.run("./copy").errors.contains("locked"))
      expectFailure(
        try system.run("/usr/local/bin/coffer", "get", "store.example.com", "photo-pro", "--app", bundleID), 5,
        "there is no terminal")
      // The owner, whose keys the agent has too, still reads it.
      let owner = try system.run(
        "/usr/local/bin/coffer", "get", "store.example.com", "photo-pro", "--group", "com.example.photo.purchases")
      #expect(owner.text.hasPrefix("coffer-receipt-1:"), "\(owner)")
      // Back in a sandbox without new privileges, it has no group.
      #expect(try system.run("setpriv", "--no-new-privs", program).errors.contains("locked"))
      try system.scene.coffer("lock")
      #expect(try system.run(program).errors.contains("locked"))
    }

    @Test func `A program that was replaced, and a member of its group, get no keys`() throws {
      let system = try makeSystem()
      try system.scene.coffer("unlock")
      #expect(try system.run(program).exitCode == 0)
      let group = try system.scene.group()
      try system.scene.system.succeed(["gpasswd", "--add", "alice", group])
      expectFailure(try system.run(program), 1, "users are members of")
      try system.scene.system.succeed(["gpasswd", "--delete", "alice", group])
      // Another file with the group and the mode.
      try system.scene.system.succeed(["sh", "-c", "cp -p \(program) other && mv other \(program)"])
      expectFailure(try system.run(program), 1, "is not the one that was installed")
    }

    @Test func `While the record of its program cannot be read, no program gets the keys`() throws {
      let system = try makeSystem()
      try system.scene.coffer("unlock")
      try system.scene.system.succeed(["cp", program, "copy"], as: "alice")
      let record = "/var/lib/coffer/apps/\(bundleID)/program"
      func change(_ command: String) throws { try system.scene.system.succeed(["sh", "-c", command]) }
      for (damage, restore) in [
        ("cp -p \(record) \(record).former && echo damaged > \(record)", "cat \(record).former > \(record)"),
        ("chown alice \(record)", "chown root \(record)"),
      ] {
        try change(damage)
        expectFailure(try system.run("./copy"), 1, "locked")
        try change(restore)
        #expect(try system.run(program).exitCode == 0, "\(restore)")
      }
    }

    @Test func `A credential file without a passphrase does not make another user's program of it`() throws {
      let scene = try InstalledScene(isInstalled: false)
      #expect(try scene.sudo("install", bundleID, "--setgid", program, "--program-only").exitCode == 0)
      expectFailure(
        try scene.system.run([program], as: "alice"), 1, "this user has no credential of it", "sudo coffer app install")
    }

    @Test func `A group that requires an installation refuses it as it refuses every file`() throws {
      let system = try makeSystem()
      try system.scene.coffer("unlock")
      try system.scene.coffer("group", "require", "com.example.photo.purchases", "strong")
      expectFailure(try system.run(program), 1, "requires that no other program of the user can read the keys")
    }
  }
#endif
