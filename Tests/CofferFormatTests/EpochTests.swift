import CofferCrypto
import CofferFormatSamples
import Testing

@testable import CofferFormat

@Suite struct EpochTests {
  @Test(
    arguments: [
      (2, 0x00A1_B2C3_D4E5_F607, "vault-2-00a1b2c3d4e5f607"), (3, 0, "vault-3-0000000000000000"),
      (.max, .max, "vault-4294967295-ffffffffffffffff"),
    ] as [(UInt32, UInt64, String)])
  func `The branch of a later epoch is named by its number and its tag`(
    epoch: UInt32, tag: UInt64, name: String
  ) throws {
    let branch = try #require(EpochBranch(epoch: epoch, tagged: tag))
    #expect(branch.name == name)
    #expect(EpochBranch(name: name) == branch)
  }

  @Test func `The branch of the first epoch has a fixed name`() {
    #expect(EpochBranch.first.name == "vault-1")
    #expect(EpochBranch(name: "vault-1") == .first)
    #expect(EpochBranch(epoch: 1, tagged: 0) == nil)
  }

  @Test(arguments: [
    "", "vault-", "vault-2", "vault-01", "vault-1-0000000000000000", "vault-0-0000000000000000",
    "vault-2-00a1b2c3d4e5f60", "vault-2-00a1b2c3d4e5f6070", "vault-2-00A1B2C3D4E5F607", "vault-02-00a1b2c3d4e5f607",
    "vault-+2-00a1b2c3d4e5f607", "vault-2-+0a1b2c3d4e5f607", "vault-4294967296-00a1b2c3d4e5f607",
    "lane-2-00a1b2c3d4e5f607",
    "vault-2-00a1b2c3d4e5f607-", "main",
  ])
  func `No other name is the branch of an epoch`(name: String) {
    #expect(EpochBranch(name: name) == nil)
  }

  @Test func `A checkpoint finds the end of each stream that it names, and of no other`() throws {
    let samples = try SampleObjects()
    let streams = (0..<5).map { number in
      CoveredStream(
        position: StreamPosition(
          stream: StreamID(Bytes16(truncating: Hash.digest([number], domain: .item))), number: UInt64(number),
          hash: SegmentHash(.zero)),
        device: samples.deviceID)
    }
    let checkpoint = Checkpoint(
      vault: samples.vault, epoch: 2, after: .beforeFirst, log: LogPosition(sequence: 0, hash: samples.genesis.hash),
      time: samples.time, streams: streams, chunks: [], device: samples.deviceID, key: samples.device.signing)
    for stream in streams { #expect(checkpoint.end(of: stream.position.stream) == stream) }
    #expect(checkpoint.end(of: samples.stream) == nil)
    #expect(checkpoint.end(of: StreamID(.zero)) == nil)
  }

  @Test func `The greatest skeleton fits its limit`() throws {
    let samples = try SampleObjects()
    let header = RecordHeader(
      vault: samples.vault, group: samples.group, generation: 1, item: ItemID(.zero), itemClass: .genericPassword,
      content: .value, isDeviceLocal: false,
      bases: (0..<UInt8(Limits.bases)).map { RecordHash(Hash.digest([$0], domain: .record)) }, time: samples.time,
      created: samples.time, author: samples.author,
      tokens: (0..<UInt8(Limits.tokens)).map { Token(Bytes16(truncating: Hash.digest([$0], domain: .token))) })
    let record = Record(header: header, signer: samples.principal.signing) { _, _ in [] }
    #expect(record.signedBytes.count <= Limits.skeletonByteCount)
    #expect(try RecordSkeleton(bytes: record.signedBytes).hash == record.hash)
  }

  @Test func `The size of an entry of a snapshot is what it takes in a chunk`() throws {
    let samples = try SampleObjects()
    let chunk = samples.snapshotChunk
    let empty = SnapshotChunk(vault: samples.vault, epoch: 2, number: 0, entries: []).bytes.count
    #expect(chunk.bytes.count == chunk.entries.reduce(empty) { $0 + $1.byteCount })
  }
}
