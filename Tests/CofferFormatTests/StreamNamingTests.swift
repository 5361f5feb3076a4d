import CofferCrypto
import CofferFormat
import Testing

@Suite struct StreamNamingTests {
  private let vault = VaultID.random()
  private let first = TransportKey.random()
  private let own = DeviceID(Bytes16(Random.bytes(count: 16)) ?? .zero)
  private let other = DeviceID(Bytes16(Random.bytes(count: 16)) ?? .zero)

  @Test func `The name of a stream commits to its machine, and to no other machine, vault or transport key`() {
    let (second, name) = (first.next(), StreamNaming.random(of: own, in: vault, under: first))
    let naming = StreamNaming([first, second], in: vault)
    #expect(naming.commits(name, to: own) && !naming.commits(name, to: other))
    #expect(naming.commits(StreamNaming.random(of: own, in: vault, under: second), to: own))
    #expect(!StreamNaming([first, second], in: .random()).commits(name, to: own))
    #expect(!StreamNaming([second], in: vault).commits(name, to: own))
    #expect(!StreamNaming([TransportKey](), in: vault).commits(name, to: own))
  }

  @Test func `A name with one other byte, and a random one, commit to nobody`() throws {
    let name = StreamNaming.random(of: own, in: vault, under: first)
    let naming = StreamNaming([first], in: vault)
    for index in 0..<16 {
      var bytes = name.raw.bytes
      bytes[index] ^= 1
      #expect(!naming.commits(StreamID(try #require(Bytes16(bytes))), to: own), "\(index)")
    }
    #expect(!naming.commits(.random(), to: own))
  }

  @Test func `No two names of a machine have a part in common`() {
    let names = (0..<16).map { _ in StreamNaming.random(of: own, in: vault, under: first).raw.bytes }
    #expect(Set(names.map { $0.prefix(4) }).count == 16 && Set(names.map { $0.suffix(12) }).count == 16)
  }
}
