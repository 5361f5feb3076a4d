package import CofferCrypto

/// The keys that a machine needs to sync: its own and the transport keys. They cannot open items.
package struct DeviceFile: SecretObject {
  package let genesis: EntryHash
  package let keys: PartyKeys
  /// A secret of 32 bytes that is mixed into the keys of items that stay on this machine.
  package let localSecret: SecretBytes
  /// The transport keys in ascending order of generation. The last one seals new objects.
  package let transportKeys: [TransportKey]

  package init(genesis: EntryHash, keys: PartyKeys, localSecret: SecretBytes, transportKeys: [TransportKey]) {
    self.genesis = genesis
    self.keys = keys
    self.localSecret = localSecret
    self.transportKeys = transportKeys.sorted { $0.generation < $1.generation }
  }

  /// Returns the transport key of a generation; nil if this machine does not have it.
  package func transportKey(_ generation: UInt32) -> TransportKey? {
    transportKeys.first { $0.generation == generation }
  }

  package func secretBytes() -> [UInt8] {
    // Room for everything: an array that grows leaves copies of the keys behind.
    var writer = ByteWriter(reserving: 256 + transportKeys.count * 36)
    writer.begin(.deviceFile)
    writer.fixed(genesis.raw)
    writer.secret(keys.secret)
    writer.secret(localSecret)
    writer.list(transportKeys)
    return writer.bytes
  }

  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: ObjectKind.deviceFile.name)
    try reader.begin(.deviceFile)
    genesis = EntryHash(try reader.bytes32("genesis"))
    keys = try reader.partyKeys("keys")
    localSecret = try reader.secret(32, "local secret")
    transportKeys = try reader.ascendingList("transport keys", cap: Limits.transportKeys, by: \.generation)
    try reader.finish()
  }
}
