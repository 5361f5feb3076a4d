import CofferCrypto
import CofferFormatSamples
import CofferTestSupport
import Testing

@testable import CofferFormat

/// Altered bytes are refused with a named error, or are the canonical encoding of another object. A trap ends the run.
@Suite struct HostileBytesTests {
  /// Expects that `bytes` are refused with a ``FormatError``, or encoded again to the same bytes.
  private func expectCanonical(_ bytes: [UInt8], as reading: ObjectReading, _ what: @autoclosure () -> String) {
    do {
      let rewritten = try reading.rewrite(bytes)
      if rewritten != bytes { Issue.record("\(reading), \(what()): a second encoding was read") }
    } catch is FormatError {
      return
    } catch {
      Issue.record("\(reading), \(what()): \(type(of: error)) is no FormatError")
    }
  }

  @Test(arguments: ObjectReading.all)
  func `An object is encoded again byte for byte`(reading: ObjectReading) throws {
    let sample = try reading.sample(SampleObjects())
    #expect(try reading.rewrite(sample) == sample)
    if let isAuthentic = reading.isAuthentic { #expect(try isAuthentic(sample, SampleObjects())) }
  }

  @Test(arguments: ObjectReading.all)
  func `Every altered byte of a signed object is detected`(reading: ObjectReading) throws {
    guard let isAuthentic = reading.isAuthentic else { return }
    let fixture = try SampleObjects()
    let sample = try reading.sample(fixture)
    for index in TestRun.rows(Array(sample.indices), ordinarily: 60) {
      for bit in [UInt8(1), 0x80] {
        var altered = sample
        altered[index] ^= bit
        do {
          if try isAuthentic(altered, fixture) { Issue.record("\(reading): byte \(index) may be altered") }
        } catch is FormatError {}
      }
    }
  }

  @Test(arguments: ObjectReading.all)
  func `Truncated, extended and altered objects are refused or canonical`(reading: ObjectReading) throws {
    let sample = try reading.sample(SampleObjects())
    for count in TestRun.rows(Array(sample.indices), ordinarily: 60) {
      #expect(throws: FormatError.self, "\(reading) cut to \(count)") { try reading.rewrite(Array(sample[..<count])) }
    }
    for byte in [UInt8(0), 1, 255] {
      #expect(throws: FormatError.self) { try reading.rewrite(sample + [byte]) }
    }
    for index in TestRun.rows(Array(sample.indices), ordinarily: 60) {
      for byte in [UInt8(0), 1, 2, 3, 127, 128, 255] where sample[index] != byte {
        var altered = sample
        altered[index] = byte
        expectCanonical(altered, as: reading, "byte \(index) = \(byte)")
      }
      var shorter = sample
      shorter.remove(at: index)
      expectCanonical(shorter, as: reading, "without byte \(index)")
      for byte in [UInt8(0), 255] {
        var longer = sample
        longer.insert(byte, at: index)
        expectCanonical(longer, as: reading, "with \(byte) before \(index)")
      }
    }
  }

  @Test(arguments: ObjectReading.all, TestRun.rows(SeededGenerator.seeds))
  func `Random changes are refused or canonical`(reading: ObjectReading, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sample = try reading.sample(SampleObjects())
    for round in 0..<400 {
      var bytes = sample
      for _ in 0...Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
        let index = bytes.indices.randomElement(using: &random) ?? 0
        let end = min(bytes.count, index + Int.random(in: 1...8, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(index..<end)
        case 2: bytes.insert(contentsOf: random.bytes(end - index), at: index)
        case 3: bytes.insert(contentsOf: bytes[index..<end], at: index)
        default: for place in index..<end { bytes[place] = random.next() % 2 == 0 ? 0 : 255 }
        }
      }
      expectCanonical(bytes, as: reading, "seed \(seed), round \(round)")
    }
    for count in 0..<200 {
      expectCanonical(random.bytes(count), as: reading, "seed \(seed), \(count) random bytes")
      expectCanonical(sample.prefix(5) + random.bytes(count), as: reading, "seed \(seed), \(count) bytes of body")
    }
  }

  @Test(arguments: ObjectReading.all)
  func `A length of four gigabytes anywhere allocates nothing and is refused or canonical`(
    reading: ObjectReading
  ) throws {
    let sample = try reading.sample(SampleObjects())
    for index in TestRun.rows(Array(sample.indices.dropLast(3)), ordinarily: 60) {
      for lie in [[255, 255, 255, 255], [127, 255, 255, 255], [0, 255, 255, 255]] as [[UInt8]] {
        var altered = sample
        altered.replaceSubrange(index..<index + 4, with: lie)
        expectCanonical(altered, as: reading, "length at \(index)")
      }
    }
  }
}
