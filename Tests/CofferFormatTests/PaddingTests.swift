import CofferFormatSamples
import CofferTestSupport
import Testing

@testable import CofferFormat

@Suite struct PaddingTests {
  @Test(arguments: [
    (0, 1024), (1, 1024), (1024, 1024), (1025, 2048), (2048, 2048), (2049, 4096), (4096, 4096), (4097, 4352),
    (5000, 5120), (9000, 9216), (65_537, 67_584), (1_000_000, 1_015_808), (33_554_432, 33_554_432),
  ])
  func `A size is padded as the format specifies`(byteCount: Int, padded: Int) {
    #expect(Padding.paddedByteCount(byteCount) == padded)
  }

  @Test func `Padding is monotonic and idempotent, and adds at most 12 % above 4 KiB`() {
    var previous = 0
    var random = SeededGenerator(seed: 1)
    let sizes =
      Array(0...20_000)
      + (0..<20_000).map { _ in Int.random(in: 20_000...Limits.objectByteCount, using: &random) }.sorted()
    for size in sizes {
      let padded = Padding.paddedByteCount(size)
      guard padded >= size, padded >= previous, Padding.paddedByteCount(padded) == padded,
        size <= 4096 || Double(padded - size) <= 0.12 * Double(size)
      else {
        Issue.record("\(size) is padded to \(padded)")
        return
      }
      previous = padded
    }
  }

  @Test func `An envelope's file has a padded size whatever its content`() throws {
    let fixture = try SampleObjects()
    for count in [0, 1, 965, 966, 967, 2000, 4038, 4039, 10_000, 100_000] {
      let object = [UInt8](repeating: 7, count: count)
      let envelope = Envelope(sealing: object, as: .segment, key: fixture.transport.key, generation: 1)
      #expect(envelope.bytes.count == Padding.paddedByteCount(envelope.bytes.count))
      #expect(try Envelope(bytes: envelope.bytes).open(with: fixture.transport.key) == object)
    }
  }

  @Test func `An envelope larger than the limit is refused before it is read`() {
    let error = FormatError(.tooLarge, object: "envelope", field: "file")
    #expect(throws: error) { try Envelope(bytes: [UInt8](repeating: 0, count: Limits.objectByteCount + 1)) }
  }
}
