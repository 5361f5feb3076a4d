#if os(Linux)
  import Coffer
  import CofferAgent
  import CofferCrypto
  import CofferTestSupport
  import CofferTrust
  import CofferVault
  import Dispatch
  import Foundation
  import Testing

  /// The agent, with real processes.
  @Suite struct AgentTests {
    @Test func `After coffer unlock, commands ask for no passphrase, until coffer lock`() throws {
      let scene = try AgentScene()
      expectFailure(try scene.get(), 5, "there is no terminal to ask for this machine's passphrase on")
      #expect(try scene.unlock().hasPrefix("Unlocked 1 key until "))
      #expect(try scene.get().text == "hunter2")
      #expect(try scene.machine.coffer("set", "--group", AgentScene.group, "api", "joe", input: "secret") == "")
      #expect(try scene.machine.coffer("list", "--group", AgentScene.group).contains("joe"))
      #expect(try scene.machine.coffer("lock") == "Locked the agent, which had 1 key.")
      expectFailure(try scene.get(), 5, "there is no terminal to ask for this machine's passphrase on")
      // What was signed in the agent is as valid as what was signed here.
      let outcome = try scene.machine.run(
        "coffer", "get", "--passphrase-file", scene.passphrase, "--group", AgentScene.group, "api", "joe")
      #expect(outcome.text == "secret")
      #expect(try scene.machine.run("coffer", "check").exitCode == 0)
      #expect(try scene.machine.run("coffer", "get", "--app", AgentScene.group, "api", "joe").text == "secret")
    }

    @Test func `The entry with which the log becomes shorter is in it, and so are those of other threads`() async throws
    {
      let directory = try TemporaryDirectory()
      let folder = VaultFolder(URL(fileURLWithPath: directory.path, isDirectory: true))
      try Data(String(repeating: "no entry\n", count: 120_000).utf8)
        .write(to: URL(fileURLWithPath: folder.agentLogPath))
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<50 {
          group.addTask { AgentLog(of: folder).append(AgentLog.Entry(.locked, cause: "\(number)")) }
        }
      }
      #expect(try Set(AgentLog(of: folder).entries().compactMap(\.cause)) == Set((0..<50).map { "\($0)" }))
    }

    @Test func `A pipe that takes the place of a full log at any moment keeps no thread waiting`() throws {
      let machine = try Machine()
      let directory = machine.directory
      let folder = VaultFolder(URL(fileURLWithPath: directory.path, isDirectory: true))
      _ = try directory.write("full", String(repeating: "no entry\n", count: 120_000))
      let exchanging = try machine.start(
        "/usr/bin/python3",
        [
          "-c",
          """
          import os, sys
          full, pipe, new, log = sys.argv[1:]
          os.mkfifo(pipe)
          while True:
              for file in (full, pipe):
                  os.link(file, new)
                  os.rename(new, log)
          """, directory.path("full"), directory.path("pipe"), directory.path("new"), folder.agentLogPath,
        ])
      defer { exchanging.kill() }
      try waitUntil("the files are exchanged") { FileManager.default.fileExists(atPath: folder.agentLogPath) }
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        for number in 0..<300 { AgentLog(of: folder).append(AgentLog.Entry(.locked, cause: "\(number)")) }
        isDone.signal()
      }
      #expect(isDone.wait(timeout: .now() + 300) == .success)
      #expect(exchanging.isRunning)
    }

    @Test func `One passphrase unlocks the owner and a locked app`() throws {
      let scene = try AgentScene(isLocked: true)
      #expect(try scene.unlock().hasPrefix("Unlocked 2 keys"))
      #expect(try scene.machine.coffer("get", "--app", AgentScene.group, "api", "jane") == "hunter2")
      try scene.machine.coffer("lock")
      let locked = try scene.machine.run("coffer", "get", "--app", AgentScene.group, "api", "jane")
      expectFailure(locked, 5, "there is no terminal")
    }

    @Test func `A passphrase that a command asks for unlocks an agent that runs, and no other command starts one`()
      throws
    {
      let scene = try AgentScene()
      func typed() throws {
        let terminal = try PseudoTerminal(
          scene.machine, program: Machine.path(of: "coffer"), AgentScene.get)
        try terminal.await("Passphrase of laptop")
        terminal.type("correct horse\n")
        #expect(terminal.wait() == 0, "\(terminal.screen)")
      }
      try typed()
      #expect(try scene.agents().isEmpty)
      try scene.startAgent()
      try typed()
      #expect(try scene.get().text == "hunter2")
    }

    @Test func `The membership cannot be changed with the keys in the agent`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let outcome = try scene.machine.run("coffer", "app", "add", Machine.entitlements(of: "PhotoFree"))
      expectFailure(outcome, 5, "there is no terminal to ask for this machine's passphrase on")
    }

    @Test func `A vault without a passphrase never connects to the agent`() throws {
      let machine = try Machine.withExamples()
      try machine.coffer("set", "--group", AgentScene.group, "api", "jane", input: "hunter2")
      let listener = try machine.directory.write(
        "listen.py",
        """
        import os, socket, sys
        os.mkdir(sys.argv[1], 0o700)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(sys.argv[1] + "/agent")
        listener.listen(8)
        os.open(sys.argv[1] + "/ready", os.O_CREAT)
        listener.accept()
        os.open(sys.argv[1] + "/connected", os.O_CREAT)
        """)
      let program = try machine.start("/usr/bin/env", ["python3", listener, machine.directory.path("run")])
      defer { program.kill() }
      let folder = URL(fileURLWithPath: machine.directory.path("run"))
      try waitUntil("it listens") { FileManager.default.fileExists(atPath: folder.appending(path: "ready").path) }
      #expect(try machine.coffer("get", "--group", AgentScene.group, "api", "jane") == "hunter2")
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "connected").path))
      #expect(program.isRunning)
    }

    @Test func `The agent locks after its idle time`() throws {
      let scene = try AgentScene()
      try scene.unlock("--idle", "1s")
      try waitUntil("the agent is locked") { try scene.status()?.vaults.isEmpty == true }
      expectFailure(try scene.get(), 5, "there is no terminal")
      #expect(try scene.log().map(\.cause) == [nil, "idle"])
    }

    @Test func `Of agents that are started at once, one stays`() throws {
      let scene = try AgentScene()
      let programs = try (0..<4).map { _ in try scene.machine.start("coffer-agent", []) }
      defer { for program in programs { program.kill() } }
      try waitUntil("the others have ended") { programs.count(where: \.isRunning) == 1 }
      try scene.unlock()
      #expect(try scene.get().text == "hunter2")
      #expect(programs.count(where: \.isRunning) == 1)
    }

    @Test func `A killed agent leaves a socket that the next one replaces, and loses nothing`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      for process in try scene.agents() { kill(process, SIGKILL) }
      try waitUntil("the agent has ended") { try scene.agents().isEmpty }
      #expect(FileManager.default.fileExists(atPath: scene.socket))
      expectFailure(try scene.get(), 5, "there is no terminal")
      try scene.unlock()
      #expect(try scene.get().text == "hunter2")
    }

    @Test func `Eight clients at once read and write`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let programs = try (0..<8).map { number in
        try scene.machine.start(
          "coffer", ["set", "--group", AgentScene.group, "api", "user\(number)"], input: Data("value\(number)".utf8))
      }
      for program in programs { #expect(try program.wait().exitCode == 0) }
      let readers = try (0..<8).map { number in
        try scene.machine.start("coffer", ["get", "--group", AgentScene.group, "api", "user\(number)"])
      }
      for (number, reader) in readers.enumerated() { #expect(try reader.wait().text == "value\(number)") }
    }

    @Test func `A stopped agent holds up no command for longer than a moment, and coffer lock says how to end it`()
      throws
    {
      let scene = try AgentScene()
      try scene.unlock()
      let process = try #require(try scene.agents().first)
      kill(process, SIGSTOP)
      defer { kill(process, SIGCONT) }
      expectFailure(try scene.get(), 5, "there is no terminal")
      expectFailure(try scene.machine.run("coffer", "lock"), 1, "does not answer", "kill -KILL \(process)")
    }

    @Test
    func `After lock, neither the passphrase nor a key is in the memory of the agent, and the passphrase never is`()
      throws
    {
      let scene = try AgentScene(isLocked: true)
      try scene.unlock()
      #expect(try scene.get().text == "hunter2")
      let local = try LocalVault.open(VaultFolder(scene.machine.vault))
      let source = PassphraseSource { (_) throws(VaultError) in .init(copying: Array("correct horse".utf8)) }
      let seeds = try PassphraseKeys.open(in: local, passphrase: source).flatMap { opened in
        unsafe opened.keys.secret.withBytes { bytes in
          let digits = unsafe bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
          // Both halves: what signs, and what opens.
          return [String(digits.prefix(64)), String(digits.suffix(64))]
        }
      }
      #expect(seeds.count == 4)
      let memory = ProcessMemory(of: try #require(try scene.agents().first))
      for text in ["correct horse", "hunter2"] { #expect(try memory.count(of: text) == 0) }
      // While it is unlocked, the seeds are in no memory that a core dump has.
      for seed in seeds { #expect(try memory.counts(ofHexadecimal: seed).ordinary == 0) }
      try scene.machine.coffer("lock")
      for seed in seeds { #expect(try memory.counts(ofHexadecimal: seed) == (0, 0)) }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make a core of the agent"))
    func `A core that root makes after lock has no key, passphrase or key of a group that was served`() throws {
      let scene = try AgentScene(isLocked: true)
      try scene.unlock()
      #expect(try scene.get().text == "hunter2")
      #expect(try scene.machine.coffer("get", "--app", AgentScene.group, "api", "jane") == "hunter2")
      let local = try LocalVault.open(VaultFolder(scene.machine.vault))
      let membership = try local.publishedMembership()
      let source = PassphraseSource { (_) throws(VaultError) in .init(copying: Array("correct horse".utf8)) }
      var secrets = Set(["correct horse", "hunter2"].map { Data($0.utf8) })
      for (author, keys) in try PassphraseKeys.open(in: local, passphrase: source) {
        // Both halves: what signs, and what opens.
        unsafe keys.secret.withBytes { bytes in
          secrets.formUnion(unsafe [Data(bytes[..<32]), Data(bytes[32...])])
        }
        let held = HeldKeys(keys, of: author)
        for group in membership.groups.values where group.generations.contains(where: { $0.boxes[author] != nil }) {
          for secret in try held.groupSecrets(of: group).values {
            unsafe secret.withBytes { bytes in
              secrets.formUnion(unsafe [Data(bytes[..<32]), Data(bytes[32...])])
            }
          }
        }
      }
      #expect(secrets.count >= 10)
      let process = try #require(try scene.agents().first)
      try scene.machine.coffer("lock")
      let file = scene.machine.directory.path("core")
      // With the memory that a core normally lacks.
      try Command.run("gcore", "-a", "-o", file, "\(process)")
      let core = try Data(contentsOf: URL(fileURLWithPath: "\(file).\(process)"), options: .alwaysMapped)
      // From its environment.
      let folder = try #require(scene.machine.environment["COFFER_TEST_RUNTIME"])
      #expect(core.range(of: Data("COFFER_TEST_RUNTIME=\(folder)".utf8)) != nil, "it is the agent's")
      for secret in secrets { #expect(core.range(of: secret) == nil) }
    }

    @Test func `coffer why and coffer rotate dismiss use the agent`() throws {
      let scene = try AgentScene(isLocked: true)
      let why = ["why", AgentScene.group, "api", "jane"]
      let dismiss = ["rotate", "dismiss", "--all", "--yes", "--reason", "closed"]
      for command in [why, dismiss] { #expect(try scene.machine.start("coffer", command).wait().exitCode == 5) }
      try scene.unlock()
      for command in [why, dismiss] {
        let outcome = try scene.machine.start("coffer", command).wait()
        #expect(outcome.exitCode != 5, "\(outcome)")
      }
      #expect(try scene.machine.start("coffer", why).wait().text.contains("can"))
    }

    @Test func `The agent cannot be traced by other programs of its user, and leaves no core`() throws {
      let machine = try Machine()
      let folder = try TemporaryDirectory()
      try Command.run("chown", "65534", folder.path)
      let agent = try machine.start(
        "coffer-agent", [], environment: ["COFFER_TEST_RUNTIME": folder.path("run")],
        wrapper: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
      defer { agent.kill() }
      try waitUntil("the agent listens") { FileManager.default.fileExists(atPath: folder.path("run/agent")) }
      let limits = try String(contentsOfFile: "/proc/\(agent.processIdentifier)/limits", encoding: .utf8)
      #expect(limits.contains(/Max core file size +0 +0/))
      // The files of a process that is not dumpable belong to root, and its user cannot open them.
      let owner = try FileManager.default.attributesOfItem(atPath: "/proc/\(agent.processIdentifier)/mem")
      #expect(owner[.ownerAccountID] as? Int == 0)
      for name in ["mem", "environ", "maps"] {
        #expect(throws: SpawnedProgram.Failure.self) {
          try Command.run(
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "cat",
            "/proc/\(agent.processIdentifier)/\(name)")
        }
      }
    }

    @Test func `systemd accepts the units, and a socket that it hands over is used`() throws {
      let scene = try AgentScene()
      let text = try scene.machine.coffer("agent", "install", "--print")
      let folder = try TemporaryDirectory()
      for part in ("\n" + text).components(separatedBy: "\n# coffer-agent").dropFirst() {
        let end = try #require(part.firstIndex(of: "\n"))
        _ = try folder.write("coffer-agent" + part[..<end], String(part[end...].dropFirst()))
      }
      let names = ["coffer-agent.service", "coffer-agent.socket"]
      let complaints = try UnitCheck.complaints(about: names.map { folder.path($0) })
      #expect(complaints.isEmpty, "\(complaints)")

      try FileManager.default.createDirectory(
        atPath: scene.machine.directory.path("run"), withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
      let program = try scene.machine.start(
        "/usr/bin/systemd-socket-activate",
        ["--seqpacket", "--listen", scene.socket, "--setenv=COFFER_HOME", "--setenv=COFFER_TEST_RUNTIME"]
          + [Machine.path(of: "coffer-agent")])
      defer { program.kill() }
      try waitUntil("systemd listens") { FileManager.default.fileExists(atPath: scene.socket) }
      try scene.unlock()
      #expect(try scene.get().text == "hunter2")
    }
  }
#endif
