import CofferTestSupport
import Foundation
import Testing

/// The bridge for docker, podman and skopeo, as they run it.
@Suite struct DockerBridgeTests {
  private let machine: Machine
  private let server = "https://index.docker.io/v1/"

  private struct Credentials: Decodable { let ServerURL, Username, Secret: String }

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
  }

  private func ask(_ verb: String, _ input: String = "") throws -> Machine.Outcome {
    try machine.start("coffer", ["bridge", "docker", verb], input: Data(input.utf8)).wait()
  }

  private func store(_ server: String, _ user: String, _ secret: String) throws {
    let outcome = try ask("store", "{\"ServerURL\":\"\(server)\",\"Username\":\"\(user)\",\"Secret\":\"\(secret)\"}")
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
  }

  private func get(_ server: String) throws -> Credentials {
    try JSONDecoder().decode(Credentials.self, from: ask("get", server + "\n").output)
  }

  /// Expects an error in the words of docker, which are on standard output.
  private func expectRefusal(_ outcome: Machine.Outcome, _ text: String) {
    #expect(outcome.exitCode == 1 && outcome.text == text && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test func `A login is stored, found by its exact server, and replaced by the next one`() throws {
    try store(server, "jane", "p\\\"w\\né")
    #expect(try get(server).Secret == "p\"w\né" && get(server).Username == "jane" && get(server).ServerURL == server)
    try store("localhost:5000", "<token>", "identity")
    try store(server, "joe", "second")
    #expect(try get(server).Username == "joe" && get(server).Secret == "second")
    let list = try JSONDecoder().decode([String: String].self, from: ask("list").output)
    #expect(list == [server: "joe", "localhost:5000": "<token>"])
    expectRefusal(try ask("get", "https://index.docker.io/v1"), "credentials not found in native keychain")
  }

  @Test func `The same login again is no new version`() throws {
    try store(server, "jane", "one")
    let before = try machine.coffer("show", server, "jane")
    try store(server, "jane", "one")
    #expect(try machine.coffer("show", server, "jane") == before)
  }

  @Test func `erase can be repeated, and errors are the words that clients compare`() throws {
    try store(server, "jane", "one")
    for _ in 0..<3 {
      let outcome = try ask("erase", server)
      #expect(outcome.exitCode == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    }
    expectRefusal(try ask("get", server), "credentials not found in native keychain")
    expectRefusal(try ask("get", "\n"), "no credentials server URL")
    expectRefusal(try ask("erase"), "no credentials server URL")
    expectRefusal(
      try ask("store", "{\"ServerURL\":\"\",\"Username\":\"u\",\"Secret\":\"s\"}"), "no credentials server URL")
    expectRefusal(
      try ask("store", "{\"ServerURL\":\"s\",\"Username\":\"\",\"Secret\":\"s\"}"), "no credentials username")
    #expect(try ask("store", "no json").exitCode == 1)
    expectRefusal(try ask("forget"), "unknown credential action `forget`")
    #expect(try ask("list").text == "{}")
  }

  @Test func `Other passwords are not docker's`() throws {
    try machine.coffer("set", server, "jane", input: "own")
    expectRefusal(try ask("get", server), "credentials not found in native keychain")
    #expect(try ask("erase", server).exitCode == 0)
    #expect(try machine.coffer("get", server, "jane") == "own")
  }

  @Test func `install keeps the rest of docker's configuration, and the program that it writes answers`() throws {
    let folder = machine.directory.path(".docker")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try machine.directory.write(
      ".docker/config.json", "{\"auths\":{\"a\":{}},\"n\":1.5,\"i\":12345678901,\"b\":true,\"z\":null}")
    let program = machine.directory.path(".local/bin/docker-credential-coffer")
    let installed = try machine.run("coffer", "bridge", "install", "docker")
    #expect(
      installed.exitCode == 0 && installed.text.contains(program) && installed.errors.contains("PATH"), "\(installed)")
    let file = try Data(contentsOf: URL(fileURLWithPath: folder + "/config.json"))
    let object = try #require(JSONSerialization.jsonObject(with: file) as? [String: Any])
    #expect(object["credsStore"] as? String == "coffer" && object["i"] as? Int == 12_345_678_901 && object.count == 6)
    try store(server, "jane", "one")
    let outcome = try machine.start(program, ["get"], input: Data(server.utf8)).wait()
    #expect(outcome.exitCode == 0 && outcome.text.contains("\"Secret\":\"one\""), "\(outcome)")
    try machine.coffer("bridge", "install", "docker")
    #expect(try machine.coffer("bridge", "remove", "docker").split(separator: "\n").count == 2)
    #expect(!FileManager.default.fileExists(atPath: program))
    expectFailure(try machine.run("coffer", "bridge", "remove", "docker"), 3, "not installed")
    try machine.directory.write(".docker/config.json", "{\"credsStore\":\"pass\"}")
    expectFailure(try machine.run("coffer", "bridge", "install", "docker"), 2, "another store of credentials: pass")
    #expect(!FileManager.default.fileExists(atPath: program))
    try machine.directory.write(".docker/config.json", "[]")
    expectFailure(try machine.run("coffer", "bridge", "install", "docker"), 2, "no JSON object")
  }
}
