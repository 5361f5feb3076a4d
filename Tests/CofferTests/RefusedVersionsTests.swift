import CofferCrypto
import CofferFormat
import Testing

@testable import Coffer

@Suite struct RefusedVersionsTests {
  private func hash(_ number: Int, _ kind: UInt8 = 1) throws -> RecordHash {
    var writer = ByteWriter()
    writer.u8(kind)
    writer.u64(UInt64(number))
    writer.fixed([UInt8](repeating: 0, count: 23))
    return RecordHash(try #require(Bytes32(writer.bytes)))
  }

  @Test func `A record has seen what it follows, and what the refused records before it follow`() throws {
    let (head, other, adopted) = (try hash(1, 2), try hash(2, 2), try hash(3, 2))
    let refused = try RefusedVersions([
      hash(1): [head], hash(2): [hash(1)], hash(3): [hash(2), other], hash(4): [], hash(5): [hash(9)],
    ])
    for number in 1...3 { #expect(try refused.hasSeen(head, over: [], by: hash(number))) }
    for number in 4...5 { #expect(try !refused.hasSeen(head, over: [], by: hash(number))) }
    #expect(try refused.hasSeen(other, over: [], by: hash(3)) && !refused.hasSeen(other, over: [], by: hash(2)))
    // Somebody has adopted the second: whoever had seen that loses nothing by being adopted next.
    #expect(try refused.hasSeen(adopted, over: [head, hash(2)], by: hash(3)))
    #expect(try !refused.hasSeen(adopted, over: [head, hash(2)], by: hash(2)))
    #expect(try !refused.hasSeen(adopted, over: [head, hash(2)], by: hash(1)))
  }

  @Test func `A chain of 65,536 refused records is walked once, from either end`() throws {
    let head = try hash(1, 2)
    let chain = try (0..<65_536).map { try hash($0) }
    var bases = [chain[0]: [head]]
    for (earlier, record) in zip(chain, chain.dropFirst()) { bases[record] = [earlier] }
    for order in [chain, chain.reversed()] {
      let refused = RefusedVersions(bases)
      #expect(order.allSatisfy { refused.hasSeen(head, over: [], by: $0) })
      let unseen = try hash(2, 2)
      #expect(order.allSatisfy { !refused.hasSeen(unseen, over: [], by: $0) })
    }
  }
}
