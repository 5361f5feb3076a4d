package import CofferCrypto

/// One generation of the vault-wide key that seals what travels.
package struct TransportKey: Sendable {
  /// 1 for the first.
  package let generation: UInt32
  package let key: SymmetricKey

  /// The first generation, fresh.
  package static func random() -> TransportKey { TransportKey(generation: 1, key: .random()) }

  package init(generation: UInt32, key: SymmetricKey) {
    self.generation = generation
    self.key = key
  }

  /// What the log says of the key without showing it.
  package var commitment: Bytes32 { Hash.commitment(to: key.secret, domain: .keyCommitment) }

  /// The key from the first of an envelope's boxes that opens; nil where none does. Whoever asks opens the envelope with
  /// it and compares ``commitment`` with the statement inside.
  package init?(generation: UInt32, boxes: [[UInt8]], openedBy keys: AgreementKey) {
    for box in boxes {
      do throws(CryptoError) {
        self.init(generation: generation, key: try SymmetricKey(keys.open(box)))
        return
      } catch {
        // Somebody else's box: boxes carry no name.
        continue
      }
    }
    return nil
  }
}
