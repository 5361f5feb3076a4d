#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// The program that shows the agent's dialogs, which root chooses in /etc/coffer/pinentry.
  @Suite(.enabled(if: PrivateSystem.isAvailable, "only root can write to /etc, in a namespace with mounts of its own"))
  struct DialogProgramTests {
    private static let dialog = "/usr/local/bin/ask"
    private static let get = [
      "/usr/local/bin/coffer", "get", "store.example.com", "photo-pro", "--group", "com.example.photo.purchases",
    ]

    private func makeSystem() throws -> AgentSystem {
      try AgentSystem(environment: ["DISPLAY": ":99"]) { scene in
        let script = ScriptedDialog.script(
          answer: "touch /home/alice/asked; echo OK", recordingIn: "/home/alice/spoken")
        try scene.system.write(script, to: Self.dialog, isExecutable: true)
        try scene.system.succeed(["sh", "-c", "mkdir -p /etc/coffer && echo \(Self.dialog) > /etc/coffer/pinentry"])
      }
    }

    /// Whether the program was started, and the value read.
    private func isAsked(_ system: AgentSystem) throws -> Bool {
      try system.scene.system.succeed(["rm", "-f", "/home/alice/asked"])
      try system.scene.coffer("lock")
      try system.scene.coffer("unlock", "--confirm")
      let outcome = try system.scene.system.run(
        Self.get, as: "alice", environment: ["COFFER_TEST_PASSPHRASE_COST": "floor"])
      let isAsked = try system.run("test", "-e", "asked").exitCode == 0
      #expect(outcome.text.hasPrefix("coffer-receipt-1:") == isAsked, "\(outcome)")
      if !isAsked { expectFailure(outcome, 5, "demands that a person answers") }
      return isAsked
    }

    @Test func `It is started if only root can change it and its path, and not otherwise`() throws {
      let system = try makeSystem()
      func change(_ command: String) throws { try system.scene.system.succeed(["sh", "-c", command]) }
      #expect(try isAsked(system))
      for (weaken, restore) in [
        ("chown alice \(Self.dialog)", "chown root \(Self.dialog)"),
        ("chmod o+w \(Self.dialog)", "chmod o-w \(Self.dialog)"),
        ("chown alice /etc/coffer/pinentry", "chown root /etc/coffer/pinentry"),
        ("chmod g+w /etc/coffer/pinentry", "chmod g-w /etc/coffer/pinentry"),
        ("chown alice /etc/coffer", "chown root /etc/coffer"),
        (
          "cp \(Self.dialog) /home/alice/ask; echo /home/alice/ask > /etc/coffer/pinentry",
          "echo \(Self.dialog) > /etc/coffer/pinentry"
        ),
        ("echo ask > /etc/coffer/pinentry", "echo \(Self.dialog) > /etc/coffer/pinentry"),
      ] {
        try change(weaken)
        #expect(try !isAsked(system), "\(weaken)")
        try change(restore)
      }
      #expect(try isAsked(system))
    }
  }
#endif
