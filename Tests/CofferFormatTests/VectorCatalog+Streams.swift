import CofferCrypto
import CofferFormat
import CofferFormatSamples
import CofferKeys

extension VectorCatalog {
  /// Names of streams: of the machine that the inputs name, of another one, and altered.
  mutating func addStreamNames() throws {
    let name = StreamNaming.random(of: fixture.deviceID, in: fixture.vault, under: fixture.transport).raw.bytes
    let inputs = [
      "vault": fixture.vault.description, "device": fixture.deviceID.description,
      "transport key": hex(fixture.transport.key.secret),
    ]
    let other = DeviceID(vault: fixture.vault, keys: fixture.admin.publicKeys).description
    try add("stream-name", "stream name", name, inputs)
    try add("stream-name-of-another-device", "stream name", name, inputs.merging(["device": other]) { $1 })
    try add("stream-name-in-another-vault", "stream name", name, inputs.merging(["vault": other]) { $1 })
    try add(
      "stream-name-under-another-key", "stream name", name,
      inputs.merging(["transport key": hex(fixture.transport.next().key.secret)]) { $1 })
    for (word, index) in [("random-part", 3), ("hash", 15)] {
      try add(
        "stream-name-with-another-\(word)", "stream name", altered(name, at: index, to: ~name[index]), inputs)
    }
    try add("stream-name-truncated", "stream name", name.dropLast(), inputs, expect: "truncated")
    try add("stream-name-trailing-byte", "stream name", name + [0], inputs, expect: "trailingBytes")
  }
}
