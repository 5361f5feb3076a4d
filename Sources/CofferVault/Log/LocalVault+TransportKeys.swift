package import CofferFormat
package import CofferStore
internal import CofferCrypto
internal import CofferTrust

extension LocalVault {
  /// Opens the transport keys that entries of the log introduce and that a machine's key file lacks.
  ///
  /// - Parameters:
  ///   - device: The machine's keys.
  ///   - last: The number of the last entry that is considered.
  ///   - reader: The store with the log.
  /// - Returns: The keys that are sealed to the machine, in ascending order of generation.
  /// - Throws: ``VaultError``: `integrity` if the store is damaged; the errors of the store.
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
