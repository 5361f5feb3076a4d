internal import CofferCrypto

/// The names of streams. Each commits to the machine whose stream it is, so that no other machine can begin or continue it.
///
/// A name is a few random bytes, and a hash of these and of the machine under a transport key: without such a key, it tells
/// nothing about the machine, and nothing about the other streams of the machine. Streams that Coffer 0.2.0 has begun have
/// random names, which commit to nobody.
package struct StreamNaming {
  private static let randomByteCount = 4
  private let vault: VaultID
  /// The newest one first.
  private let keys: [SymmetricKey]

  /// Creates the naming by some transport keys, in ascending order of generation.
  package init(_ transportKeys: some BidirectionalCollection<TransportKey>, in vault: VaultID) {
    self.vault = vault
    keys = transportKeys.reversed().map { $0.key.derived(context: "CfStream") }
  }

  /// Generates a name for a stream of a machine, under one transport key.
  package static func random(of device: DeviceID, in vault: VaultID, under key: TransportKey) -> StreamID {
    name(Random.bytes(count: randomByteCount), device, vault, key.key.derived(context: "CfStream"))
  }

  private static func name(
    _ random: [UInt8], _ device: DeviceID, _ vault: VaultID, _ key: SymmetricKey
  ) -> StreamID {
    let hash = key.keyedHash16(vault.raw.bytes + device.raw.bytes + random, domain: .stream)
    return StreamID(Bytes16(random + hash.bytes.prefix(Bytes16.count - randomByteCount)) ?? .zero)
  }

  /// Whether the name of a stream commits to a machine.
  package func commits(_ stream: StreamID, to device: DeviceID) -> Bool {
    let random = Array(stream.raw.bytes.prefix(Self.randomByteCount))
    return keys.contains { Self.name(random, device, vault, $0) == stream }
  }
}
