#if os(Linux)
  import CofferTestSupport
  import CofferVault
  import Foundation
  import Testing

  /// Processes that pretend to the agent that they are another one, or in another tree.
  @Suite struct AgentIdentityAttackTests {
    private func opening(_ scene: AgentScene) throws -> String {
      "opening(\(scene.python(scene.machine.vault.path)).encode(), bytes.fromhex('\(try scene.owner())'), "
        + "[bytes.fromhex('\(try scene.groupID())')])"
    }

    #if arch(x86_64)
      @Test(.enabled(if: PrivateSystem.isAvailable, "only root can take another executable without a user namespace"))
      func `A process that shows coffer's executable, name and arguments gets no more than any other`() throws {
        let scene = try AgentScene()
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "spoof.c").path
        let spoof = scene.machine.directory.path("spoof")
        try Command.run(
          "clang", "-static", "-nostdlib", "-O1", "-fno-builtin", "-fno-stack-protector", "-o", spoof, source)
        let attack = """
          import subprocess
          coffer = \(scene.python(Machine.path(of: "coffer")))
          output = subprocess.run([\(scene.python(spoof)), path, coffer], input=\(try opening(scene)), stdout=subprocess.PIPE)
          link, answer = output.stdout.split(b"\\n", 1)
          print(os.path.samefile(link, coffer), output.returncode, answer[:3])
          """
        try scene.unlock()
        #expect(try scene.attack(attack) == "True 0 b'\\x02\\x02'")
        try scene.unlock("--confirm")
        #expect(try scene.attack(attack) == "True 0 b'\\x02\\x05\\x02'")
      }
    #endif

    @Test(.enabled(if: PrivateSystem.isAvailable, "only root can state another process in SCM_CREDENTIALS"))
    func `Forged SCM_CREDENTIALS change nothing`() throws {
      let scene = try AgentScene()
      let directory = scene.machine.directory
      let dialog = try ScriptedDialog(
        answer: "if [ -e '\(directory.path("allow"))' ]; then echo OK; else echo 'ERR 83886194 No'; fi")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      _ = try directory.write("allow", "")
      let get = ([Machine.path(of: "coffer")] + AgentScene.get).joined(separator: " ")
      let leased = try scene.machine.start(
        "/bin/sh",
        [
          "-c",
          "\(get); echo $$ > '\(directory.path("part"))'; mv '\(directory.path("part"))' '\(directory.path("leased"))'; "
            + "while [ ! -e '\(directory.path("go"))' ]; do sleep 0.05; done; \(get); exit",
        ], wrapper: ["setsid", "--wait"])
      defer { leased.kill() }
      let process = try waitForFile(directory.path("leased"))
      try FileManager.default.removeItem(atPath: directory.path("allow"))
      let answer = try scene.attack(
        """
        connection = connect()
        forged = struct.pack("iII", int(open(\(scene.python(directory.path("leased")))).read()), 0, 0)
        connection.sendmsg([\(try opening(scene))], [(socket.SOL_SOCKET, 2, forged)])
        answer = connection.recv(65536)
        # 6: a person is asked for this process, and refuses.
        while answer[:2] == bytes([2, 6]): answer = connection.recv(65536)
        print(answer[:3])
        """, wrapper: ["setsid", "--wait"])
      #expect(answer == "b'\\x02\\x05\\x03'", "\(answer), forged as \(process)")
      // The process that was named has its lease all the same.
      _ = try directory.write("go", "")
      #expect(try leased.wait().text == "hunter2hunter2")
    }

    @Test(.enabled(if: PrivateSystem.isAvailable, "only root can choose the number of a process"))
    func `A process that gets the number of the one that has connected gets no answer`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let answer = try scene.attack(
        """
        import ctypes, signal
        libc = ctypes.CDLL(None, use_errno=True)
        def fork_as(number):
            wanted = ctypes.c_int(number)
            # clone3 with set_tid.
            arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(wanted), 1, 0)
            return libc.syscall(435, arguments, ctypes.sizeof(arguments))
        def connect_and_end():
            ours, theirs = socket.socketpair()
            process = os.fork()
            if process == 0:
                try:
                    connection = connect()
                    theirs.send(ask(connection, STATUS)[:2])
                    socket.send_fds(theirs, [b"x"], [connection.fileno()])
                finally: os._exit(0)
            theirs.close()
            answer = ours.recv(2)
            _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
            os.waitpid(process, 0)
            connection = socket.socket(fileno=descriptors[0])
            # The descriptor does not wait by itself, as its first owner has set a timeout.
            connection.settimeout(300)
            return process, answer, connection
        # The system may give the number to a process of somebody else first.
        for attempt in range(100):
            first, answer, connection = connect_and_end()
            second = fork_as(first)
            if second == 0:
                signal.pause()
            if second > 0: break
            assert ctypes.get_errno() == 17, ctypes.get_errno()  # EEXIST
        print(answer)
        print(second == first, open(f"/proc/{first}/cmdline").read() == open("/proc/self/cmdline").read())
        try: print(ask(connection, STATUS)[:3])
        finally:
            if second > 0: os.kill(second, signal.SIGKILL)
        """)
      #expect(answer == "b'\\x02\\x07'\nTrue True\nb'\\x02\\x05\\x06'", "\(answer)")
    }

    @Test(.enabled(if: PrivateSystem.isAvailable, "only root can be another user first"))
    func `In a user namespace, a process is still its user, and its tree`() throws {
      let scene = try AgentScene()
      try scene.unlock("--confirm")
      for namespace in [["--user", "--map-root-user"], ["--user", "--map-root-user", "--pid", "--fork"]] {
        let answer = try scene.attack(
          "print(ask(connect(), \(try opening(scene)))[:3])", wrapper: ["unshare"] + namespace)
        #expect(answer == "b'\\x02\\x05\\x02'", "\(namespace)")
      }
      // Another user who is root in a namespace.
      for folder in [scene.machine.directory.path, scene.machine.directory.path("run"), scene.socket] {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
      }
      let answer = try scene.attack(
        """
        try:
            print(os.getuid(), "answered" if ask(connect(), STATUS) else "closed")
        except OSError as error:
            # The agent has closed the connection before the request was sent.
            print(os.getuid(), "closed")
        """, wrapper: AgentScene.asOtherUser + ["unshare", "--user", "--map-root-user"])
      #expect(answer == "0 closed", "\(answer)")
    }
  }
#endif
