#if os(Linux)
  import CofferTestSupport
  import CofferVault
  import Foundation
  import Testing

  /// What another program of the user does to the process of the agent, to its socket, and to `coffer`.
  @Suite struct AgentProcessAttackTests {
    private static let attacks = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "InstalledApps/attacks.py")

    @Test(.enabled(if: geteuid() == 0, "root can do all of this: only root can be another user"))
    func `Memory, environment, descriptors and debuggers of the agent and of coffer are out of reach`() throws {
      let scene = try AgentScene()
      try Command.run("chown", "-R", "65534:65534", scene.machine.directory.path)
      scene.machine.wrapper = AgentScene.asOtherUser
      try scene.startAgent()
      try scene.unlock()
      let script = try scene.machine.directory.write("attacks.py", String(contentsOf: Self.attacks, encoding: .utf8))
      try Command.run("chmod", "644", script)
      func attack(_ arguments: String...) throws -> String {
        let outcome = try scene.machine.start("/usr/bin/python3", [script] + arguments).wait()
        #expect(outcome.exitCode == 0, "\(outcome)")
        return outcome.text
      }
      let agent = try #require(try scene.agents().first)
      #expect(try attack("--process", "\(agent)") == "")
      // It waits with the value in its memory.
      #expect(try attack(Machine.path(of: "coffer"), "get", "--group", AgentScene.group, "api", "jane") == "")
      // A program that does not protect itself shows that the attacks are real ones.
      #expect(try attack("/bin/sleep", "600").split(separator: " ").count >= 8)
    }

    @Test(.enabled(if: geteuid() == 0, "root can do all of this: only root can be another user"))
    func `A program that root has installed unreadable is out of reach before its first statement, and works`() throws {
      let machine = try Machine()
      let directory = machine.directory
      // What every program does for milliseconds, this one does until the other end of the pipe is closed.
      let gate = try directory.write(
        "gate.c",
        """
        #include <fcntl.h>
        #include <unistd.h>
        __attribute__((constructor)) static void await(void) {
          char byte;
          while (read(open("\(directory.path("pipe"))", O_RDONLY), &byte, 1) > 0) {}
        }
        """)
      try Command.run("clang", "-shared", "-fPIC", "-o", directory.path("gate.so"), gate)
      try Command.run("mkfifo", "-m", "666", directory.path("pipe"))
      let script = try directory.write("attacks.py", String(contentsOf: Self.attacks, encoding: .utf8))
      try Command.run("chmod", "-R", "a+rX", directory.path)
      let programs = ["coffer", "coffer-agent", "coffer-sync"]
      for program in programs {
        let path = directory.path("libexec/\(program)")
        try Command.run("install", "-D", "-s", "-m", "755", Machine.path(of: program), path)
        for (mode, isReached) in [("755", true), ("711", false)] {
          try Command.run("chmod", mode, path)
          let running = try machine.start(
            "/usr/bin/env", ["LD_PRELOAD=\(directory.path("gate.so"))", path, "--version"],
            wrapper: AgentScene.asOtherUser)
          defer { running.kill() }
          var pipe: Int32 = -1
          // It succeeds as soon as somebody reads.
          try waitUntil("\(program) has begun") {
            pipe = unsafe open(directory.path("pipe"), O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            return pipe >= 0
          }
          defer { close(pipe) }
          let attack = try machine.run(
            "/usr/bin/python3", script, "--process", "\(running.processIdentifier)", wrapper: AgentScene.asOtherUser)
          #expect(attack.exitCode == 0, "\(attack)")
          let worked = attack.text.split(separator: " ")
          #expect(isReached ? worked.count >= 8 : worked.isEmpty, "\(program), mode \(mode): \(attack)")
        }
      }
      try Command.run("chown", "65534:65534", directory.path)
      machine.wrapper = AgentScene.asOtherUser
      let passphrase = try directory.write("passphrase", "correct horse")
      try Command.run("chmod", "644", passphrase)
      let coffer = directory.path("libexec/coffer")
      for arguments in [
        ["init", "--name", "laptop", "--passphrase-file", passphrase, "--vault-key-file", directory.path("key")],
        ["unlock", "--passphrase-file", passphrase], ["sync", "--help"],
      ] {
        let outcome = try machine.start(coffer, arguments).wait()
        #expect(outcome.exitCode == 0, "\(outcome)")
      }
      let agents = try machine.processes(named: ["coffer-agent"])
      defer { for agent in agents { kill(agent, SIGKILL) } }
      #expect(agents.count == 1)
    }

    @Test func `A crash of the agent makes no core and starts no backtracer that a variable names`() throws {
      let scene = try AgentScene()
      let caught = scene.machine.directory.path("caught")
      let evil = try scene.machine.directory.writeScript("evil", "touch '\(caught)'")
      let variables = ["SWIFT_BACKTRACE": "enable=yes,swift-backtrace=\(evil)"]
      let agent = try scene.startAgent(environment: variables)
      try scene.unlock()
      kill(agent.processIdentifier, SIGSEGV)
      #expect(try agent.wait().signal == SIGSEGV)
      #expect(!FileManager.default.fileExists(atPath: caught))
    }

    @Test func `A client that is stopped holds up nobody`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let stopped = try scene.machine.start(
        "/usr/bin/python3",
        [
          "-c",
          """
          import os, signal, socket, sys
          connections = []
          for number in range(8):
              connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
              connection.connect(sys.argv[1])
              connection.send(bytes([2, 6]))
              # Half of the answers are not read.
              if number % 2: connection.recv(65536)
              connections.append(connection)
          os.open(sys.argv[2], os.O_CREAT)
          os.kill(os.getpid(), signal.SIGSTOP)
          """, scene.socket, scene.machine.directory.path("sent"),
        ])
      defer { stopped.kill() }
      try waitUntil("it has asked") {
        FileManager.default.fileExists(atPath: scene.machine.directory.path("sent"))
      }
      #expect(try scene.get().text == "hunter2")
      // Sooner than the agent gives up a client, unless the machine is that slow.
      try waitUntil("a lock does not wait for the client") {
        try scene.unlock()
        let start = ContinuousClock.now
        #expect(try scene.machine.coffer("lock").hasPrefix("Locked the agent"))
        return ContinuousClock.now - start < .seconds(5)
      }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can trace the agent"))
    func `A client whose arguments cannot be read holds up nobody else`() throws {
      let scene = try AgentScene()
      let agent = try scene.startAgent()
      try scene.unlock()
      let directory = scene.machine.directory
      let (ready, sent) = (directory.path("ready"), directory.path("sent"))
      let client = try scene.machine.start(
        "/usr/bin/python3",
        [
          "-c",
          """
          import os, socket, sys, time
          os.open(sys.argv[2], os.O_CREAT)
          while not os.path.exists(sys.argv[3]): time.sleep(0.02)
          connections = []
          # More than the agent reads at once, of one process and of all.
          for _ in range(100):
              connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
              connection.connect(sys.argv[1])
              try:
                  connection.send(bytes([2, 6]))
              except OSError:
                  pass
              connections.append(connection)
          os.open(sys.argv[4], os.O_CREAT)
          time.sleep(600)
          """, scene.socket, ready, directory.path("go"), sent,
        ])
      defer { client.kill() }
      try waitUntil("the client runs") { FileManager.default.fileExists(atPath: ready) }
      // Whoever opens the file with its arguments waits for ten minutes.
      let tracer = try scene.machine.start(
        "/usr/bin/strace",
        [
          "--follow-forks", "--attach=\(agent.processIdentifier)", "--output=/dev/null",
          "--trace-path=/proc/\(client.processIdentifier)/cmdline", "--inject=openat:delay_enter=600000000",
        ])
      defer { tracer.kill() }
      try waitUntil("the agent is traced") {
        try String(contentsOfFile: "/proc/\(agent.processIdentifier)/status", encoding: .utf8)
          .contains(/TracerPid:\t[1-9]/)
      }
      _ = try directory.write("go", "")
      try waitUntil("the client has asked") { FileManager.default.fileExists(atPath: sent) }
      let start = ContinuousClock.now
      for _ in 0..<2 { #expect(try scene.get().text == "hunter2") }
      #expect(try scene.machine.coffer("lock").hasPrefix("Locked the agent"))
      #expect(ContinuousClock.now - start < longestWait)
    }

    // MARK: The socket

    @Test(.enabled(if: geteuid() == 0, "only root can make a folder of another user"))
    func `No command connects in a folder of another user, or through a link`() throws {
      let scene = try AgentScene()
      let run = scene.machine.directory.path("run")
      let theirs = scene.machine.directory.path("theirs")
      let listener = try scene.machine.start(
        "/usr/bin/python3",
        [
          "-c",
          """
          import os, socket, sys
          os.mkdir(sys.argv[1], 0o700)
          listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
          listener.bind(sys.argv[1] + "/agent")
          listener.listen(8)
          os.chown(sys.argv[1], 65534, 65534)
          os.open(sys.argv[1] + ".ready", os.O_CREAT)
          listener.accept()
          os.open(sys.argv[1] + ".connected", os.O_CREAT)
          """, theirs,
        ])
      defer { listener.kill() }
      try waitUntil("it listens") { FileManager.default.fileExists(atPath: theirs + ".ready") }
      func expectUnused(_ place: String) throws {
        expectFailure(try scene.get(), 5, "there is no terminal")
        let unlock = try scene.machine.run("coffer", "unlock", "--passphrase-file", scene.passphrase)
        #expect(unlock.exitCode != 0 && unlock.errors.contains("only this user can open"), "\(place): \(unlock)")
        let doctor = try scene.machine.run("coffer", "doctor")
        #expect(doctor.text.contains("not one that only this user can open"), "\(place): \(doctor)")
        #expect(!FileManager.default.fileExists(atPath: theirs + ".connected"), "\(place)")
      }
      try FileManager.default.createSymbolicLink(atPath: run, withDestinationPath: theirs)
      try expectUnused("a link")
      try FileManager.default.removeItem(atPath: run)
      try FileManager.default.moveItem(atPath: theirs, toPath: run)
      try expectUnused("a folder of another user")
    }

    @Test
    func `A program that listens before the agent is displaced, unless it also holds the lock: then it gets the keys`()
      throws
    {
      let squatter = """
        import fcntl, os, socket, sys
        os.mkdir(sys.argv[1], 0o700)
        if sys.argv[2] == "lock":
            lock = os.open(sys.argv[1] + "/agent.lock", os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(sys.argv[1] + "/agent")
        listener.listen(8)
        os.open(sys.argv[1] + "/ready", os.O_CREAT)
        packet = b""
        while not packet:
            # Whoever only looks whether an agent runs sends nothing.
            connection, _ = listener.accept()
            packet = connection.recv(65536)
        open(sys.argv[1] + "/got", "w").write(str(packet[1]))
        connection.send(bytes([2, 1, 0, 0, 0, 1]))
        """
      for mode in ["socket", "lock"] {
        let scene = try AgentScene()
        let run = scene.machine.directory.path("run")
        let program = try scene.machine.start("/usr/bin/python3", ["-c", squatter, run, mode])
        defer { program.kill() }
        try waitUntil("it listens") { FileManager.default.fileExists(atPath: run + "/ready") }
        let unlock = try scene.machine.run("coffer", "unlock", "--passphrase-file", scene.passphrase)
        if mode == "socket" {
          #expect(unlock.exitCode == 0, "\(unlock)")
          #expect(try scene.get().text == "hunter2")
          #expect(!FileManager.default.fileExists(atPath: run + "/got"))
        } else {
          // 4 is the request with keys.
          #expect(try waitForFile(run + "/got") == "4")
        }
      }
    }
  }
#endif
