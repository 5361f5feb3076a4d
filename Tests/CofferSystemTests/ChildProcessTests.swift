import CofferSystem
import CofferTestSupport
import Foundation
import Testing

@Suite struct ChildProcessTests {
  /// Starts a shell with a script; the result's descriptor reads its standard output.
  private func shell(
    _ script: String, input: ChildProcess.StandardStream = .null, leadsProcessGroup: Bool = false
  ) throws -> (child: ChildProcess, output: FileHandle) {
    let pipe = try Descriptor.pipe()
    let child = try ChildProcess.start(
      "/bin/sh", arguments: ["-c", script], input: input, output: .descriptor(pipe.theirs.rawValue),
      leadsProcessGroup: leadsProcessGroup)
    let output = FileHandle(fileDescriptor: dup(pipe.ours.rawValue), closeOnDealloc: true)
    return (child, output)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private func run(_ script: String, maximumOutputByteCount: Int = 100_000) throws -> (ChildProcess.Exit, String) {
    let (exit, output) = try ChildProcess.run(
      "/bin/sh", arguments: ["-c", script], maximumOutputByteCount: maximumOutputByteCount)
    return (exit, text(output))
  }

  /// The first line that a child prints.
  private func line(_ output: FileHandle) throws -> String {
    var bytes: [UInt8] = []
    while let byte = try output.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { bytes.append(byte) }
    return text(bytes)
  }

  @Test(arguments: [Int32(0), 1, 42, 255])
  func `The exit code is reported`(code: Int32) throws {
    #expect(try run("exit \(code)").0 == .code(code))
  }

  @Test(arguments: [SIGKILL, SIGTERM, SIGSEGV])
  func `The signal that killed a child is reported`(number: Int32) throws {
    #expect(try run("ulimit -c 0; kill -\(number) $$").0 == .signal(number))
  }

  @Test func `A program that does not exist is told apart from one that cannot be started`() throws {
    let folder = try TemporaryDirectory()
    try folder.write("plain", "no program")
    for (program, searchesPath, isNotFound) in [
      (folder.path("absent"), false, true), ("absent-program-of-coffer", true, true), ("sh", false, true),
      (folder.path("plain"), false, false), (folder.path("plain"), true, false),
    ] {
      let error = try #require(throws: SystemError.self) {
        try ChildProcess.start(program, searchesPath: searchesPath)
      }
      #expect(error.isNotFound == isNotFound, "\(program)")
      #expect(error.description.hasPrefix("cannot start \(program): "))
    }
    #expect(try ChildProcess.start("true", searchesPath: true).wait() == .code(0))
  }

  @Test func `The environment is inherited unless another one is given`() throws {
    unsafe setenv("COFFER_SYSTEM_TEST", "inherited", 1)
    #expect(try run("echo $COFFER_SYSTEM_TEST").1 == "inherited\n")
    let pipe = try Descriptor.pipe()
    let child = try ChildProcess.start(
      "env", searchesPath: true, environment: ["ONE": "1", "EMPTY": ""], output: .descriptor(pipe.theirs.rawValue))
    let output = pipe.closeTheirs().readToEnd(maximumByteCount: 10_000)
    #expect(child.wait() == .code(0))
    #expect(text(output).split(separator: "\n").sorted() == ["EMPTY=", "ONE=1"])
  }

  @Test func `A child without standard input reads the end of the file at once`() throws {
    let (exit, output) = try run("cat; echo end")
    #expect(exit == .code(0))
    #expect(output == "end\n")
  }

  @Test func `Output beyond the limit is discarded and does not block the child`() throws {
    let (exit, output) = try run("head -c 1000000 /dev/zero | tr '\\0' x", maximumOutputByteCount: 1234)
    #expect(exit == .code(0))
    #expect(output == String(repeating: "x", count: 1234))
  }

  @Test func `A child has its standard streams and none of the descriptors that are close-on-exec`() throws {
    let sockets = try Descriptor.socketPair()
    let pipe = try Descriptor.pipe()
    func target(_ descriptor: Int32) throws -> String {
      try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }
    let own = try [sockets.ours.rawValue, sockets.theirs.rawValue].map(target)
    let output = try target(pipe.theirs.rawValue)
    let child = try ChildProcess.start(
      "/bin/sh", arguments: ["-c", "for n in /proc/self/fd/*; do readlink $n; done; exit 0"], input: .null,
      output: .descriptor(pipe.theirs.rawValue), errors: .null)
    let listed = text(pipe.closeTheirs().readToEnd(maximumByteCount: 100_000)).split(separator: "\n").map(String.init)
    #expect(child.wait() == .code(0))
    #expect(!own.contains(where: listed.contains))
    #expect(listed.count { $0 == output } == 1)
    #expect(listed.count { $0 == "/dev/null" } >= 2)
    // `sockets` must exist until the child has been started.
    #expect(sockets.ours.rawValue >= 0)
  }

