#if os(Linux)
  import Coffer
  import CofferAgent
  import CofferCrypto
  import CofferFormat
  import CofferTestSupport
  import CofferTrust
  import CofferVault
  import Foundation
  import Testing

  /// Hostile clients of the agent, as real processes.
  @Suite struct AgentAttackTests {
    @Test func `Silent connections, however many, keep no other client out`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let holder = try scene.machine.start(
        "/usr/bin/env",
        [
          "python3", "-c",
          """
          import os, socket, sys, time
          held = []
          for _ in range(1000):
              connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
              connection.setblocking(False)
              try:
                  connection.connect(sys.argv[1])
              except BlockingIOError:
                  time.sleep(0.002)
              held.append(connection)
          os.open(sys.argv[2], os.O_CREAT)
          time.sleep(600)
          """, scene.socket, scene.machine.directory.path("held"),
        ])
      defer { holder.kill() }
      _ = try waitForFile(scene.machine.directory.path("held"))
      for _ in 0..<5 { #expect(try scene.get().text == "hunter2") }
    }

    @Test func `A pipe in place of a file of the vault's folder delays no later lock`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let agent = try #require(try scene.agents().first)
      let folder = VaultFolder(scene.machine.vault)
      try FileManager.default.removeItem(atPath: folder.agentLogPath)
      for path in [scene.machine.vault.appending(path: "inspect.lock").path, folder.agentLogPath] {
        try Command.run("mkfifo", path)
      }
      for attempt in 1...3 {
        try scene.unlock()
        kill(agent, SIGUSR1)
        try waitUntil("lock \(attempt) has dropped the keys") { try scene.status()?.vaults.isEmpty == true }
      }
    }

    @Test func `While requests of one program wait on every connection, the agent is locked all the same`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let copy = scene.machine.directory.path("copy")
      try Command.run("cp", "-a", scene.machine.vault.path, copy)
      let answers = try scene.attack(
        """
        import fcntl
        folder = \(scene.python(copy))
        # The bytes that SQLite locks before it reads: the agent waits for half a minute.
        store = open(folder + "/store.sqlite", "r+b")
        fcntl.lockf(store, fcntl.LOCK_EX, 512, 0x40000000)
        packet = bytes([2, 4]) + struct.pack(">I", len(folder)) + folder.encode() + bytes(16) + bytes(range(64))
        packet += bytes([0, 0]) + bytes(4) + USE + LEASE
        held = []
        answer = b""
        while answer[:2] != bytes([2, 5]) and len(held) < 900:
            connection = connect()
            connection.send(packet)
            held.append(connection)
            # The agent reads it.
            time.sleep(0.01)
            if len(held) > 256: answer = ask(connect(), STATUS)
        print(answer[1:3])
        print(ask(connect(), bytes([2, 5]))[1:])
        """)
      // 6 is "not this process": the state is not told. One key is dropped.
      #expect(answers == "b'\\x05\\x06'\nb'\\x01\\x00\\x00\\x00\\x01'", "\(answers)")
      #expect(try scene.machine.run("coffer", "lock").exitCode == 0)
    }

    @Test func `Packets that are no requests end their connection, and nothing else`() throws {
      let scene = try AgentScene()
      let agent = try scene.startAgent()
      try scene.unlock()
      let answers = try scene.attack(
        """
        import random
        random.seed(7)
        kinds = set()
        for number in range(400):
            connection = connect()
            size = random.choice([1, 2, 3, 17, 100, 4000, 16384, 16385, 60000])
            packet = bytes([random.choice([0, 1, 2, 2, 2, 255]), random.randrange(9)]) + random.randbytes(size)
            if number % 5 == 0:
                packet = bytes([2, 4, 255, 255, 255, 255]) + random.randbytes(size)
            # No random packet is a whole request: those for the state and for a lock have two bytes.
            if packet[:2] in (bytes([2, 5]), bytes([2, 6])): packet += b"x"
            try:
                kinds.add(tuple(ask(connection, packet)[:3]))
            except OSError:
                kinds.add("closed")
            connection.close()
        print(sorted(map(str, kinds)))
        print(ask(connect(), STATUS)[:2])
        """)
      // 4 is "malformed". A packet that is too large has no answer: it reads as the end.
      #expect(answers == "['()', '(2, 5, 4)']\nb'\\x02\\x07'", "\(answers)")
      #expect(agent.isRunning)
      #expect(try scene.get().text == "hunter2")
    }

    @Test func `A client that has replaced its program gets no answer`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let answers = try scene.attack(
        """
        connection = connect()
        print(ask(connection, STATUS)[:2])
        os.set_inheritable(connection.fileno(), True)
        code = "import socket, sys; c = socket.socket(fileno=int(sys.argv[1])); c.settimeout(300); "
        code += "c.send(bytes([2, 6])); print(c.recv(99)[:3])"
        sys.stdout.flush()
        os.execvp("python3", ["python3", "-c", code, str(connection.fileno())])
        """)
      #expect(answers == "b'\\x02\\x07'\nb'\\x02\\x05\\x06'")
    }

    @Test func `A child that keeps the connection of a client that has ended gets no answer`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let answers = try scene.attack(
        """
        ours, theirs = os.pipe()
        done, open_while_it_runs = os.pipe()
        middle = os.fork()
        if middle == 0:
            connection = connect()
            print(ask(connection, STATUS)[:2], flush=True)
            if os.fork() == 0:
                os.read(ours, 1)
                print(ask(connection, STATUS)[:3], flush=True)
            os._exit(0)
        os.waitpid(middle, 0)
        os.write(theirs, b"x")
        os.close(open_while_it_runs)
        os.read(done, 1)
        """)
      #expect(answers == "b'\\x02\\x07'\nb'\\x02\\x05\\x06'")
    }

    @Test func `While a client lives, a child that has its connection is served as the client`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let answers = try scene.attack(
        """
        connection = connect()
        print(ask(connection, STATUS)[1:2], flush=True)
        child = os.fork()
        if child == 0:
            print(ask(connection, STATUS)[1:2], flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        """)
      #expect(answers == "b'\\x07'\nb'\\x07'", "\(answers)")
    }

    @Test func `Another user gets no answer, even if it could open the socket`() throws {
      let scene = try AgentScene()
      try scene.startAgent()
      try scene.unlock()
      let other = AgentScene.asOtherUser
      #expect(throws: SpawnedProgram.Failure.self) { try scene.attack("connect()", wrapper: other) }
      for folder in [scene.machine.directory.path, scene.machine.directory.path("run"), scene.socket] {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
      }
      let answer = try scene.attack(
        """
        try:
            print("answered" if ask(connect(), STATUS) else "closed")
        except OSError as error:
            # The agent has closed the connection before the request was sent.
            print("closed")
        """, wrapper: other)
      #expect(answer == "closed", "\(answer)")
      // And no command gives keys to an agent in a folder that others can open.
      expectFailure(try scene.get(), 5, "there is no terminal")
    }

    @Test func `Keys that are not the author's are not taken`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      try scene.machine.coffer("lock")
      let folder = scene.machine.vault.path + "/"
      let answer = try scene.attack(
        """
        folder = \(scene.python(folder)).encode()
        packet = bytes([2, 4]) + struct.pack(">I", len(folder)) + folder + bytes(16) + bytes(range(64)) + bytes([0, 0]) + bytes(4) + USE + LEASE
        print(ask(connect(), packet)[:3])
        """)
      #expect(answer == "b'\\x02\\x05\\x05'")
      #expect(try scene.status()?.vaults.isEmpty == true)
    }

    @Test func `The keys of an app neither weaken how the owner's keys are kept nor keep them longer`() throws {
      let scene = try AgentScene()
      try scene.unlock("--confirm", "--idle", "5m")
      let deposit = try weakeningDeposit(scene, AgentScene.group)
      try expectUnchanged(scene, by: deposit)
      // Nor does it while the agent has no keys.
      try scene.machine.coffer("lock")
      #expect(try scene.attack(deposit) == "b'\\x01\\x00\\x00\\x00\\x01'")
      try scene.unlock()
      #expect(try scene.status()?.vaults.map(\.confirms) == [true])
      // The owner does.
      try scene.unlock("--no-confirm")
      #expect(try scene.status()?.vaults.map(\.confirms) == [false])
    }

    @Test func `On a member's machine, the keys of one app do not weaken how those of another are kept`() throws {
      let admin = try AgentScene(isLocked: true)
      try admin.machine.coffer(
        "app", "add", "--passphrase-file", admin.passphrase, Machine.entitlements(of: "PhotoFree"))
      let open = "com.example.photo.free"
      let scene = try AgentScene(memberOf: admin, open: open, locked: AgentScene.group)
      #expect(try scene.unlock("--confirm", "--idle", "5m").hasPrefix("Unlocked 1 key "))
      try expectUnchanged(scene, by: weakeningDeposit(scene, open))
      // Nor how they are kept the next time.
      try scene.machine.coffer("lock")
      try scene.unlock()
      #expect(try scene.status()?.vaults.map(\.confirms) == [true])
      // While the agent has no keys of others, whoever unlocks it decides.
      try scene.unlock("--no-confirm")
      #expect(try scene.status()?.vaults.map(\.confirms) == [false])
    }

    /// Python code that deposits the keys of an app that no passphrase protects, with an idle time of a day, no
    /// confirmation, and no lease.
    private func weakeningDeposit(_ scene: AgentScene, _ bundleID: String) throws -> String {
      let local = try LocalVault.open(VaultFolder(scene.machine.vault))
      let membership = try local.publishedMembership()
      let app = try #require(membership.apps.keys.first { $0.bundleID.description == bundleID })
      let device = try #require(local.machine(in: membership)?.id)
      let author = try #require(membership.holders(of: app).first { membership.authors[$0]?.device == device })
      // The secret of a credential that no passphrase protects is its end.
      return """
        folder = \(scene.python(scene.machine.vault.path)).encode()
        secret = open(\(scene.python("\(scene.machine.vault.path)/apps/\(app)/credential")), "rb").read()[-64:]
        packet = STATUS[:1] + bytes([4]) + struct.pack(">I", len(folder)) + folder + bytes.fromhex("\(author)") + secret
        packet += bytes([1]) + struct.pack(">I", 86400) + bytes([1, 0]) + bytes(4) + USE + LEASE
        print(ask(connect(), packet)[1:])
        """
    }

    /// Expects that a deposit is taken, and changes neither the confirmation nor the times of an agent that confirms.
    private func expectUnchanged(_ scene: AgentScene, by deposit: String) throws {
      let before = try #require(try scene.status()?.vaults.first)
      // Times are told in whole seconds: one that begins anew after four differs by more than one.
      try waitUntil("four seconds have passed since the unlock") { before.unlocked.timeIntervalSinceNow <= -4 }
      #expect(try scene.attack(deposit) == "b'\\x01\\x00\\x00\\x00\\x01'")
      let after = try #require(try scene.status()?.vaults.first)
      #expect(after.keyCount == before.keyCount + 1 && after.confirms && after.unlocked == before.unlocked)
      #expect(abs(after.locks.timeIntervalSince(before.locks)) <= 1, "\(before.locks), \(after.locks)")
    }

    @Test func `A session that does not begin leaves nothing of the one before`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let answers = try scene.attack(
        """
        arguments = (\(scene.python(scene.machine.vault.path)).encode(), bytes.fromhex("\(scene.owner())"))
        group = bytes.fromhex("\(scene.groupID())")
        connection = connect()
        print(ask(connection, opening(*arguments, [group]))[1:])
        print(ask(connection, opening(*arguments, [bytes(16)]))[1:3])
        print(ask(connection, STATUS[:1] + bytes([2]) + group)[1:3])
        """)
      // 5 is "failed", and 4 "malformed": no session has begun.
      #expect(answers == "b'\\x02'\nb'\\x05\\x05'\nb'\\x05\\x04'", "\(answers)")
    }

    @Test func `A request for a vault that is none, or a pipe, does not stop the agent`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let folder = try TemporaryDirectory()
      try Command.run("mkfifo", folder.path("store.sqlite"))
      for path in ["/nowhere", folder.path, "/proc/self/fd"] {
        let answer = try scene.attack(
          """
          folder = \(scene.python(path)).encode()
          print(ask(connect(), opening(folder, bytes(16)))[:3])
          """)
        // The agent has no keys of it, and does not look there.
        #expect(answer == "b'\\x02\\x05\\x01'")
      }
      #expect(try scene.get().text == "hunter2")
    }

    @Test func `A record is signed only for a group to which its author may write`() throws {
      let scene = try AgentScene(isLocked: true, apps: ["PhotoPro", "PhotoFree"])
      try scene.unlock()
      let local = try LocalVault.open(VaultFolder(scene.machine.vault))
      let membership = try local.publishedMembership()
      func author(_ app: String) throws -> Author {
        let id = try #require(membership.apps.keys.first { $0.bundleID.description == app })
        return try #require(membership.holders(of: id).first.flatMap { membership.authors[$0] })
      }
      func group(_ name: String) -> GroupID {
        GroupID(vault: membership.vault, name: membership.team.prefix + name)
      }
      /// Returns why the agent does not sign a record of an author for a group; nil if it does.
      func refusal(_ author: Author, _ group: GroupID) throws -> AgentResponse.Refusal? {
        guard
          let connection = AgentConnection.open(in: AgentFolder(path: scene.machine.directory.path("run"))),
          case .opened? = connection.ask(
            .open(AgentOpening(folder: local.folder.path, author: author.id)))
        else { throw SpawnedProgram.Failure(description: "no session") }
        let header = RecordHeader(
          vault: membership.vault, group: group, generation: 1, item: ItemID(.zero), itemClass: .genericPassword,
          content: .tombstone(successor: nil), isDeviceLocal: false, bases: [], time: .now, author: author.id,
          tokens: [])
        var response: AgentResponse?
        let none = try #require(Signature([UInt8](repeating: 0, count: Signature.count)))
        _ = Record(
          header: header,
          sign: { record in
            response = connection.ask(.sign(record))
            return none
          }, seal: { _, _ in [] })
        switch response {
        case .signature?: return nil
        case .refused(let reason, _)?: return reason
        default: throw SpawnedProgram.Failure(description: "no answer")
        }
      }
      let purchases = "com.example.photo.purchases"
      #expect(try refusal(author("com.example.photo.pro"), group(purchases)) == nil)
      // It may read it.
      #expect(try refusal(author("com.example.photo.free"), group(purchases)) == .failed)
      #expect(try refusal(author("com.example.photo.free"), group("com.example.photo.pro")) == .failed)
      #expect(try refusal(author("com.example.photo.pro"), group("com.example.unknown")) == .failed)
    }

    @Test func `Without a lease, a client gets no key, not even that of the marks of verified records`() throws {
      let scene = try AgentScene()
      try scene.unlock("--confirm")
      let local = try LocalVault.open(VaultFolder(scene.machine.vault))
      let admin = try #require(local.machine(in: local.publishedMembership())?.admin)
      let answer = try scene.attack(
        """
        folder = \(scene.python(scene.machine.vault.path)).encode()
        author = bytes.fromhex("\(admin)")
        print(ask(connect(), opening(folder, author)))
        """)
      #expect(answer == "b'\\x02\\x02'")
    }

    @Test func `Entries that are deleted from the log in place are noticed at the next request`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      try scene.machine.coffer(
        "group", "require", AgentScene.group, "lease", "--passphrase-file", scene.passphrase)
      expectFailure(try scene.get(), 5, "demands that a person answers")
      try scene.changeStore("DELETE FROM log WHERE sequence = (SELECT max(sequence) FROM log)")
      // The agent gives nothing more.
      expectFailure(try scene.get(), 5, "there is no terminal")
    }

    @Test func `A requirement holds before it is published, and one that is stronger than a lease demands one`() throws
    {
      let scene = try AgentScene()
      let remote = scene.machine.directory.path("remote.git")
      try Command.run("git", "init", "--quiet", "--bare", remote)
      try scene.machine.coffer("remote", "set", remote)
      try scene.unlock()
      #expect(try scene.get().text == "hunter2")
      try scene.machine.coffer(
        "group", "require", AgentScene.group, "strong", "--passphrase-file", scene.passphrase)
      expectFailure(try scene.get(), 5, "demands that a person answers")
      try scene.changeStore(
        "UPDATE log SET published = NULL WHERE sequence = (SELECT max(sequence) FROM log)")
      expectFailure(try scene.get(), 5, "demands that a person answers")
    }
  }
#endif
