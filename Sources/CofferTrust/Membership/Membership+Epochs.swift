internal import CofferCrypto
package import CofferFormat

/// Who may end an epoch and begin the next one.
extension Membership {
  /// Verifies that an admin's machine has signed a closing of this vault. An attacker with push access could have copied one.
  package func verify(_ closing: Closing) throws(EpochSignatureError) {
    guard closing.vault == vault else {
      throw .invalid(FormatError(.otherVault, object: "closing", field: "vault"))
    }
    try verify("closing", by: closing.device, closing.isSigned(by:))
  }

  /// Verifies that an admin's machine has signed a checkpoint of this vault, which names the end of this log.
  package func verify(_ checkpoint: Checkpoint) throws(EpochSignatureError) {
    try verify("checkpoint", by: checkpoint.device, checkpoint.isSigned(by:))
  }

  private func verify(
    _ object: String, by device: DeviceID, _ isSigned: (VerifyingKey) -> Bool
  ) throws(EpochSignatureError) {
    guard let machine = devices[device], machine.isAdmin else { throw .notOfAdmin }
    guard isSigned(machine.keys.verifying) else {
      throw .invalid(FormatError(.badSignature, object: object, field: "signature"))
    }
  }
}

/// Why a closing or a checkpoint does not count.
package enum EpochSignatureError: Error {
  /// The machine that signed it is not an admin's. A later entry of the log can make it one.
  case notOfAdmin
  /// No entry of the log makes it valid.
  case invalid(FormatError)
}
