package import CofferCrypto
package import CofferFormat

/// An app's keys on one machine: the file that lets a program act as that app.
///
/// It pins the vault, so that a program pointed at a foreign vault refuses it, and how much of the log it has seen.
package struct Credential: Sendable {
  package let genesis: EntryHash
  package let applicationID: String
  package let device: DeviceID
  package let keys: PartyKeys
  /// The furthest place in the log that this app has acted on.
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

  /// The file's bytes, secret; the caller wipes them.
  package func secretBytes() -> [UInt8] {
    var writer = ByteWriter()
    writer.begin(.credential)
    writer.fixed(genesis.raw)
    writer.string(applicationID)
    writer.fixed(device.raw)
    writer.u64(seen.sequence)
    writer.fixed(seen.hash.raw)
    writer.secret(keys.secret)
    return writer.bytes
  }

  /// Reads the file's bytes, which the caller wipes.
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
