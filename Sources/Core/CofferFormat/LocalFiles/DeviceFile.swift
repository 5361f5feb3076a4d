package import CofferCrypto

/// A file with secrets of a machine, which belongs to one vault.
package protocol SecretObject: Sendable {
  /// The hash of the vault's genesis.
  var genesis: EntryHash { get }
  /// Returns the file's bytes. They can be secret; the caller must wipe them.
  func secretBytes() -> [UInt8]
  /// Reads the file's bytes. The caller must wipe them.
  init(secretBytes: [UInt8]) throws(FormatError)
}

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

  /// Opens the transport key that an envelope introduces to this machine; nil if none of its boxes leads to it.
  package func transportKey(introducedBy envelope: Envelope) -> TransportKey? {
    TransportKey(introducedBy: envelope, openedBy: keys.agreement, mixing: transportKeys.filter { $0.generation == 1 })
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

/// What a new machine keeps while it waits for the answer to its request, beside its device file and delivery file.
package struct PendingEnrolment: SecretObject {
  package let key: InvitationKey
  /// The repository's URL.
  package let url: String
  /// The file with the request, which the repository has too: the same bytes are posted again if they get lost.
  package let file: [UInt8]
  package let request: InvitationRequest

  package var genesis: EntryHash { request.genesis }

  package init(key: InvitationKey, url: String, request: InvitationRequest) {
    self.key = key
    self.url = url
    self.request = request
    file = request.sealed(under: key)
  }

  package func secretBytes() -> [UInt8] {
    var writer = ByteWriter(reserving: 128 + url.utf8.count + file.count)
    writer.begin(.pendingEnrolment)
    writer.secret(key.key.secret)
    writer.string(url)
    writer.data(file)
    return writer.bytes
  }

  /// Also opens the request.
  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: ObjectKind.pendingEnrolment.name)
    try reader.begin(.pendingEnrolment)
    key = InvitationKey(try reader.symmetricKey("key"))
    url = try reader.string("url", cap: Limits.urlByteCount)
    file = try reader.data("request", cap: Limits.invitationFileByteCount)
    try reader.finish()
    request = try InvitationRequest(opening: file, with: key)
  }
}
