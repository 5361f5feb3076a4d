import CofferTestSupport
import Foundation
import Testing

/// The bridge for AWS, with the real CLI and a service that verifies signatures.
@Suite struct AWSBridgeTests {
  private let scene: BridgeScene

  init() throws { scene = try BridgeScene() }

  private func identity(_ service: CheckingService, _ scene: BridgeScene, profile: String? = nil) throws
    -> Machine.Outcome
  {
    try scene.run(
      "aws",
      ["sts", "get-caller-identity", "--region", "eu-central-1", "--endpoint-url", "http://127.0.0.1:\(service.port)"]
        + (profile.map { ["--profile", $0] } ?? []), environment: ["AWS_EC2_METADATA_DISABLED": "true"])
  }

  @Test func `aws signs with the stored key, with a session of a profile, and from a headless credential`() throws {
    let service = try CheckingService("sts", secret: "AKIDEXAMPLE:secret+key/1")
    try scene.install("aws")
    #expect(try identity(service, scene).exitCode != 0)
    try scene.set("aws", "default", "[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key=wrong\n")
    let refused = try identity(service, scene)
    #expect(refused.exitCode != 0 && refused.errors.contains("SignatureDoesNotMatch"), "\(refused)")
    try scene.set(
      "aws", "default", "[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key=secret+key/1\n")
    let found = try identity(service, scene)
    #expect(found.exitCode == 0 && found.text.contains("arn:aws:iam::123456789012:user/jane"), "\(found)")

    let session = try CheckingService("sts", secret: "ASIDEXAMPLE:key2:to/ken==")
    try scene.install("aws", "--name", "team prod")
    try scene.set(
      "aws", "team prod",
      """
      {"Credentials": {"AccessKeyId": "ASIDEXAMPLE", "SecretAccessKey": "key2", "SessionToken": "to/ken==",
       "Expiration": "2099-01-01T00:00:00+00:00"}}
      """)
    let named = try identity(session, scene, profile: "team prod")
    #expect(named.exitCode == 0, "\(named)")

    let job = try BridgeScene(headlessOf: scene)
    try job.install("aws")
    #expect(try identity(service, job).exitCode == 0)
    // Both profiles are gone, and nothing else was there.
    try scene.machine.coffer("bridge", "remove", "aws")
    #expect(!FileManager.default.fileExists(atPath: scene.path(".aws/config")))
  }

  @Test(arguments: [
    (
      "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\",\"Expiration\":\"2020-01-01T00:00:00Z\"}",
      "expired at 2020-01-01"
    ),
    ("{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\",\"Expiration\":\"soon\"}", "has an Expiration that is no time"),
    ("{\"AccessKeyId\":\"A\"}", "has no AccessKeyId and SecretAccessKey"), ("secret", "has no AccessKeyId"),
    ("[a]\naws_access_key_id = A\n[b]\naws_secret_access_key = s\n", "has several profiles"),
    ("aws_access_key_id = A\naws_secret_access_key = s\naws_access_key_id = B\n", "has several profiles"),
    ("{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"a b\"}", "has spaces or control characters in a key"),
    ("{\"AccessKeyId\":\"\",\"SecretAccessKey\":\"s\"}", "has an empty AccessKeyId or SecretAccessKey"),
  ])
  func `A value that is no valid access key is refused by name, without a part of it`(value: String, reason: String)
    throws
  {
    try scene.set("aws", "default", value)
    let outcome = try scene.answer("aws", "default")
    expectFailure(outcome, 2, "the value of aws, default \(reason)", "which AWS cannot take", "coffer set aws default")
    #expect(outcome.output.isEmpty)
  }

  @Test(arguments: [
    "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\",\"SessionToken\":\"\"}",
    "[default]\naws_access_key_id = A\naws_secret_access_key = s\naws_session_token =\n",
  ])
  func `An empty token of a session is not passed on`(value: String) throws {
    try scene.set("aws", "default", value)
    let outcome = try scene.answer("aws", "default")
    #expect(outcome.exitCode == 0 && outcome.text.contains("\"AccessKeyId\""), "\(outcome)")
    #expect(!outcome.text.contains("SessionToken"), "\(outcome)")
  }

  @Test func `doctor reports a profile that the file of credentials has too`() throws {
    try scene.install("aws")
    try FileManager.default.createDirectory(atPath: scene.path(".aws"), withIntermediateDirectories: true)
    try scene.machine.directory.write(".aws/credentials", "[other]\naws_access_key_id = A\n")
    #expect(try !scene.machine.run("coffer", "doctor").text.contains("aws"))
    try scene.machine.directory.write(".aws/credentials", "[default]\naws_access_key_id = A\n")
    let outcome = try scene.machine.run("coffer", "doctor")
    #expect(outcome.exitCode == 1 && outcome.text.contains("the profile default, which the clients of AWS use before"))
  }
}
