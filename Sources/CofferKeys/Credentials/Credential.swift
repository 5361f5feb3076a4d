package import CofferCrypto
package import CofferFormat

/// The keys of an app on one machine: the file with which a program acts as that app.
///
/// It also contains the vault's identity, so that a program refuses another vault, and the last log position seen.
package struct Credential: Sendable {
  package let genesis: EntryHash
  package let applicationID: String
  package let device: DeviceID
  package let keys: PartyKeys
  /// The latest log position that this app has seen.
  package let seen: LogPosition

  package init(
    genesis: EntryHash, applicationID: String, device: DeviceID, keys: PartyKeys, seen: LogPosition
  ) {
    self.genesis = genesis
    self.applicationID = applicationID
    self.device = device
    self.keys = keys
    self.seen = seen
  }

  /// Returns the file's bytes. They are secret; the caller must wipe them.
  package func secretBytes() -> [UInt8] {
    // Room for everything: an array that grows leaves copies of the keys behind.
    var writer = ByteWriter(reserving: 256 + applicationID.utf8.count)
    writer.begin(.credential)
    writer.fixed(genesis.raw)
    writer.string(applicationID)
    writer.fixed(device.raw)
    writer.u64(seen.sequence)
    writer.fixed(seen.hash.raw)
    writer.secret(keys.secret)
    return writer.bytes
  }

  /// Reads the file's bytes. The caller must wipe them.
  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: ObjectKind.credential.name)
    try reader.begin(.credential)
    genesis = EntryHash(try reader.bytes32("genesis"))
    applicationID = try reader.string("application identifier", cap: Limits.identifierByteCount)
    device = DeviceID(try reader.bytes16("device"))
    let sequence = try reader.place("log position")
    seen = LogPosition(sequence: sequence, hash: EntryHash(try reader.bytes32("log position")))
    keys = try reader.partyKeys("keys")
    try reader.finish()
  }
}
