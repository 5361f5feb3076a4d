import CofferTestSupport
import Foundation
import Testing

/// The bridge for kubectl, with the real kubectl and a server that checks tokens.
@Suite struct KubectlBridgeTests {
  private let scene: BridgeScene

  init() throws { scene = try BridgeScene() }

  private struct Answer: Decodable {
    struct Status: Decodable { let token, clientCertificateData, clientKeyData: String? }

    let apiVersion, kind: String
    let status: Status
  }

  @Test func `kubectl authenticates with the stored token, also from a headless credential`() throws {
    let authority = try CertificateAuthority()
    let server = try CheckingService(
      "kubernetes", secret: "k8s.token", identity: authority.identity(for: "127.0.0.1"))
    func prepare(_ scene: BridgeScene) throws {
      try scene.install("kubectl", "--name", "jane")
      try scene.succeed(
        "kubectl", "config", "set-cluster", "c", "--server", "https://127.0.0.1:\(server.port)",
        "--certificate-authority", authority.certificate)
      try scene.succeed("kubectl", "config", "set-context", "c", "--cluster", "c", "--user", "jane")
      try scene.succeed("kubectl", "config", "use-context", "c")
    }
    try prepare(scene)
    let none = try scene.run("kubectl", ["get", "--raw", "/version"])
    #expect(none.exitCode != 0 && none.errors.contains("coffer set kubectl jane"), "\(none)")
    try scene.set("kubectl", "jane", "wrong")
    #expect(try scene.run("kubectl", ["get", "--raw", "/version"]).exitCode != 0)
    #expect(server.requests.last?.hasSuffix("401") == true)
    try scene.set("kubectl", "jane", "k8s.token\n")
    #expect(try scene.succeed("kubectl", "get", "--raw", "/version").contains("v1.32.0"))
    let job = try BridgeScene(headlessOf: scene)
    try prepare(job)
    #expect(try job.succeed("kubectl", "get", "--raw", "/version").contains("v1.32.0"))
    try scene.machine.coffer("bridge", "remove", "kubectl")
    let left = try scene.succeed("kubectl", "config", "view")
    #expect(!left.contains("bridge kubectl") && left.contains("127.0.0.1"), "\(left)")
  }

  @Test func `A user of kubectl that somebody else has configured stays`() throws {
    try scene.succeed("kubectl", "config", "set-credentials", "coffer", "--token", "own")
    expectFailure(
      try scene.machine.run("coffer", "bridge", "install", "kubectl"), 2, "kubectl has a user coffer already", "--name")
    #expect(!FileManager.default.fileExists(atPath: scene.path(".local/bin/coffer-kubectl-credential")))
    #expect(try scene.succeed("kubectl", "config", "view", "--raw").contains("own"))
  }

  @Test func `A certificate with its key is told apart from a token, and the version is the one that is asked for`()
    throws
  {
    let authority = try CertificateAuthority()
    let identity = try authority.identity(for: "jane")
    let certificate = try String(contentsOfFile: identity.certificate, encoding: .utf8)
    let key = try String(contentsOfFile: identity.key, encoding: .utf8)
    try scene.set("kubectl", "jane", key + certificate)
    scene.machine.environment["KUBERNETES_EXEC_INFO"] =
      "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"spec\":{\"interactive\":false}}"
    let answer = try JSONDecoder().decode(Answer.self, from: scene.answer("kubectl", "jane").output)
    #expect(answer.apiVersion == "client.authentication.k8s.io/v1" && answer.kind == "ExecCredential")
    #expect(answer.status.clientCertificateData == certificate && answer.status.clientKeyData == key)
    #expect(answer.status.token == nil)
    scene.machine.environment["KUBERNETES_EXEC_INFO"] = nil
    try scene.set("kubectl", "jane", certificate)
    expectFailure(try scene.answer("kubectl", "jane"), 2, "has no certificate with its key")
  }
}
