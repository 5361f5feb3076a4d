internal import CofferCrypto
internal import CofferFormat
package import CofferStore
internal import CofferTrust

extension LocalVault {
  /// Compares the next slice of the store's contents with the hashes of its rows, from where the last slice ended.
  /// After 64 calls or, in a store with more than 32,000 versions, one for each 512, each row was compared.
  package func isSliceSound(_ position: inout ContentPosition) throws(VaultError) -> Bool {
    let device = try deviceFile()
    let vault = try membership().vault
    var next = position
    let isSound = try translatingErrors {
      try store.read { reader in
        try reader.isSliceSound(
          &next,
          isSegment: { envelope, hash in
            device.holds(envelope, .segment) { bytes in
              (try? Segment(bytes: bytes)).map { $0.vault == vault && $0.hash.raw.bytes == hash } ?? false
            }
          },
          isEntry: { envelope, entry in device.holds(envelope, .logEntry) { $0 == entry } })
      }
    }
    position = next
    return isSound
  }
}

extension DeviceFile {
  /// Whether an envelope of a kind has the right content. True for one under a transport key that this machine does not
  /// have: the next sync may bring it.
  fileprivate func holds(_ bytes: [UInt8], _ kind: Envelope.Content, _ isRight: ([UInt8]) -> Bool) -> Bool {
    guard let envelope = try? Envelope(bytes: bytes), envelope.content == kind else { return false }
    guard let key = transportKey(envelope.generation) else { return true }
    return (try? envelope.open(with: key.key)).map(isRight) ?? false
  }
}
