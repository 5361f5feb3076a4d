import CofferCrypto
import CofferFormatSamples
import CofferTestSupport
import Testing

@testable import CofferFormat
@testable import CofferKeys

@Suite struct RecordTests {
  let fixture: SampleObjects

  init() throws { fixture = try SampleObjects() }

  private func parts(of record: Record, attributes: [UInt8]? = nil, value: [UInt8]? = nil) -> [UInt8] {
    var writer = ByteWriter()
    writer.data(record.signedBytes)
    writer.data(attributes ?? record.sealedAttributes)
    writer.data(value ?? record.sealedValue)
    return writer.bytes
  }

  @Test func `A record opens with its group's keys and with no others`() throws {
    let record = try Record(bytes: fixture.record().bytes)
    #expect(try record.attributes(with: fixture.groupKeys) == fixture.attributes)
    #expect(try record.value(with: fixture.groupKeys) == [UInt8]("correct horse".utf8))
    for other in [GroupKeys.random(group: fixture.group), fixture.groupKeys.later(generation: 2)] {
      #expect(throws: FormatError(.doesNotOpen, object: "record", field: "attributes")) {
        try record.attributes(with: other)
      }
      #expect(throws: FormatError(.doesNotOpen, object: "record", field: "value")) { try record.value(with: other) }
    }
  }

  @Test func `A sealed part is not valid in another record`() throws {
    let first = fixture.record(value: [1])
    let second = fixture.record(value: [2])
    #expect(throws: FormatError.self) { try Record(bytes: parts(of: first, value: second.sealedValue)) }
    #expect(throws: FormatError.self) { try Record(bytes: parts(of: first, attributes: second.sealedAttributes)) }
    // This is true even if the author signs the record again: a part is bound to the header that it was sealed for.
    let later = fixture.header(time: Timestamp(microseconds: 5))
    var header = ByteWriter()
    later.write(to: &header)
    let moved = try signed(header: header.bytes, attributes: first.sealedAttributes, value: first.sealedValue)
    #expect(throws: FormatError(.doesNotOpen, object: "record", field: "value")) {
      try moved.value(with: fixture.groupKeys)
    }
  }

  @Test func `The value is not accepted as the attributes, nor the attributes as the value`() throws {
    let attributes = fixture.attributes
    let record = fixture.record(value: attributes.bytes)
    let header = Array(record.signedBytes.dropLast(64 + 64))
    let exchanged = try signed(header: header, attributes: record.sealedValue, value: record.sealedAttributes)
    #expect(throws: FormatError(.doesNotOpen, object: "record", field: "attributes")) {
      try exchanged.attributes(with: fixture.groupKeys)
    }
    #expect(throws: FormatError(.doesNotOpen, object: "record", field: "value")) {
      try exchanged.value(with: fixture.groupKeys)
    }
  }

  /// Returns a record around the given sealed parts, with a valid signature.
  private func signed(header: [UInt8], attributes: [UInt8], value: [UInt8]) throws -> Record {
    let hashes = [attributes, value].flatMap { Hash.digest($0, domain: .sealedPart).bytes }
    let digest = Hash.digest(header + hashes, domain: .record)
    let signature = fixture.principal.signing.sign(digest, domain: .record)
    let record = try Record(
      signedBytes: header + hashes + signature.bytes, sealedAttributes: attributes, sealedValue: value)
    #expect(record.isSigned(by: fixture.principal.signing.publicKey))
    return record
  }

  @Test func `A tombstone has no parts and no tokens`() throws {
    let token = fixture.groupKeys.token(.account, .string("a"))
    let header = fixture.header(content: .tombstone(successor: nil), tokens: [token])
    #expect(header.tokens.isEmpty)
    let tombstone = Record(
      header: header, attributes: fixture.attributes, value: [1], keys: fixture.groupKeys,
      signer: fixture.principal.signing)
    #expect(tombstone.sealedAttributes.isEmpty && tombstone.sealedValue.isEmpty)
    #expect(try Record(bytes: tombstone.bytes) == tombstone)
    let parts = fixture.record()
    var bytes = ByteWriter()
    header.write(to: &bytes)
    #expect(throws: FormatError(.invalidValue, object: "record", field: "tombstone")) {
      try signed(header: bytes.bytes, attributes: parts.sealedAttributes, value: parts.sealedValue)
    }
  }

  @Test func `A value has version 2 and takes its place in lists by its item's creation`() throws {
    let (time, created) = (Timestamp(microseconds: 500), Timestamp(microseconds: 300))
    let record = Record(
      header: fixture.header(time: time, created: created), attributes: fixture.attributes, value: [1],
      keys: fixture.groupKeys, signer: fixture.principal.signing)
    let read = try Record(bytes: record.bytes).header
    #expect(read.created == created && read.orderTime == created && read.time == time)
    #expect(record.signedBytes[4] == 2)
  }

  @Test func `A tombstone has version 1, and no other version`() throws {
    let header = fixture.header(content: .tombstone(successor: nil), created: fixture.time)
    #expect(header.created == nil)
    var bytes = ByteWriter()
    header.write(to: &bytes)
    #expect(bytes.bytes[4] == 1)
    var forged = bytes.bytes
    forged[4] = 2
    #expect(throws: FormatError(.invalidValue, object: "record", field: "version")) {
      try signed(header: forged, attributes: [], value: [])
    }
    forged[4] = 3
    #expect(throws: FormatError(.unsupportedVersion, object: "record", field: "version")) {
      try signed(header: forged, attributes: [], value: [])
    }
  }

  @Test func `A list reads a record without its value`() throws {
    let record = fixture.record()
    let listed = try Record(
      signedBytes: record.signedBytes, sealedAttributes: record.sealedAttributes, sealedValue: nil)
    #expect(listed.hash == record.hash && listed.isSigned(by: fixture.principal.signing.publicKey))
    #expect(try listed.attributes(with: fixture.groupKeys) == fixture.attributes)
    #expect(throws: FormatError.self) { try listed.value(with: fixture.groupKeys) }
  }

  @Test func `A writer sorts the bases, and names each once`() {
    let hashes = (0..<16).map { RecordHash(Hash.digest([$0], domain: .record)) }
    let header = RecordHeader(
      vault: fixture.vault, group: fixture.group, generation: 1, item: ItemID(.zero), itemClass: .key, content: .value,
      isDeviceLocal: false, bases: hashes + hashes, time: fixture.time, author: fixture.author, tokens: [])
    #expect(header.bases == hashes.sorted())
  }

  @Test(arguments: [SeededGenerator.runSeed])
  func `Exactly one of two heads wins, and winning is transitive`(seed: UInt64) throws {
    var records: [Record] = []
    for time in [Int64.min, -1, 0, 0, 1, .max] {
      for signer in [fixture.principal, fixture.admin] {
        let header = RecordHeader(
          vault: fixture.vault, group: fixture.group, generation: 1, item: ItemID(.zero), itemClass: .key,
          content: .value, isDeviceLocal: false, bases: [], time: Timestamp(microseconds: time),
          author: AuthorID(vault: fixture.vault, keys: signer.publicKeys), tokens: [])
        records.append(
          Record(header: header, attributes: nil, value: [], keys: fixture.groupKeys, signer: signer.signing))
      }
    }
    for one in records {
      for other in records {
        #expect(one.wins(over: other) == (one.hash != other.hash && !other.wins(over: one)))
        for third in records where one.wins(over: other) && other.wins(over: third) {
          #expect(one.wins(over: third))
        }
      }
    }
    let order = records.sorted { $1.wins(over: $0) }.map(\.hash)
    var random = SeededGenerator(seed: seed)
    let shuffled = records.shuffled(using: &random)
    #expect(shuffled.sorted { $1.wins(over: $0) }.map(\.hash) == order)
  }

  @Test(arguments: SeededGenerator.seeds)
  func `Random records, attributes and segments are read as they were written`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<60 {
      var attributes = ItemAttributes()
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let code = AttributeCode(rawValue: UInt32.random(in: 0 ... .max, using: &random))
        attributes[code] = value(&random)
      }
      #expect(try ItemAttributes(bytes: attributes.bytes) == attributes, "seed \(seed), round \(round)")
      let secret = random.bytes(Int.random(in: 0...300, using: &random))
      let tokens = (0..<Int.random(in: 0...64, using: &random)).compactMap { _ in
        Bytes16(random.bytes(16)).map(Token.init)
      }
      let bases = (0..<Int.random(in: 0...Limits.bases, using: &random))
        .compactMap { _ in Bytes32(random.bytes(32)).map(RecordHash.init) }
      let itemClass = ItemClass.allCases.randomElement(using: &random) ?? .key
      let header = RecordHeader(
        vault: fixture.vault, group: fixture.group, generation: .random(in: 0 ... .max, using: &random),
        item: fixture.groupKeys.itemID(
          itemClass, isSynchronizable: attributes.isSynchronizable, attributes: attributes),
        itemClass: itemClass, content: .value,
        isDeviceLocal: .random(using: &random), bases: bases,
        time: Timestamp(microseconds: .random(in: .min ... .max, using: &random)),
        created: .random(using: &random) ? Timestamp(microseconds: .random(in: .min ... .max, using: &random)) : nil,
        author: fixture.author, tokens: tokens)
      let record = Record(
        header: header, attributes: attributes, value: secret, keys: fixture.groupKeys,
        signer: fixture.principal.signing)
      let read = try Record(bytes: record.bytes)
      #expect(read == record && read.header == header, "seed \(seed), round \(round)")
      #expect(try read.value(with: fixture.groupKeys) == secret)
      #expect(try read.attributes(with: fixture.groupKeys) == attributes)
      let segment = fixture.segment(records: [record.bytes, [], random.bytes(3)])
      let again = try Segment(bytes: segment.bytes)
      #expect(again.records == segment.records && again.hash == segment.hash && again.seen == segment.seen)
    }
  }

  private func value(_ random: inout SeededGenerator) -> AttributeValue {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let scalars = (0..<Int.random(in: 0...20, using: &random))
        .compactMap { _ in UnicodeScalar(UInt32.random(in: 0...0x10FFFF, using: &random)) }
      return .string(String(String.UnicodeScalarView(scalars)))
    case 1: return .data(random.bytes(Int.random(in: 0...40, using: &random)))
    case 2: return .number(.random(in: .min ... .max, using: &random))
    default: return .date(Timestamp(microseconds: .random(in: .min ... .max, using: &random)))
    }
  }

  @Test func `Each segment of a chain references the previous one`() throws {
    let first = fixture.segment()
    let second = Segment(
      vault: fixture.vault, device: fixture.deviceID, stream: fixture.stream, after: first.position, log: first.log,
      seen: [], group: fixture.group, records: [], key: fixture.device.signing)
    #expect(first.number == 0 && first.previous == Segment.beforeFirst)
    #expect(second.number == 1 && second.previous == first.hash)
    #expect(try Segment(bytes: second.bytes).position == second.position)
  }

  @Test func `A position that no counter can follow is refused`() throws {
    let bytes = fixture.segment().bytes
    // The number follows kind, vault, device and stream; the log position follows number and previous.
    for index in [53, 93] {
      var altered = bytes
      altered.replaceSubrange(index..<index + 8, with: [127, 255, 255, 255, 255, 255, 255, 255])
      #expect(throws: FormatError.self) { try Segment(bytes: altered) }
    }
    let far = try Credential(
      genesis: fixture.genesis.hash, applicationID: "a", device: fixture.deviceID, keys: fixture.principal,
      in: fixture.vault, seen: LogPosition(sequence: .max, hash: fixture.genesis.hash))
    #expect(throws: FormatError(.invalidValue, object: "credential", field: "log position")) {
      try Credential(secretBytes: far.secretBytes())
    }
  }
}
