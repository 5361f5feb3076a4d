package import CofferCrypto

/// One generation of the vault-wide key that seals all synced objects.
package struct TransportKey: Sendable {
  /// The number of the generation, 1 for the first.
  package let generation: UInt32
  package let key: SymmetricKey

  /// Generates a random key of the first generation.
  package static func random() -> TransportKey { TransportKey(generation: 1, key: .random()) }

  package init(generation: UInt32, key: SymmetricKey) {
    self.generation = generation
    self.key = key
  }

  /// The commitment to the key in the log, which does not reveal it.
  package var commitment: Bytes32 { Hash.commitment(to: key.secret, domain: .keyCommitment) }

  /// Opens the first of an envelope's boxes that is sealed to `keys`; nil if none is. The caller must open the envelope
  /// with the key and compare ``commitment`` with the statement inside.
  package init?(generation: UInt32, boxes: [[UInt8]], openedBy keys: AgreementKey) {
    for box in boxes {
      do throws(CryptoError) {
        self.init(generation: generation, key: try SymmetricKey(keys.open(box)))
        return
      } catch {
        // This box is sealed to another recipient: boxes are not labelled.
        continue
      }
    }
    return nil
  }
}
