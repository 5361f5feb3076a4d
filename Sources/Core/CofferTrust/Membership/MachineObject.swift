package import CofferCrypto
package import CofferFormat

/// What a machine signs with its own keys. Authors sign the rest: records, and entries of the log.
package enum MachineObject: Hashable, Sendable {
  /// A segment, on a branch or in a lane.
  case segment(StreamPosition)
  /// What a segment states about the log and about other streams.
  case claim
  /// The end of an epoch, with which the branch of the next one begins.
  case closing
  case checkpoint
  /// The checkpoint of an epoch that this machine has moved to. Its signer may have been removed since.
  case followedCheckpoint
  /// The statement of a backup.
  case backup
}

/// Why an object of a machine does not count.
package enum MachineObjectRefusal: Error, Hashable {
  /// The log does not contain the machine.
  case unknown
  /// The machine is a headless credential, which may only read.
  case readOnly
  /// The machine was revoked, and the object is not among those that still count.
  case revoked
  /// The machine is not an admin's. A later entry of the log can make it one.
  case notOfAdmin
}

/// What machines may sign. Every signature of a machine is judged here, so that none counts because nobody has asked
/// for its role.
extension Membership {
  /// Returns why an object that a machine has signed does not count by this log; nil if it does. The signature is not
  /// verified.
  package func refusal(of object: MachineObject, by device: DeviceID) -> MachineObjectRefusal? {
    guard let machine = devices[device] else { return .unknown }
    guard !machine.isReadOnly else { return .readOnly }
    switch object {
    case .segment(let position): return machine.allows(position) ? nil : .revoked
    case .claim, .backup: return machine.revocation == nil ? nil : .revoked
    case .closing, .checkpoint:
      guard machine.revocation == nil else { return .revoked }
      return machine.admin != nil ? nil : .notOfAdmin
    case .followedCheckpoint:
      return authors.values.contains { $0.isAdmin && $0.device == device } ? nil : .notOfAdmin
    }
  }

  /// Whether an object of a machine counts by this log, and the machine has signed it.
  package func counts(_ object: MachineObject, by device: DeviceID, isSigned: (VerifyingKey) -> Bool) -> Bool {
    guard refusal(of: object, by: device) == nil, let machine = devices[device] else { return false }
    return isSigned(machine.keys.verifying)
  }

  /// Whether what the segments of a machine state about the log and about other streams counts. Another branch of a
  /// forked log can have a machine that this one does not have.
  package func mayClaim(_ device: DeviceID) -> Bool {
    switch refusal(of: .claim, by: device) {
    case nil, .unknown: true
    case .readOnly, .revoked, .notOfAdmin: false
    }
  }

  /// Verifies that an admin's machine has signed a closing of this vault. An attacker with push access could have
  /// copied one.
  package func verify(_ closing: Closing) throws(EpochSignatureError) {
    guard closing.vault == vault else {
      throw .invalid(FormatError(.otherVault, object: "closing", field: "vault"))
    }
    try verify("closing", .closing, by: closing.device, closing.isSigned(by:))
  }

  /// Verifies that an admin's machine has signed a checkpoint of this vault, which names the end of this log.
  package func verify(_ checkpoint: Checkpoint) throws(EpochSignatureError) {
    try verify("checkpoint", .checkpoint, by: checkpoint.device, checkpoint.isSigned(by:))
  }

  private func verify(
    _ name: String, _ object: MachineObject, by device: DeviceID, _ isSigned: (VerifyingKey) -> Bool
  ) throws(EpochSignatureError) {
    guard refusal(of: object, by: device) == nil, let machine = devices[device] else { throw .notOfAdmin }
    guard isSigned(machine.keys.verifying) else {
      throw .invalid(FormatError(.badSignature, object: name, field: "signature"))
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