  @Test func `Standard streams can be exchanged`() async {
    await #expect(processExitsWith: .success) {
      let first = try Descriptor.pipe()
      let second = try Descriptor.pipe()
      dup2(first.theirs.rawValue, STDOUT_FILENO)
      dup2(second.theirs.rawValue, STDERR_FILENO)
      let child = try ChildProcess.start(
        "/bin/sh", arguments: ["-c", "echo out; echo err >&2"], output: .descriptor(STDERR_FILENO),
        errors: .descriptor(STDOUT_FILENO))
      #expect(child.wait() == .code(0))
      let null = unsafe open("/dev/null", O_WRONLY)
      dup2(null, STDOUT_FILENO)
      dup2(null, STDERR_FILENO)
      #expect(first.closeTheirs().readToEnd(maximumByteCount: 100) == Array("err\n".utf8))
      #expect(second.closeTheirs().readToEnd(maximumByteCount: 100) == Array("out\n".utf8))
    }
  }

  @Test func `A child starts with no blocked and no ignored signals`() async {
    await #expect(processExitsWith: .success) {
      var all = sigset_t()
      unsafe sigfillset(&all)
      unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
      for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGUSR2] { signal(number, SIG_IGN) }
      let (exit, output) = try ChildProcess.run(
        "/bin/grep", arguments: ["-E", "^Sig(Blk|Ign)", "/proc/self/status"], maximumOutputByteCount: 1000)
      #expect(exit == .code(0))
      let masks = String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap {
        UInt64($0.suffix(16), radix: 16)
      }
      // The C library keeps signals 32 and 33 for itself, and ignores them in children.
      #expect(masks.count == 2 && masks.allSatisfy { $0 & 0x7FFF_FFFF == 0 }, "\(masks)")
    }
  }

  @Test func `Terminating the leader of a group kills its children too`() throws {
    let (child, output) = try shell("sleep 600 & echo $!; wait", leadsProcessGroup: true)
    let grandchild = try #require(Int32(try line(output)))
    #expect(child.poll() == nil)
    child.terminate()
    #expect(child.exit == .signal(SIGKILL))
    #expect(waitForEnd(ofProcess: grandchild))
  }

  @Test func `A child is in this process's group unless it is to lead one`() throws {
    for leadsProcessGroup in [false, true] {
      let (child, output) = try shell(
        "cut -d ' ' -f 5 /proc/$$/stat; read -r end", leadsProcessGroup: leadsProcessGroup)
      let group = try #require(Int32(try line(output)))
      #expect((group == getpgrp()) == !leadsProcessGroup)
      child.terminate()
    }
  }

  @Test func `Dropping a running child kills and reaps it`() throws {
    var (child, output): (ChildProcess?, FileHandle) = try shell("echo $$; exec sleep 600")
    let identifier = try #require(Int32(try line(output)))
    #expect(kill(identifier, 0) == 0)
    #expect(child != nil)
    child = nil
    // A zombie could still be sent a signal.
    #expect(kill(identifier, 0) == -1)
    #expect(errno == ESRCH)
  }

  @Test func `Dropping a child that has ended reaps it`() throws {
    var (child, output): (ChildProcess?, FileHandle) = try shell("echo $$")
    let identifier = try #require(Int32(try line(output)))
    #expect(try output.readToEnd() ?? Data() == Data())
    #expect(child != nil)
    child = nil
    #expect(kill(identifier, 0) == -1)
    #expect(errno == ESRCH)
  }

  @Test func `Waiting ends at the timeout or with the child`() throws {
    let (child, _) = try shell("exec sleep 600")
    #expect(child.poll() == nil)
    #expect(child.wait(timeout: .milliseconds(50)) == nil)
    child.send(signal: SIGTERM)
    #expect(child.wait(timeout: longestWait) == .signal(SIGTERM))
    #expect(child.wait() == .signal(SIGTERM))
    // The identifier is free for another process now: nothing may be sent to it.
    child.send(signal: SIGKILL)
    child.terminate()
    #expect(child.exit == .signal(SIGTERM))
  }

  @Test func `A child that other code has reaped has an unknown exit`() async {
    await #expect(processExitsWith: .success) {
      // The kernel reaps the children of a process that ignores SIGCHLD.
      signal(SIGCHLD, SIG_IGN)
      let child = try ChildProcess.start("/bin/sh", arguments: ["-c", "exit 3"])
      #expect(child.wait() == .unknown)
    }
  }

  #if os(Linux)
    @Test func `A child that ends with the thread that started it is like any other until then`() throws {
      let input = try Descriptor.socketPair()
      let output = try Descriptor.pipe()
      let streams: [ChildProcess.StandardStream] = [
        .descriptor(input.theirs.rawValue), .descriptor(output.theirs.rawValue), .descriptor(STDERR_FILENO),
      ]
      @Sendable func start(_ program: String, _ arguments: [String] = []) throws(SystemError) -> ChildProcess {
        try ChildProcess.start(
          program, arguments: arguments, searchesPath: true, environment: ["NAME": "value", "PATH": "/usr/bin:/bin"],
          input: streams[0], output: streams[1], errors: streams[2], leadsProcessGroup: true, endsWithThread: true)
      }
      let error = #expect(throws: SystemError.self) { try start("absent-program-of-coffer") }
      #expect(error?.isNotFound == true)
      #expect(try start("sh", ["-c", "exit 3"]).wait() == .code(3))
      // Safe: it is set before the first semaphore is signalled, and read after this thread has waited for that.
      nonisolated(unsafe) var child: ChildProcess?
      let (hasStarted, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let thread = Thread {
        unsafe child = try? start("sh", ["-c", "echo $NAME; read line; echo $line; exec sleep 600"])
        hasStarted.signal()
        mayEnd.wait()
      }
      thread.start()
      hasStarted.wait()
      let reader = FileHandle(fileDescriptor: dup(output.ours.rawValue), closeOnDealloc: true)
      #expect(try line(reader) == "value")
      unsafe Array("answer\n".utf8).withUnsafeBytes { unsafe input.ours.sendAll($0) }
      #expect(try line(reader) == "answer")
      let started = try #require(unsafe child)
      #expect(started.poll() == nil)
      mayEnd.signal()
      #expect(started.wait(timeout: longestWait) == .signal(SIGTERM))
    }
  #endif
}
