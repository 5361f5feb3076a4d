internal import CofferCrypto

extension SymmetricKey {
  /// Returns a commitment that binds a slot to one key. Without it, a ciphertext could be crafted that opens under two
  /// keys.
  func slotCommitment(to associated: [UInt8]) -> Bytes32 {
    derived(context: "CfSlotCm").keyedHash32(associated, domain: .slotCommitment)
  }

  /// The subkey that seals a slot's content.
  var slotSealing: SymmetricKey { derived(context: "CfSlotSl") }
}
