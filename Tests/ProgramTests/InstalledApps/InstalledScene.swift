#if os(Linux)
  import CofferTestSupport
  import Foundation

  /// A machine on which PhotoPro is installed for alice, whose vault has a passphrase, with a purchase in it.
  struct InstalledScene {
    static let bundleID = "com.example.photo.pro"
    static let program = "/usr/local/apps/PhotoPro"
    static let folder = "/var/lib/coffer/apps/\(bundleID)"

    let system: PrivateSystem

    /// Returns the scene for attacks that change nothing.
    static func shared() throws -> InstalledScene { try unsafe made.get() }

    // Made once, and nothing changes it.
    nonisolated(unsafe) private static let made = Result {
      let scene = try InstalledScene()
      scene.system.machine.directory.deleteAtExit()
      return scene
    }

    /// With `isInstalled` false, PhotoPro has an ordinary credential file.
    init(isInstalled: Bool = true) throws {
      system = try PrivateSystem()
      try system.addUser("alice")
      try system.write("right", to: "/home/alice/passphrase", as: "alice")
      try coffer("init", "--name", "laptop", "--vault-key-file", "vault-key")
      for app in ["PhotoFree", "PhotoPro"] {
        let plist = try String(contentsOfFile: Machine.entitlements(of: app), encoding: .utf8)
        try system.write(plist, to: "/home/alice/\(app).entitlements", as: "alice")
        try coffer("app", "add", "\(app).entitlements")
      }
      try system.succeed([Self.program, "buy"], as: "alice")
      if isInstalled { try install() }
    }

    /// Runs `coffer` as alice.
    @discardableResult
    func coffer(_ arguments: String...) throws -> String {
      try system.succeed(
        ["/usr/local/bin/coffer"] + arguments, as: "alice",
        environment: [
          "COFFER_PASSPHRASE_FILE": "/home/alice/passphrase", "COFFER_TEST_PASSPHRASE_COST": "floor",
        ])
    }

    /// Installs PhotoPro for alice.
    func install() throws {
      let outcome = try sudo("install", Self.bundleID, "--setgid", Self.program)
      guard outcome.exitCode == 0 else { throw SpawnedProgram.Failure(description: "\(outcome)") }
    }

    /// Runs `sudo coffer app …` as alice.
    func sudo(_ verb: String, _ arguments: String...) throws -> Machine.Outcome {
      let options = verb == "install" ? ["--passphrase-file", "/home/alice/passphrase"] : []
      let id = try system.succeed(["id", "-u", "alice"])
      return try system.run(
        ["/usr/local/bin/coffer", "app", verb] + arguments + options, environment: ["SUDO_UID": id])
    }

    /// The group of the installed program.
    func group() throws -> String { try system.succeed(["stat", "--format", "%G", Self.program]) }

    /// The path of alice's installed credential.
    func credential() throws -> String {
      let keys = try system.succeed(["sh", "-c", "echo \(Self.folder)/keys/*/*.\(Self.bundleID)"])
      return keys
    }
  }
#endif
