package import CofferFormat
package import CofferStore
internal import CofferCrypto
internal import CofferTrust

extension LocalVault {
  /// Opens the transport keys that entries of the log up to `last` introduce and that a machine's key file lacks, in
  /// ascending order of generation. Throws `integrity` if the store is damaged.
  package func newTransportKeys(
    for device: DeviceFile, through last: UInt64, in reader: borrowing some StoreAccess & ~Copyable
  ) throws -> [TransportKey] {
    guard try branches(in: reader).chain.transportCommitments.count > device.transportKeys.count else { return [] }
    var keys: [TransportKey] = []
    for stored in try reader.logEntries(after: 0) where stored.sequence <= last {
      let envelope = try translatingErrors { try Envelope(bytes: stored.envelope) }
      guard !envelope.boxes.isEmpty, device.transportKey(envelope.generation) == nil,
        let key = TransportKey(
          generation: envelope.generation, boxes: envelope.boxes, openedBy: device.keys.agreement)
      else { continue }
      keys.append(key)
    }
    return keys
  }
}
