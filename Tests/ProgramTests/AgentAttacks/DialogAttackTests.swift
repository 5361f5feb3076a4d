#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// The dialog that asks a person for a lease, in GnuPG's programs on a display in memory: what another program of the
  /// user does to it, and what a key does that is pressed by accident.
  @Suite struct DialogAttackTests {
    private static let hint: Comment = "run Scripts/bootstrap --with desktop"

    @Test(.enabled(if: geteuid() == 0, "root can do all of this: only root can be another user"))
    func `No other program takes a descriptor of the dialog, answers in its place, or loads code into it`() throws {
      let desktop = try VirtualDesktop()
      for name in ["pinentry-gtk-2", "pinentry-qt", "pinentry-fltk"] {
        let pinentry = try #require(VirtualDesktop.path(of: name), Self.hint)
        let scene = try AgentScene()
        let directory = scene.machine.directory
        try Self.writeModule(in: directory)
        try Command.run("chown", "-R", "65534:65534", directory.path)
        scene.machine.wrapper = AgentScene.asOtherUser
        try scene.startAgent(environment: ["DISPLAY": desktop.display, "COFFER_TEST_PINENTRY": pinentry])
        try scene.unlock("--confirm")
        let agent = try #require(try scene.agents().first)
        let get = try scene.machine.start("coffer", AgentScene.get)
        defer { get.kill() }
        try desktop.awaitWindow { get.isRunning }
        #expect(try scene.attack(Self.answer(child: agent), wrapper: AgentScene.asOtherUser) == "refused", "\(name)")
        try desktop.press(["Return"]) { get.isRunning }
        expectFailure(try get.wait(), 5, "was not allowed")
        #expect(!FileManager.default.fileExists(atPath: directory.path("loaded")), "\(name)")
      }
    }

    @Test func `A dialog program that is started as others are has all of that done to it`() throws {
      let desktop = try VirtualDesktop()
      let pinentry = try #require(VirtualDesktop.path(of: "pinentry-gtk-2"), Self.hint)
      let machine = try Machine()
      try Self.writeModule(in: machine.directory)
      let starter = try machine.start(
        "/usr/bin/python3",
        [
          "-c",
          """
          import subprocess, sys
          dialog = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
          dialog.stdin.write(b"SETDESC Allow?\\nCONFIRM\\n")
          dialog.stdin.flush()
          print([dialog.stdout.readline().split()[0].decode() for _ in range(3)])
          """, pinentry,
        ], environment: ["DISPLAY": desktop.display])
      defer { starter.kill() }
      try desktop.awaitWindow { starter.isRunning }
      let answered = try Command.run(
        "/usr/bin/python3", "-c", "import os, sys\n" + Self.answer(child: starter.processIdentifier))
      #expect(answered == "answered")
      #expect(try starter.wait().text == "['OK', 'OK', 'OK']")
      #expect(FileManager.default.fileExists(atPath: machine.directory.path("loaded")))
    }

    @Test(arguments: ["pinentry-gtk-2", "pinentry-qt", "pinentry-fltk", "pinentry-gnome3"])
    func `A key that is pressed by accident refuses in every dialog program`(_ name: String) throws {
      let pinentry = try #require(VirtualDesktop.path(of: name), Self.hint)
      let desktop = try VirtualDesktop()
      let scene = try AgentScene()
      // The window of pinentry-gnome3 is that of another program, which the bus starts.
      let bus = try SessionBus(in: scene.machine, display: desktop.display)
      try scene.startAgent(
        environment: [
          "DISPLAY": desktop.display, "COFFER_TEST_PINENTRY": pinentry, "DBUS_SESSION_BUS_ADDRESS": bus.address,
        ])
      try scene.unlock("--confirm")
      func get(_ answer: (() throws -> Bool) throws -> Void) throws -> Machine.Outcome {
        let get = try scene.machine.start("coffer", AgentScene.get, wrapper: ["setsid", "--wait"])
        defer { get.kill() }
        try answer { get.isRunning }
        return try get.wait()
      }
      for keys in [["Return"], ["space", "Return"], ["Escape"]] {
        expectFailure(try get { try desktop.press(keys, while: $0) }, 5, "was not allowed")
      }
      guard name == "pinentry-gnome3" else { return }
      // A window that gets the keyboard between the word and the Return key has only that, and refuses.
      let first = try get { try desktop.type("yes", while: $0) }
      let allowed = first.exitCode == 0 ? first : try get { try desktop.type("yes", while: $0) }
      #expect(allowed.text == "hunter2")
    }

    /// A module that GTK loads, and a file that names it.
    private static func writeModule(in directory: TemporaryDirectory) throws {
      let source = try directory.write(
        "module.c",
        """
        #include <fcntl.h>
        #include <unistd.h>
        int gtk_module_init(int *count, char ***words) { return close(open("\(directory.path("loaded"))", O_CREAT | O_RDWR, 0600)); }
        """)
      let modules = directory.path(".gtk-2.0/modules")
      try FileManager.default.createDirectory(atPath: modules, withIntermediateDirectories: true)
      try Command.run("clang", "-shared", "-fPIC", "-o", "\(modules)/libloaded.so", source)
      _ = try directory.write(".gtkrc-2.0", "gtk-modules = \"loaded\"\n")
    }

    /// Code that looks for the child of a process, and writes an answer into its standard output.
    private static func answer(child parent: Int32) -> String {
      """
      import ctypes
      def parent(process):
          try:
              return int(open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[1])
          except OSError:
              return 0
      child = next(int(name) for name in os.listdir("/proc") if name.isdigit() and parent(name) == \(parent))
      libc = ctypes.CDLL(None, use_errno=True)
      # pidfd_getfd
      output = libc.syscall(438, os.pidfd_open(child), 1, 0)
      if output >= 0:
          os.write(output, b"OK\\n")
          print("answered")
      else:
          print("refused" if ctypes.get_errno() == 1 else os.strerror(ctypes.get_errno()))
      """
    }
  }

  /// A session bus of its own, whose programs show their windows on a display.
  private final class SessionBus {
    let address: String
    private let daemon: RunningProgram

    init(in machine: Machine, display: String) throws {
      let socket = machine.directory.path("bus")
      address = "unix:path=\(socket)"
      daemon = try machine.start(
        "/usr/bin/dbus-daemon", ["--session", "--nofork", "--address=\(address)"],
        environment: ["DISPLAY": display, "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1"])
      try waitUntil("the bus listens") { FileManager.default.fileExists(atPath: socket) }
    }

    deinit { daemon.kill() }
  }
#endif
