#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// Programs with elevated privileges: the effective group is not the real one, as in a setgid program. The user who
  /// starts such a program chooses its environment.
  @Suite(.enabled(if: geteuid() == 0, "only root can start a program for another group"))
  struct ElevatedPrivilegesTests {
    private let elevated = ["setpriv", "--rgid=65534", "--keep-groups"]

    @Test func `COFFER_SSH and PATH do not choose the ssh of a program with elevated privileges`() throws {
      let machine = try Machine()
      try machine.makeVault()
      // Nothing listens on this port.
      try machine.coffer("remote", "set", "ssh://nobody@127.0.0.1:1/vault.git")
      let started = machine.directory.path("started")
      let folder = machine.directory.path("bin")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      let script = try machine.directory.writeScript("bin/ssh", "touch '\(started)'; exit 1")
      for variables in [["COFFER_SSH": script], ["PATH": "\(folder):/usr/bin:/bin"]] {
        func sync(_ wrapper: [String]) throws -> Machine.Outcome {
          try machine.run(
            "coffer-sync", "sync", "--vault", machine.vault.path, environment: variables, wrapper: wrapper)
        }
        #expect(try sync(elevated).exitCode == 7)
        #expect(!FileManager.default.fileExists(atPath: started), "\(variables)")
        #expect(try sync([]).exitCode == 7)
        #expect(FileManager.default.fileExists(atPath: started), "\(variables)")
        try FileManager.default.removeItem(atPath: started)
      }
    }

    @Test func `A setgid program deletes no drafts of keys, and moves none; its user's programs do`() throws {
      let machine = try Machine()
      try machine.makeVault()
      let draft = machine.vault.appending(path: "new-keys.draft/apps").path
      let moved = machine.vault.appending(path: "new-keys/apps").path
      let remote = machine.directory.path("remote.git")
      try Command.run("git", "init", "--quiet", "--bare", remote)
      try machine.coffer("remote", "set", remote)
      for folder in [draft, moved] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      let sync = try machine.run("coffer-sync", "sync", "--vault", machine.vault.path, wrapper: elevated)
      #expect(sync.exitCode == 0, "\(sync)")
      for folder in [draft, moved] { #expect(FileManager.default.fileExists(atPath: folder)) }
      #expect(try machine.run("coffer", "status").exitCode == 0)
      for folder in [draft, moved] { #expect(!FileManager.default.fileExists(atPath: folder)) }
    }

    @Test func `What a setgid program starts does not have its group`() throws {
      let machine = try Machine()
      try machine.makeVault()
      let remote = machine.directory.path("remote.git")
      try Command.run("git", "init", "--quiet", "--bare", remote)
      try machine.coffer("remote", "set", remote)
      let seen = machine.directory.path("seen")
      try machine.directory.writeScript("remote.git/hooks/pre-receive", "id --group > '\(seen)'")
      // The group of the file is root's, and that of the user is 65534.
      let outcome = try machine.run("coffer-sync", "sync", "--vault", machine.vault.path, wrapper: elevated)
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(try String(contentsOfFile: seen, encoding: .utf8) == "65534\n")
    }

    @Test(arguments: [true, false])
    func `PATH and git's variables choose the git only without elevated privileges`(isElevated: Bool) throws {
      let machine = try Machine()
      try machine.makeVault()
      let remote = machine.directory.path("remote.git")
      try Command.run("git", "init", "--quiet", "--bare", remote)
      try machine.coffer("remote", "set", remote)
      let folder = machine.directory.path("bin")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      func sync(_ variables: [String: String]) throws -> Machine.Outcome {
        try machine.run(
          "coffer-sync", "sync", "--vault", machine.vault.path, environment: variables,
          wrapper: isElevated ? elevated : [])
      }
      // The configuration names a hook, which git runs for a push.
      let started = machine.directory.path("started")
      try machine.directory.writeScript("bin/pre-receive", "touch '\(started)'")
      let configuration = try machine.directory.write("config", "[core]\n  hooksPath = \(folder)\n")
      let push = try sync(["GIT_CONFIG_GLOBAL": configuration])
      #expect(push.exitCode == 0, "\(push)")
      #expect(FileManager.default.fileExists(atPath: started) == !isElevated)

      try machine.directory.writeScript("bin/git", "exit 1")
      let outcome = try sync(["PATH": "\(folder):/usr/bin:/bin"])
      #expect((outcome.exitCode == 0) == isElevated, "\(outcome)")
    }
  }
#endif
