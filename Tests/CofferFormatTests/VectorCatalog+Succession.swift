import CofferCrypto
import CofferFormatSamples

@testable import CofferFormat

extension VectorCatalog {
  /// Slots of later roots, and successions.
  mutating func addSuccessions() throws {
    let slot = try fixture.laterRootSlot().bytes
    let inputs = ["genesis": hexadecimal(fixture.genesis.bytes), "vault key": SampleObjects.vaultKeyText]
    try add("root-slot-2", "root slot", slot, inputs)
    try add(
      "root-slot-2-other-vault-key", "root slot", slot, inputs.merging(["vault key": VaultKey.random().string]) { $1 },
      expect: "authenticationFailed")
    try add("root-slot-2-other-vault", "root slot", altered(slot, at: 5, to: ~slot[5]), inputs, expect: "otherVault")
    // kind 5, genesis 32, generation 4, then the public keys.
    try add(
      "root-slot-2-other-generation", "root slot", altered(slot, at: 40, to: 3), inputs, expect: "badSignature")
    try add("root-slot-2-other-root", "root slot", altered(slot, at: 41, to: ~slot[41]), inputs, expect: "badSignature")
    try add(
      "root-slot-2-other-box-key", "root slot", altered(slot, at: 73, to: ~slot[73]), inputs, expect: "badSignature")
    try add("root-slot-2-truncated", "root slot", Array(slot.dropLast()), inputs, expect: "truncated")
    try add("root-slot-2-trailing-byte", "root slot", slot + [0], inputs, expect: "trailingBytes")
    try add("root-slot-4", "root slot", altered(slot, at: 4, to: 4), inputs, expect: "unsupportedVersion")
    for generation: UInt32 in [0, 1] {
      let early = RootSlot(
        genesis: fixture.genesis, generation: generation, root: try fixture.laterRoot(), under: fixture.vaultKey)
      try add("root-slot-2-of-generation-\(generation)", "root slot", early.bytes, inputs, expect: "invalidValue")
    }
    // Root signs what it seals, and could seal another's keys.
    try add(
      "root-slot-2-with-other-keys", "root slot", try slotWithOtherKeys(), inputs, expect: "authenticationFailed")

    let entry = try fixture.entries()[1]
    let admin = self.inputs(of: fixture.admin)
    let body = Statement.succession(try fixture.succession()).body
    func statement(_ body: [UInt8]) -> [UInt8] { signed(entry: entry, kind: 10, isCritical: true, body: body) }
    // root 64, generation 4, slot 32, following entries 4, then the number of keys, of 52 bytes each.
    for generation: UInt8 in [0, 1] {
      try add(
        "log-succession-to-generation-\(generation)", "log entry", statement(altered(body, at: 67, to: generation)),
        admin, expect: "invalidValue")
    }
    let keys = [Array(body[108..<160]), Array(body[160...])]
    let head = Array(body[..<104])
    try add(
      "log-succession-keys-descending", "log entry", statement(head + [0, 0, 0, 2] + keys[1] + keys[0]), admin,
      expect: "invalidValue")
    try add(
      "log-succession-key-twice", "log entry", statement(head + [0, 0, 0, 2] + keys[0] + keys[0]), admin,
      expect: "invalidValue")
    try add("log-succession-with-16385-keys", "log entry", statement(head + [0, 0, 64, 1]), admin, expect: "tooLarge")
    try add("log-succession-truncated", "log entry", statement(body.dropLast()), admin, expect: "truncated")
    try add("log-succession-trailing-byte", "log entry", statement(body + [0]), admin, expect: "trailingBytes")
    try add("log-succession-without-keys", "log entry", statement(head + [0, 0, 0, 0]), admin)
  }

  private func slotWithOtherKeys() throws -> [UInt8] {
    let root = try fixture.laterRoot()
    var writer = ByteWriter()
    writer.begin(.rootSlot, version: 2)
    writer.fixed(fixture.genesis.hash.raw)
    writer.u32(2)
    writer.publicKeys(root.publicKeys)
    let associated = writer.bytes
    let key = fixture.vaultKey.sealing
    writer.fixed(key.slotCommitment(to: associated))
    writer.data(key.slotSealing.seal(fixture.root.secret, associated: associated))
    let digest = Hash.digest(writer.bytes, domain: .rootSlot)
    writer.fixed(root.signing.sign(digest, domain: .rootSlot).bytes)
    return writer.bytes
  }
}
