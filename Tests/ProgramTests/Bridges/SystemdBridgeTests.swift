#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// The bridge for units of systemd. systemd's own program listens, as its manager would; a client asks as the manager
  /// does.
  @Suite struct SystemdBridgeTests {
    private let scene: BridgeScene

    init() throws { scene = try BridgeScene() }

    /// Asks as the manager does: from an abstract name with the unit and the credential, as systemd.exec(5) describes
    /// it.
    private static let client = """
      import socket, sys
      client = socket.socket(socket.AF_UNIX)
      name = bytes.fromhex(sys.argv[2])
      if name: client.bind(name)
      client.connect(sys.argv[1])
      client.shutdown(socket.SHUT_WR)
      while True:
          part = client.recv(65536)
          if not part: break
          sys.stdout.buffer.write(part)
      """

    private final class Listener {
      let path: String
      private let process: SpawnedProgram

      /// With `wrapper`, a program that starts the bridge.
      init(_ scene: BridgeScene, wrapper: [String] = []) throws {
        path = scene.path("credentials\(wrapper.count)")
        let passed = scene.machine.environment.filter { $0.key.hasPrefix("COFFER_") }.flatMap { ["-E", $0.key] }
        process = try SpawnedProgram(
          ["systemd-socket-activate", "--accept", "--inetd", "-l", path] + passed
            + wrapper + [Machine.path(of: "coffer"), "bridge", "systemd"],
          environment: scene.machine.environment.filter { !$0.value.isEmpty })
        try waitUntil("systemd-socket-activate listens") { [path] in FileManager.default.fileExists(atPath: path) }
      }

      deinit { process.end(signal: 9) }
    }

    private func ask(_ listener: Listener, _ name: [UInt8]) throws -> Data {
      let digits = name.map { String(format: "%02x", $0) }.joined()
      return try scene.machine.start("/usr/bin/python3", ["-c", Self.client, listener.path, digits]).wait().output
    }

    /// What keeps systemd from starting the unit: more than the largest credential, and no byte of a value.
    private static let refusal = Data(count: 1 << 20 + 1)

    private func ask(_ listener: Listener, _ name: String) throws -> Data { try ask(listener, [0] + Array(name.utf8)) }

    @Test func `A unit gets the credentials under its name, byte for byte, and a refusal instead of others`() throws {
      let value = Data([0, 255, 10, 13]) + Data(count: 1 << 20).dropLast(4)
      try scene.set("web@one.service", "tls.key", value)
      try scene.set("other.service", "token", "secret")
      let listener = try Listener(scene)
      #expect(try ask(listener, "5f1c9a/unit/web@one.service/tls.key") == value)
      #expect(try ask(listener, "5f1c9b/unit/other.service/token") == Data("secret".utf8))
      for name in [
        "5f1c9a/unit/web@one.service/token", "5f1c9a/unit/other.service/", "/unit/other.service/token",
        "5f1c9a/unit/x/other.service/token", "5f1c9a/user/other.service/token", "5f1c9a/unit/other.service/token/x",
        "x/unit/other.service/token", "",
      ] {
        #expect(try ask(listener, name) == Self.refusal, "\(name)")
      }
      // A client without a name, and one whose name is not UTF-8.
      #expect(try ask(listener, []) == Self.refusal)
      #expect(try ask(listener, Array("\u{0}5f1c9a/unit/other.service/".utf8) + [0xff]) == Self.refusal)
      try scene.set("other.service", "token", Data(repeating: 1, count: 1 << 20 + 1))
      #expect(try ask(listener, "5f1c9b/unit/other.service/token") == Self.refusal)
    }

    @Test func `A unit gets its credential from a headless credential`() throws {
      try scene.set("web.service", "token", "secret")
      let job = try BridgeScene(headlessOf: scene)
      #expect(try ask(Listener(job), "5f1c9c/unit/web.service/token") == Data("secret".utf8))
    }

    @Test func `Neither a client nor a bridge in a tree that denies reads gets a value, and others do`() throws {
      try scene.set("denied.service", "token", "secret")
      let tree = [Machine.path(of: "coffer"), "run", "--deny-reads", "--"]
      func ask(_ listener: Listener, number: String, wrapper: [String] = []) throws -> Data {
        let name = [0] + Array("\(number)/unit/denied.service/token".utf8)
        let digits = name.map { String(format: "%02x", $0) }.joined()
        let client = wrapper + ["/usr/bin/python3", "-c", Self.client, listener.path, digits]
        return try scene.machine.start("/usr/bin/env", client).wait().output
      }
      let listener = try Listener(scene)
      #expect(try ask(listener, number: "de1", wrapper: tree) == Self.refusal)
      #expect(try ask(listener, number: "de2") == Data("secret".utf8))
      let denied = try Listener(scene, wrapper: tree)
      #expect(try ask(denied, number: "de3") == Self.refusal)
    }

    @Test func `Another user gets nothing, even from a socket that everybody can open`() throws {
      guard getuid() == 0 else { return }
      try scene.set("web.service", "token", "secret")
      let listener = try Listener(scene)
      for path in [scene.home, listener.path] {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
      }
      let digits = ([0] + Array("5f1c9a/unit/web.service/token".utf8)).map { String(format: "%02x", $0) }.joined()
      func ask(as wrapper: [String]) throws -> Data {
        try scene.machine.start(
          "/usr/bin/python3", ["-c", Self.client, listener.path, digits], wrapper: wrapper
        ).wait().output
      }
      #expect(try ask(as: []) == Data("secret".utf8))
      #expect(try ask(as: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]).isEmpty)
    }

    @Test func `Started by hand, it says how systemd starts it`() throws {
      expectFailure(try scene.answer("systemd"), 2, "no connection of systemd", "coffer bridge install systemd")
    }

    @Test func `A socket that is disabled is installed again, and what fails leaves the former units`() throws {
      let tools = scene.path("tools")
      try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
      _ = try scene.machine.directory.writeScript(
        "tools/systemctl",
        """
        cd "$HOME"
        case "$*" in
          *is-enabled*|*is-active*) test -e enabled;;
          *enable*) test ! -e broken && touch enabled;;
        esac
        """)
      scene.machine.environment["PATH"] = "\(tools):\(scene.machine.environment["PATH"] ?? "")"
      try scene.install("systemd")
      #expect(try !scene.machine.run("coffer", "doctor").text.contains("coffer-credentials.socket"))
      try FileManager.default.removeItem(atPath: scene.path("enabled"))
      #expect(try scene.machine.run("coffer", "doctor").text.contains("coffer-credentials.socket"))
      let units = ["coffer-credentials.socket", "coffer-credentials@.service"]
        .map { scene.path(".config/systemd/user/\($0)") }
      let former = try units.map { try String(contentsOfFile: $0, encoding: .utf8) }
      try scene.machine.directory.write("broken", "")
      #expect(try scene.machine.run("coffer", "bridge", "install", "systemd").exitCode != 0)
      #expect(try units.map { try String(contentsOfFile: $0, encoding: .utf8) } == former)
      try FileManager.default.removeItem(atPath: scene.path("broken"))
      #expect(try scene.machine.coffer("bridge", "install", "systemd").contains("Wrote "))
      #expect(FileManager.default.fileExists(atPath: scene.path("enabled")))
    }

    @Test func `install writes units that systemd verifies, and remove deletes them`() throws {
      let tools = scene.path("tools")
      try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
      _ = try scene.machine.directory.writeScript("tools/systemctl", "echo \"$*\" >> \"$HOME/systemctl.log\"")
      scene.machine.environment["PATH"] = "\(tools):\(scene.machine.environment["PATH"] ?? "")"
      try scene.install("systemd", "--group", "com.example.photo.purchases")
      let folder = scene.path(".config/systemd/user")
      let units = ["coffer-credentials.socket", "coffer-credentials@.service"].map { "\(folder)/\($0)" }
      let complaints = try UnitCheck.complaints(about: [units[0]])
      #expect(complaints.isEmpty, "\(complaints)")
      let log = try String(contentsOfFile: scene.path("systemctl.log"), encoding: .utf8)
      #expect(log.contains("daemon-reload") && log.contains("enable --now coffer-credentials.socket"))
      let again = try scene.machine.coffer("bridge", "install", "systemd", "--group", "com.example.photo.purchases")
      #expect(again.split(separator: "\n").allSatisfy { $0.hasPrefix("Unchanged") })
      try scene.machine.coffer("bridge", "remove", "systemd")
      #expect(units.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
      #expect(try String(contentsOfFile: scene.path("systemctl.log"), encoding: .utf8).contains("disable --now"))
    }
  }
#endif
