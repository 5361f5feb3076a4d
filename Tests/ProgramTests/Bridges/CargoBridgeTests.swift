import CofferTestSupport
import Foundation
import Testing

/// The bridge for cargo: as cargo runs it, and with the real cargo and a registry on loopback.
@Suite struct CargoBridgeTests {
  private let scene: BridgeScene
  private let index = "sparse+https://registry.example.com/index/"

  init() throws { scene = try BridgeScene() }

  private func ask(_ requests: String...) throws -> [String] {
    let outcome = try scene.answer(
      "cargo", "--cargo-plugin", input: Data((requests.joined(separator: "\n") + "\n").utf8))
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
    return outcome.text.split(separator: "\n").map(String.init)
  }

  private func request(_ kind: String, _ more: String = "") -> String {
    "{\"v\":1,\"registry\":{\"index-url\":\"\(index)\",\"name\":\"mine\"},\"kind\":\"\(kind)\"\(more),\"args\":[]}"
  }

  @Test func `Requests of one connection are answered one by one, in the words of version 1`() throws {
    #expect(
      try ask(
        request("get", ",\"operation\":\"read\""), request("login", ",\"token\":\"tok-1\",\"login-url\":null"),
        request("get", ",\"operation\":\"publish\",\"vers\":\"1.0.0\""), request("logout"), request("logout"),
        request("future")
      ) == [
        "{\"v\":[1]}", "{\"Err\":{\"kind\":\"not-found\"}}", "{\"Ok\":{\"kind\":\"login\"}}",
        "{\"Ok\":{\"cache\":\"session\",\"kind\":\"get\",\"operation_independent\":true,\"token\":\"tok-1\"}}",
        "{\"Ok\":{\"kind\":\"logout\"}}", "{\"Err\":{\"kind\":\"not-found\"}}",
        "{\"Err\":{\"kind\":\"operation-not-supported\"}}",
      ])
    let malformed = try ask("{\"v\":2}", "no json")
    let tooLong = try scene.answer("cargo", "--cargo-plugin", input: Data(repeating: 0x20, count: 16 << 20 + 1))
    expectFailure(tooLong, 2, "cargo's message has more than 16 MiB")
    #expect(malformed.count == 3 && malformed.dropFirst().allSatisfy { $0.contains("\"kind\":\"other\"") })
  }

  @Test func `Without a vault no token is found, and an empty one is neither stored nor given`() throws {
    let machine = try Machine()
    let input = request("get", ",\"operation\":\"read\"") + "\n" + request("logout") + "\n"
    let outcome = try machine.start("coffer", ["bridge", "cargo", "--cargo-plugin"], input: Data(input.utf8)).wait()
    let absent = "{\"Err\":{\"kind\":\"not-found\"}}"
    #expect(outcome.exitCode == 0 && outcome.text == "{\"v\":[1]}\n\(absent)\n\(absent)", "\(outcome)")
    let empty = try ask(request("login", ",\"token\":\"\""), request("get", ",\"operation\":\"read\""))
    #expect(empty[1].contains("is empty; nothing was stored") && empty[2] == absent, "\(empty)")
    try scene.set(index, "cargo", "")
    let stored = try ask(request("get", ",\"operation\":\"read\""))
    #expect(stored[1].contains("\"kind\":\"other\"") && stored[1].contains("is empty, which cargo"), "\(stored)")
  }

  @Test
  func `cargo logs in, publishes to a private index and logs out, and a job publishes with a headless credential`()
    throws
  {
    let registry = try CheckingService("cargo", secret: "tok-1")
    func prepare(_ scene: BridgeScene) throws {
      try FileManager.default.createDirectory(atPath: scene.path(".cargo"), withIntermediateDirectories: true)
      try scene.machine.directory.write(
        ".cargo/config.toml", "[registries.mine]\nindex = \"sparse+http://127.0.0.1:\(registry.port)/index/\"\n")
      try scene.install("cargo")
      try scene.succeed("cargo", "init", "-q", "--lib", "--vcs", "none", "--name", "hello", "hello")
      let manifest = scene.path("hello/Cargo.toml")
      try
        (String(contentsOfFile: manifest, encoding: .utf8)
        .replacingOccurrences(of: "[package]", with: "[package]\nlicense = \"MIT\"\ndescription = \"x\""))
        .write(toFile: manifest, atomically: true, encoding: .utf8)
    }
    func publish(_ scene: BridgeScene) throws -> Machine.Outcome {
      try scene.run(
        "cargo",
        ["publish", "--registry", "mine", "--no-verify", "--allow-dirty", "--manifest-path", "hello/Cargo.toml"])
    }
    try prepare(scene)
    #expect(try publish(scene).exitCode != 0)
    try scene.succeed("cargo", "login", "--registry", "mine", input: "wrong\n")
    #expect(try publish(scene).exitCode != 0)
    #expect(!registry.requests.contains { $0.hasPrefix("PUT") && $0.hasSuffix("200") })
    try scene.succeed("cargo", "login", "--registry", "mine", input: "tok-1\n")
    let published = try publish(scene)
    #expect(published.exitCode == 0, "\(published)")
    #expect(registry.requests.contains("PUT /api/v1/crates/new 200"))
    #expect(!FileManager.default.fileExists(atPath: scene.path(".cargo/credentials.toml")))
    let job = try BridgeScene(headlessOf: scene)
    try prepare(job)
    let manifest = job.path("hello/Cargo.toml")
    try String(contentsOfFile: manifest, encoding: .utf8)
      .replacingOccurrences(of: "version = \"0.1.0\"", with: "version = \"0.2.0\"")
      .write(toFile: manifest, atomically: true, encoding: .utf8)
    let again = try publish(job)
    #expect(again.exitCode == 0, "\(again)")
    try scene.succeed("cargo", "logout", "--registry", "mine")
    #expect(try publish(scene).exitCode != 0)
  }
}
