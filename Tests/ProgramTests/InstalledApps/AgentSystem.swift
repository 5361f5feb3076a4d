#if os(Linux)
  import CofferTestSupport
  import Foundation

  /// An agent of alice in a private system, at the place where every program looks for it: setgid programs ignore the
  /// variable by which tests separate agents.
  final class AgentSystem {
    let scene: InstalledScene
    private let agent: RunningProgram

    /// Prepares the system before the agent starts. `variables` are for the agent.
    init(
      isInstalled: Bool = false, environment variables: [String: String] = [:],
      _ prepare: (InstalledScene) throws -> Void = { _ in }
    ) throws {
      scene = try InstalledScene(isInstalled: isInstalled)
      try prepare(scene)
      let system = scene.system
      try system.succeed(["cp", Machine.path(of: "coffer-agent"), "/usr/local/bin/coffer-agent"])
      let runtime = "/run/user/\(try system.succeed(["id", "-u", "alice"]))"
      try system.succeed([
        "sh", "-c",
        "mount -t tmpfs tmpfs /run && mkdir -p \(runtime) && chown alice \(runtime) && chmod 700 \(runtime)",
      ])
      agent = try system.machine.start(
        "/usr/bin/env",
        [
          "setpriv", "--reuid", "alice", "--regid", "alice", "--init-groups", "--reset-env", "env",
          "--chdir=/home/alice",
        ]
          + variables.map { "\($0)=\($1)" } + ["/usr/local/bin/coffer-agent"])
      try waitUntil("the agent listens") {
        try system.run(["test", "-e", "\(runtime)/coffer/agent"]).exitCode == 0 || !agent.isRunning
      }
    }

    deinit { agent.kill() }

    /// Runs a program as alice, who is not asked for the passphrase.
    func run(_ command: String...) throws -> Machine.Outcome {
      try scene.system.run(command, as: "alice", environment: ["COFFER_TEST_PASSPHRASE_COST": "floor"])
    }
  }
#endif
