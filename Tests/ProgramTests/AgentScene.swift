#if os(Linux)
  import CofferAgent
  import CofferFormat
  import CofferTestSupport
  import CofferTrust
  import CofferVault
  import Foundation

  /// A machine with a vault under the passphrase "correct horse", and an agent of its own.
  final class AgentScene {
    let machine: Machine
    let passphrase: String
    private var programs: [RunningProgram] = []

    var socket: String { machine.directory.path("run/agent") }

    /// Registers apps, as locked ones if `isLocked`, and stores an item.
    init(isLocked: Bool = false, apps: [String] = ["PhotoPro"]) throws {
      machine = try Machine()
      passphrase = try machine.makeVault(passphrase: "correct horse")
      let lock = isLocked ? ["--locked"] : []
      for app in apps {
        try machine.succeed(
          "coffer", ["app", "add", "--passphrase-file", passphrase] + lock + [Machine.entitlements(of: app)])
      }
      try machine.succeed(
        "coffer", ["set", "--passphrase-file", passphrase, "--group", Self.group, "api", "jane"], input: "hunter2")
    }

    /// Enrols a member's machine of the vault of another scene, with an app whose keys no passphrase protects, and one
    /// that is locked there.
    init(memberOf admin: AgentScene, open: String, locked: String) throws {
      let remote = admin.machine.directory.path("remote.git")
      try Command.run("git", "init", "--quiet", "--bare", remote)
      try admin.machine.coffer("remote", "set", remote)
      try admin.machine.coffer("sync")
      machine = try Machine()
      passphrase = try machine.directory.write("passphrase", "correct horse")
      try machine.coffer(
        "clone", "--member", "--app", open, "--name", "ci", "--passphrase-file", passphrase, "--vault-key-file",
        admin.machine.directory.path("vault-key"), remote)
      try admin.machine.coffer("sync")
      try admin.machine.coffer("app", "install", locked, "--on", "ci", "--passphrase-file", admin.passphrase)
      try machine.coffer("app", "install", locked, "--passphrase-file", passphrase)
    }

    /// Runs a program as another user. Only root can.
    static let asOtherUser = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    static let group = "com.example.photo.pro"
    static let get = ["get", "--group", group, "api", "jane"]

    deinit {
      for process in (try? agents()) ?? [] { kill(process, SIGKILL) }
      for program in programs { program.kill() }
    }

    /// Starts an agent that ends with the scene, and waits until it listens.
    @discardableResult
    func startAgent(environment: [String: String] = [:]) throws -> RunningProgram {
      let agent = try machine.start("coffer-agent", [], environment: environment)
      programs.append(agent)
      try waitUntil("the agent answers") { try status() != nil }
      return agent
    }

    @discardableResult
    func unlock(_ options: String...) throws -> String {
      try machine.succeed("coffer", ["unlock", "--passphrase-file", passphrase] + options)
    }

    /// Reads the item without a terminal, in the process tree of this test, or in one of its own.
    func get(_ options: String..., inOwnTree: Bool = false) throws -> Machine.Outcome {
      try machine.start("coffer", Self.get + options, wrapper: inOwnTree ? ["setsid", "--wait"] : []).wait()
    }

    /// The processes of the agents of this machine.
    func agents() throws -> [pid_t] { try machine.processes(named: ["coffer-agent"]) }

    struct Status: Decodable {
      let isRunning: Bool
      let process: Int32?
      let locksWithScreen: Bool
      let vaults: [AgentStatus.UnlockedVault]
      let leases: [AgentStatus.Lease]
    }

    /// The state of the agent; nil if none runs.
    func status() throws -> Status? {
      let status = try machine.json(Status.self, "agent", "status")
      return status.isRunning ? status : nil
    }

    func log() throws -> [AgentLog.Entry] { try machine.json([AgentLog.Entry].self, "agent", "log") }

    /// The owner's author identifier, in hexadecimal.
    func owner() throws -> String {
      let local = try LocalVault.open(VaultFolder(machine.vault))
      guard let admin = try local.machine(in: local.publishedMembership())?.admin else {
        throw SpawnedProgram.Failure(description: "the machine has no admin")
      }
      return admin.description
    }

    /// The identifier of the item's group, in hexadecimal.
    func groupID() throws -> String {
      let membership = try LocalVault.open(VaultFolder(machine.vault)).publishedMembership()
      return GroupID(vault: membership.vault, name: membership.team.prefix + Self.group).description
    }

    /// A text as Python writes it.
    func python(_ text: String) -> String { "'\(text)'" }

    /// Changes the store in place, as another program can.
    func changeStore(_ statement: String) throws {
      try Command.run(
        "python3", "-c",
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit(); print(c.total_changes)",
        VaultFolder(machine.vault).storePath, statement)
    }

    /// Runs Python code with a function `connect()` that opens a connection to the agent, and returns what it prints.
    func attack(_ code: String, wrapper: [String] = []) throws -> String {
      let script = """
        import os, socket, struct, sys, time
        path = sys.argv[1]
        def connect():
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            connection.settimeout(300)
            connection.connect(path)
            return connection
        def ask(connection, packet):
            connection.send(packet)
            return connection.recv(65536)
        STATUS = bytes([2, 6])
        LEASE = struct.pack(">I", 600)
        USE, SHOW = b"\\1", b"\\2"
        def opening(folder, author, groups=[], purpose=USE, reason=b""):
            packet = bytes([2, 1]) + struct.pack(">I", len(folder)) + folder + author
            packet += struct.pack(">I", len(groups)) + b"".join(groups)
            return packet + purpose + struct.pack(">I", len(reason)) + reason + LEASE

        """
      return try Command.run(arguments: wrapper + ["/usr/bin/python3", "-c", script + code, socket])
    }
  }
#endif
