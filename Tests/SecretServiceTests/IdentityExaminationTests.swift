#if os(Linux)
  @testable import CofferSecretService
  import CofferTestSupport
  import CofferVault
  import Foundation
  import Testing

  /// What is found out about processes, which say what they like.
  @Suite struct IdentityExaminationTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private static let hasSandboxes = FileManager.default.isExecutableFile(atPath: "/usr/bin/bwrap")

    private func identity(
      of process: Int32, groups: [UInt32] = [], label: String? = nil, user: UInt32 = geteuid(), known: [String] = []
    ) -> CallerIdentity {
      CallerIdentification.examine(
        CallerCredentials(connection: ":1.7", user: user, process: process, groups: groups, label: label), known)
    }

    /// Starts a process in a sandbox whose root has a file `.flatpak-info`, as Flatpak makes it, and returns its
    /// identifier.
    private func withSandbox(_ prepare: (_ root: String) throws -> Void, _ body: (Int32) throws -> Void) throws {
      let root = folder.path("root")
      for name in ["usr", "proc", "dev", "out"] {
        try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
      }
      for name in ["lib", "lib64", "bin"] {
        try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: "usr/\(name)")
      }
      try prepare(root)
      let program = try SpawnedProgram([
        "/usr/bin/bwrap", "--bind", root, "/", "--ro-bind", "/usr", "/usr", "--dev-bind", "/dev", "/dev",
        "--bind", folder.path, "/out", "--", "/usr/bin/sh", "-c", "touch /out/ready; exec /usr/bin/tail -f /dev/null",
      ])
      defer { program.killWithDescendants() }
      try waitUntil("the sandbox runs") {
        FileManager.default.fileExists(atPath: folder.path("ready")) || !program.isRunning
      }
      let child = try Command.run("/usr/bin/pgrep", "-P", "\(program.identifier)")
      try body(Int32(child.trimmingCharacters(in: .whitespacesAndNewlines)) ?? program.identifier)
    }

    private func write(_ text: String) -> (String) throws -> Void {
      { root in try Data(text.utf8).write(to: URL(fileURLWithPath: "\(root)/.flatpak-info")) }
    }

    @Test func `A process outside of a sandbox is one of the programs that nothing tells apart`() {
      let own = identity(of: getpid())
      #expect(own == .common && own.program == .other && own.bundleIdentifier == "coffer.desktop")
    }

    @Test(.enabled(if: hasSandboxes)) func `A process in a sandbox is the Flatpak that its file names`() throws {
      try withSandbox(write("[Application]\nname=org.example.App_1\nruntime=x\n[Instance]\nname=org.other\n")) {
        #expect(identity(of: $0).program == .flatpak("org.example.App_1"))
      }
    }

    @Test(
      .enabled(if: hasSandboxes),
      arguments: [
        "", "[Application]\n", "[Application]\nname=\n", "[Application]\nname=a/b\n", "[Runtime]\nname=org.a.B\n",
        "[Application]\nname=org.a.B\nname=org.a.C\n", "[Application]\nname=coffer\u{0}.x\n",
      ])
    func `A sandbox whose file does not name one application gets nothing`(_ text: String) throws {
      try withSandbox(write(text)) { process in
        let found = identity(of: process)
        #expect(found.program == nil && found.refusal != nil && found.bundleIdentifier.isEmpty)
      }
    }

    @Test(.enabled(if: hasSandboxes)) func `A pipe, a link or a large file in the place of the file gets nothing`()
      throws
    {
      let preparations: [(String) throws -> Void] = [
        { try Command.run("mkfifo", "\($0)/.flatpak-info") },
        { try Command.run("ln", "-s", "/usr/share/info", "\($0)/.flatpak-info") },
        { try Data(count: 70_000).write(to: URL(fileURLWithPath: "\($0)/.flatpak-info")) },
      ]
      for prepare in preparations {
        try? FileManager.default.removeItem(atPath: folder.path("root"))
        try? FileManager.default.removeItem(atPath: folder.path("ready"))
        try withSandbox(prepare) { #expect(identity(of: $0).program == nil) }
      }
    }

    /// Starts a process whose root cannot be seen, because its first thread has ended.
    private func withHiddenRoot(after preparation: String = "", _ body: (Int32) throws -> Void) throws {
      let program = try SpawnedProgram([
        "/usr/bin/python3", "-c",
        """
        import ctypes, os, threading
        def wait():
            while open(f"/proc/{os.getpid()}/stat").read().rsplit(")", 1)[1].split()[0] != "Z": pass
            open("\(folder.path("ended"))", "w").close()
            threading.Event().wait()
        threading.Thread(target=wait).start()
        libc = ctypes.CDLL(None)
        \(preparation)
        libc.pthread_exit(None)
        """,
      ])
      defer { program.end(signal: 9) }
      try waitUntil("the first thread has ended") {
        FileManager.default.fileExists(atPath: folder.path("ended")) || !program.isRunning
      }
      #expect(program.isRunning)
      try body(program.identifier)
    }

    @Test func `A process whose first thread has ended gets nothing, because its root cannot be seen`() throws {
      // PR_SET_NO_NEW_PRIVS.
      try withHiddenRoot(after: "libc.prctl(38, 1, 0, 0, 0)") { #expect(identity(of: $0).program == nil) }
    }

    @Test func `A process that has ended, of another user, or without a number gets nothing`() throws {
      let program = try SpawnedProgram(["/bin/true"])
      _ = program.wait()
      #expect(identity(of: program.identifier).program == nil)
      #expect(identity(of: getpid(), user: geteuid() + 1).program == nil)
      #expect(identity(of: 0).program == nil && identity(of: -1).program == nil)
    }

    @Test func `A group counts only if it has no members and this process does not have it`() throws {
      let groups = try String(contentsOfFile: "/etc/group", encoding: .utf8).split(separator: "\n").map {
        $0.split(separator: ":", omittingEmptySubsequences: false)
      }.filter { $0.count == 4 }
      let empty = try #require(groups.first { $0[3].isEmpty && $0[2] != "0" && UInt32($0[2]) != getegid() })
      let (name, number) = (String(empty[0]), try #require(UInt32(empty[2])))
      #expect(identity(of: getpid(), groups: [number], known: [name]).program == .group(name))
      #expect(identity(of: getpid(), groups: [number], known: []).program == .other)
      #expect(identity(of: getpid(), groups: [], known: [name]).program == .other)
      #expect(identity(of: getpid(), groups: [0], known: ["root"]).program == .other)
    }

    @Test(
      arguments: [
        ("snap.firefox.firefox (enforce)", "firefox"), ("snap.a_1.b (enforce)", "a_1"),
        ("snap.code.code (complain)", nil),
        ("unconfined", nil), ("snapx.a.b (enforce)", nil), ("snap.a (enforce)", nil), ("", nil),
      ] as [(String, String?)])
    func `Only an enforced label of snapd makes a snap`(_ label: String, _ name: String?) {
      #expect(identity(of: getpid(), label: label).program == (name.map(DesktopProgram.snap) ?? .other))
    }

    @Test(.enabled(if: hasSandboxes)) func `A snap is known by its label, whatever its root folder hides or has`()
      throws
    {
      let label = "snap.firefox.firefox (enforce)"
      try withHiddenRoot { #expect(identity(of: $0, label: label).program == .snap("firefox")) }
      for text in ["[Application]\nname=org.example.App\n", ""] {
        try? FileManager.default.removeItem(atPath: folder.path("root"))
        try? FileManager.default.removeItem(atPath: folder.path("ready"))
        try withSandbox(write(text)) { #expect(identity(of: $0, label: label).program == .snap("firefox")) }
      }
    }

    @Test func `A label that names no snap gets nothing`() {
      #expect(identity(of: getpid(), label: "snap..x (enforce)").program == nil)
      #expect(identity(of: getpid(), label: "snap.a b.x (enforce)").program == .other)
    }
  }
#endif
