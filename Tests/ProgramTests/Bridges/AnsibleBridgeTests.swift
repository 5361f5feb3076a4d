import CofferTestSupport
import Foundation
import Testing

/// The bridge for ansible, with the real ansible-vault.
@Suite struct AnsibleBridgeTests {
  private let scene: BridgeScene

  init() throws { scene = try BridgeScene() }

  @Test func `ansible-vault encrypts and decrypts with stored passwords, by vault ID and from a headless credential`()
    throws
  {
    try scene.install("ansible")
    // 2 says that there is no password.
    #expect(try scene.answer("ansible").exitCode == 2)
    #expect(try scene.answer("ansible", "--group", "no.such.group").exitCode == 4)
    try scene.machine.directory.write("plain", "text\n")
    let none = try scene.run("ansible-vault", ["encrypt", "plain", "--output", "sealed"])
    #expect(none.exitCode != 0 && none.errors.contains("did not find a secret for vault-id=default"), "\(none)")
    try scene.set("ansible-vault", "default", "first password\n")
    try scene.set("ansible-vault", "dev", "second")
    try scene.succeed("ansible-vault", "encrypt", "plain", "--output", "sealed")
    #expect(try scene.succeed("ansible-vault", "view", "sealed") == "text")
    let dev = "dev@\(scene.path(".local/bin/coffer-ansible-client"))"
    try scene.succeed(
      "ansible-vault", "encrypt", "plain", "--output", "sealed-dev", "--vault-id", dev, "--encrypt-vault-id", "dev")
    #expect(try scene.succeed("head", "-n", "1", "sealed-dev") == "$ANSIBLE_VAULT;1.2;AES256;dev")
    let job = try BridgeScene(headlessOf: scene)
    try job.install("ansible")
    #expect(try job.succeed("ansible-vault", "view", scene.path("sealed")) == "text")
    try scene.set("ansible-vault", "default", "another")
    #expect(try scene.run("ansible-vault", ["view", "sealed"]).exitCode != 0)
  }
}
