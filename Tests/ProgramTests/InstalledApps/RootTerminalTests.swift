#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// What a user's programs reach of root's terminal while root installs an app for the user.
  @Suite(.enabled(if: PrivateSystem.isAvailable, "only root can install apps, in a namespace with mounts of its own"))
  struct RootTerminalTests {
    private let program = InstalledScene.program
    private let bundleID = InstalledScene.bundleID

    /// What a shell of root can leave to `coffer`: a descriptor of its terminal (`exec 3>&1`), and a key in the kernel.
    private static let shell = """
      import ctypes, os, platform, sys
      os.dup2(1, 3)
      add_key, keyctl = {"x86_64": (248, 250), "aarch64": (217, 219)}[platform.machine()]
      libc = ctypes.CDLL(None)
      # A system can forbid keys: alice's programs have none then.
      libc.syscall(keyctl, 1, None)
      libc.syscall(add_key, b"user", b"coffer-key-of-root", b"secret", 6, -3)
      os.execv("/usr/local/bin/coffer", ["coffer"] + sys.argv[1:])
      """

    /// Runs `coffer app install` as `sudo` of alice does, with a terminal of root, in such a shell.
    private func terminal(_ scene: InstalledScene, _ arguments: String...) throws -> PseudoTerminal {
      let id = try scene.system.succeed(["id", "-u", "alice"])
      let wrapper = scene.system.machine.wrapper
      return try PseudoTerminal(
        scene.system.machine, program: wrapper[0],
        wrapper.dropFirst() + [
          "env", "-u", "COFFER_HOME", "COFFER_TEST_PASSPHRASE_COST=floor", "SUDO_UID=\(id)", "python3", "-c",
          Self.shell, "app", "install", bundleID,
        ] + arguments)
    }

    /// Alice's ssh: it writes down what it has of a terminal, it and the processes of alice that have started it.
    private static let proxy = """
      #!/usr/bin/python3
      import errno, fcntl, os, termios, time
      found = []
      try:
          os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
          found.append("opened /dev/tty")
      except OSError as error:
          found.append(errno.errorcode[error.errno])
      for number in os.listdir("/proc/self/fd"):
          try:
              if os.isatty(int(number)):
                  found.append("descriptor " + number)
                  fcntl.ioctl(int(number), termios.TIOCSTI, b"x")
                  found.append("typed")
          except OSError:
              pass
      if os.path.exists("/proc/keys") and "coffer-key-of-root" in open("/proc/keys").read():
          found.append("root's key")
      process = os.getpid()
      while True:
          fields = open(f"/proc/{process}/status").read()
          if f"Uid:\\t{os.getuid()}\\t" not in fields:
              break
          after = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
          if after[4] != "0":
              found.append("terminal of " + fields.split()[1])
          process = int(after[1])
      open("/home/alice/report", "w").write(" ".join(found))
      os.rename("/home/alice/report", "/home/alice/reported")
      while not os.path.exists("/home/alice/seen"):
          time.sleep(0.01)
      """

    /// Counts the descriptors of terminals that alice's programs in this system have.
    private static let terminalsOfAlice = """
      id=$(id -u alice) system=$(readlink /proc/self/ns/mnt)
      for process in /proc/[0-9]*; do
        [ "$(readlink "$process/ns/mnt")" = "$system" ] || continue
        ! grep -qs "^Uid:[[:space:]]*$id[[:space:]]" "$process/status" || readlink "$process"/fd/*
      done 2>/dev/null | grep -c ^/dev/pts/ || true
      """

    @Test func `No process of the user has a terminal, a descriptor of root's one, or a way to type into it`() throws {
      let scene = try InstalledScene(isInstalled: false)
      try scene.coffer("remote", "set", "ssh://vault.example/vault.git")
      try scene.system.write(Self.proxy, to: "/home/alice/proxy", as: "alice", isExecutable: true)
      try scene.system.succeed(["sh", "-c", "mkdir -m 700 .ssh"], as: "alice")
      try scene.system.write("Host *\n  ProxyCommand /home/alice/proxy\n", to: "/home/alice/.ssh/config", as: "alice")
      let terminal = try terminal(
        scene, "--setgid", program, "--passphrase-file", "/home/alice/passphrase")
      try waitUntil("alice's ssh has looked around") {
        try scene.system.run(["test", "-e", "/home/alice/reported"]).exitCode == 0
      }
      // What it cannot see: the descriptors of alice's programs that nobody may look into.
      let terminals = try scene.system.succeed(["sh", "-c", Self.terminalsOfAlice])
      #expect(terminals == "0")
      try scene.system.write("", to: "/home/alice/seen", as: "alice")
      #expect(terminal.wait() != 0)
      #expect(try scene.system.succeed(["cat", "/home/alice/reported"]) == "ENXIO")
      #expect(terminal.screen.contains("nothing was installed for alice"), "\(terminal.screen)")
    }

    @Test func `Root's process asks for the user's passphrase, again after a wrong one, and hides it`() throws {
      let scene = try InstalledScene(isInstalled: false)
      let terminal = try terminal(scene, "--setgid", program)
      try terminal.await("Passphrase of alice's vault: ")
      #expect(!terminal.echoes)
      terminal.type("wrong\n")
      try terminal.await("wrong passphrase")
      try terminal.await("Passphrase of alice's vault: ")
      terminal.type("right\n")
      try terminal.await("has a credential of alice that only this program can read.")
      #expect(terminal.wait() == 0)
      #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
    }

    @Test func `Without an answer, and without a terminal, nobody gets a credential, and the reason is named`() throws {
      let scene = try InstalledScene(isInstalled: false)
      let terminal = try terminal(scene, "--setgid", program)
      try terminal.await("Passphrase of alice's vault: ")
      terminal.type("\u{3}")
      #expect(terminal.wait() == 1)
      #expect(terminal.screen.contains("cancelled; nothing was changed"), "\(terminal.screen)")
      #expect(try scene.group() == "root")
      let id = try scene.system.succeed(["id", "-u", "alice"])
      let outcome = try scene.system.run(
        [
          "setsid", "--wait", "/usr/local/bin/coffer", "app", "install", bundleID, "--setgid", program, "--for",
          "alice",
        ], environment: ["SUDO_UID": id])
      #expect(outcome.exitCode != 0)
      #expect(try scene.group() == "root")
      #expect(outcome.errors.contains("there is no terminal") && outcome.errors.contains("--passphrase-file FILE"))
      #expect(try scene.system.run(["find", "\(InstalledScene.folder)/keys", "-type", "f"]).text == "")
    }
  }
#endif
