#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// What other programs of the same user try with an installed app, and with one that has a credential file.
  @Suite(.enabled(if: PrivateSystem.isAvailable, "only root can install apps, in a namespace with mounts of its own"))
  struct InstalledAppAttackTests {
    private let program = InstalledScene.program
    private let bundleID = InstalledScene.bundleID
    private let scene: InstalledScene

    init() throws { scene = try InstalledScene.shared() }

    private func run(_ command: String..., environment: [String: String] = [:]) throws -> Machine.Outcome {
      try scene.system.run(command, as: "alice", environment: environment)
    }

    private func expectReads(_ outcome: Machine.Outcome, at location: SourceLocation = #_sourceLocation) {
      #expect(outcome.text == "Photo Pro: all filters", "\(outcome)", sourceLocation: location)
    }

    @Test func `A third program that copies every file of the app reads nothing`() throws {
      for path in [try scene.credential(), "\(InstalledScene.folder)/keys"] {
        let outcome = try run("cat", path)
        #expect(outcome.exitCode == 1, "\(outcome)")
      }
      let keys = (try scene.credential() as NSString).deletingLastPathComponent
      #expect(try run("ls", keys).errors.contains("Permission denied"))
      #expect(try run("cp", "--recursive", InstalledScene.folder, "copied").errors.contains("Permission denied"))
      #expect(try run("mv", keys, keys + ".moved").exitCode == 1)
      // Its program, with the whole vault.
      try scene.system.succeed(["cp", "--preserve=all", program, "copy"], as: "alice")
      #expect(try scene.system.succeed(["stat", "--format", "%a", "copy"], as: "alice") == "755")
      expectFailure(try run("./copy"), 1, "only \(program) can read its keys", "does not have its group")
      let owned = try run("/usr/local/bin/coffer", "get", "store.example.com", "photo-pro", "--app", bundleID)
      expectFailure(owned, 4, "only \(program) can read its keys")
      expectReads(try run(program))
    }

    @Test func `Without the installation it reads them, and the app list has said so`() throws {
      let scene = try InstalledScene(isInstalled: false)
      #expect(
        try scene.coffer("app", "list").split(separator: "\n").contains {
          $0.contains(bundleID) && $0.contains("by credential file only")
        })
      let read = try scene.system.run(
        ["/usr/local/bin/coffer", "get", "store.example.com", "photo-pro", "--app", bundleID], as: "alice")
      #expect(read.text.hasPrefix("coffer-receipt-1:"), "\(read)")
      try scene.system.succeed(["cp", program, "copy"], as: "alice")
      expectReads(try scene.system.run(["./copy"], as: "alice"))
    }

    @Test func `LD_PRELOAD, LD_AUDIT and LD_LIBRARY_PATH put nothing into it`() throws {
      let source =
        "#include <unistd.h>\n__attribute__((constructor)) static void f(void) { write(2, \"loaded\", 6); }\n"
      let directory = try TemporaryDirectory()
      let file = try directory.write("preload.c", source)
      try Command.run("clang", "-shared", "-fPIC", "-o", directory.path("preload.so"), file)
      try scene.system.succeed(["cp", directory.path("preload.so"), "/home/alice/preload.so"])
      try scene.system.succeed(["cp", program, "plain"], as: "alice")
      let variables = ["LD_PRELOAD": "/home/alice/preload.so"]
      #expect(try run("./plain", environment: variables).errors.hasPrefix("loaded"))
      for name in ["LD_PRELOAD", "LD_AUDIT"] {
        let outcome = try run(program, environment: [name: "/home/alice/preload.so"])
        // ld.so mentions an object that it does not preload; the shell's env has loaded it before.
        #expect(outcome.text == "Photo Pro: all filters", "\(outcome)")
        #expect(!outcome.errors.hasSuffix("loaded"), "\(outcome)")
      }
      try scene.system.succeed(["sh", "-c", "mkdir -p lib && cp preload.so lib/libsodium.so.23"], as: "alice")
      expectReads(try run("env", "LD_LIBRARY_PATH=/home/alice/lib", program))
    }

    @Test func `Memory, environment, descriptors and debuggers of the running app are out of reach`() throws {
      let script = try String(
        contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "attacks.py"),
        encoding: .utf8)
      try scene.system.write(script, to: "/home/alice/attacks.py", as: "alice")
      #expect(try scene.system.succeed(["/usr/bin/python3", "attacks.py", program], as: "alice") == "")
      // The same with a program without a group of its own: it shows that the attacks are real ones.
      let other = try InstalledScene(isInstalled: false)
      try other.system.write(script, to: "/home/alice/attacks.py", as: "alice")
      let worked = try other.system.succeed(["/usr/bin/python3", "attacks.py", program], as: "alice")
      #expect(worked.split(separator: " ").count >= 8, "\(worked)")
    }

    @Test func `Under a debugger, without new privileges and in a user namespace it has no group and no key`() throws {
      for wrapper in [
        ["setpriv", "--no-new-privs"], ["unshare", "--user", "--map-current-user"],
        ["unshare", "--user", "--map-root-user"],
        ["strace", "-f", "-o", "/dev/null"],
      ] {
        let outcome = try scene.system.run(wrapper + [program], as: "alice")
        #expect(outcome.exitCode == 1, "\(wrapper): \(outcome)")
        #expect(!outcome.text.contains("all filters"), "\(wrapper): \(outcome)")
      }
      let debugged = try run("gdb", "-batch", "-nx", "-ex", "run", "-ex", "info proc", program)
      #expect(!debugged.text.contains("all filters"), "\(debugged)")
    }

    @Test func `Coffer's variables and those of Swift do not reach it`() throws {
      let variables = [
        "COFFER_HOME": "/home/alice/elsewhere", "COFFER_VAULT": ":memory:", "COFFER_CREDENTIAL_FILE": "/etc/passwd",
        "COFFER_ENTITLEMENTS": "/etc/passwd", "XDG_DATA_HOME": "/home/alice/elsewhere", "HOME": "/home/alice/elsewhere",
        "SWIFT_BACKTRACE": "enable=yes,swift-backtrace=/home/alice/evil",
      ]
      let words = variables.map { "\($0)=\($1)" }
      expectReads(try scene.system.run(["env"] + words + [program], as: "alice"))
      let plain = try scene.system.run(["env"] + words + ["/usr/local/apps/PhotoFree"], as: "alice")
      #expect(plain.exitCode == 1, "\(plain)")
    }

    @Test func `A crash makes no core and starts no backtracer that a variable names`() throws {
      try scene.system.write(
        "#!/bin/sh\ntouch /home/alice/caught\n", to: "/home/alice/evil", as: "alice", isExecutable: true)
      // The program ends by the signal when it waits for the full pipe.
      let crash = """
        import os, signal, subprocess, sys, time
        r, w = os.pipe()
        os.set_blocking(w, False)
        try:
            while True: os.write(w, b"x" * 4096)
        except BlockingIOError: pass
        os.set_blocking(w, True)
        child = subprocess.Popen([sys.argv[1]], stdout=w, cwd="/home/alice")
        while open(f"/proc/{child.pid}/comm").read().strip() != "PhotoPro": time.sleep(0.01)
        while open(f"/proc/{child.pid}/stat").read().split()[2] != "S": time.sleep(0.01)
        child.send_signal(signal.SIGSEGV)
        print(-child.wait(), any(n.startswith("core") for n in os.listdir("/home/alice")))
        """
      try scene.system.write(crash, to: "/home/alice/crash.py", as: "alice")
      let outcome = try scene.system.run(
        ["sh", "-c", "ulimit -c unlimited; exec /usr/bin/python3 crash.py \(program)"], as: "alice",
        environment: ["SWIFT_BACKTRACE": "enable=yes,swift-backtrace=/home/alice/evil"])
      #expect(outcome.text == "11 False", "\(outcome)")
      #expect(try run("test", "-e", "caught").exitCode == 1)
    }

    @Test func `A vault whose files lead to the credential does not make the app write or tell it`() throws {
      let scene = try InstalledScene()
      let credential = try scene.credential()
      let vault = "/home/alice/.local/share/coffer/vaults/default"
      let before = try scene.system.succeed(["sha256sum", credential])
      for file in ["store.sqlite", "store.sqlite-wal", "store-stamp", "device", "sync-health"] {
        try scene.system.succeed(
          ["sh", "-c", "cp -a \(vault) kept && ln -sf \(credential) \(vault)/\(file)"], as: "alice")
        let outcome = try scene.system.run([program, "buy"], as: "alice")
        #expect(!(outcome.text + outcome.errors).contains("CfCr"), "\(file): \(outcome)")
        #expect(try scene.system.succeed(["sha256sum", credential]) == before || outcome.exitCode == 0, "\(file)")
        #expect(try scene.system.succeed(["head", "-c", "4", credential]) == "CfCr", "\(file): \(outcome)")
        try scene.system.succeed(["sh", "-c", "rm -rf \(vault) && mv kept \(vault)"], as: "alice")
      }
      #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
    }

    /// Puts a rollback journal beside alice's store that has SQLite delete a file.
    private func plantJournal(deleting victim: String, in scene: InstalledScene) throws {
      let store = "/home/alice/.local/share/coffer/vaults/default/store.sqlite"
      let pages = try scene.system.succeed(["sh", "-c", "expr $(stat --format %s \(store)) / 4096"])
      let file = scene.system.machine.directory.path("journal")
      try RollbackJournal.deleting(victim, besideDatabaseWithPages: UInt32(pages) ?? 0)
        .write(to: URL(fileURLWithPath: file))
      try scene.system.succeed(["install", "-o", "alice", "-m", "600", file, "\(store)-journal"])
    }

    @Test func `A journal beside the store does not make the app delete its credential, nor root any file`() throws {
      let scene = try InstalledScene()
      let credential = try scene.credential()
      try plantJournal(deleting: credential, in: scene)
      let outcome = try scene.system.run([program, "buy"], as: "alice")
      expectFailure(outcome, 1, "store.sqlite-journal", "no store has a rollback journal")
      #expect(try scene.system.succeed(["head", "-c", "4", credential]) == "CfCr")
      let journal = "/home/alice/.local/share/coffer/vaults/default/store.sqlite-journal"
      try scene.system.succeed(["rm", journal], as: "alice")
      #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
      // Root with the home of alice: her vault is not root's, whatever is beside it.
      try scene.system.succeed(["sh", "-c", "echo root > /usr/local/victim"])
      try plantJournal(deleting: "/usr/local/victim", in: scene)
      for journal in ["there", "gone"] {
        let outcome = try scene.system.run(
          ["/usr/local/bin/coffer", "list"], environment: ["HOME": "/home/alice", "XDG_DATA_HOME": ""])
        expectFailure(outcome, 1, "belongs to another user", "sudo -H -u '#")
        #expect(try scene.system.succeed(["cat", "/usr/local/victim"]) == "root", "\(journal)")
        try scene.system.succeed(["sh", "-c", "rm -f /home/alice/.local/share/coffer/vaults/default/*-journal"])
      }
    }

    @Test func `Root moves and deletes no keys in a folder that a user can exchange for another one`() throws {
      let system = try PrivateSystem()
      try system.addUser("alice")
      for (home, stays) in [("/home/alice/root", true), ("/usr/local/root", false)] {
        let variables = ["COFFER_HOME": home]
        let coffer = "/usr/local/bin/coffer"
        try system.succeed(
          [coffer, "init", "--name", "laptop", "--no-passphrase", "--vault-key-file", "\(home)-key"],
          environment: variables)
        let folders = ["new-keys.draft", "new-keys"].map { "\(home)/vaults/default/\($0)" }
        try system.succeed(["mkdir", "-m", "700"] + folders)
        try system.succeed([coffer, "status"], environment: variables)
        for folder in folders {
          #expect(try system.run(["test", "-e", folder]).exitCode == (stays ? 0 : 1), "\(folder)")
        }
      }
    }
  }
#endif
