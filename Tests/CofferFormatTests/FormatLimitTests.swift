import CofferCrypto
import CofferFormatSamples
import Testing

@testable import CofferFormat

/// Rules of single fields, at their limits.
@Suite struct FormatLimitTests {
  @Test func `The last bytes can be skipped, and nothing after them`() throws {
    var reader = ByteReader([1, 2], object: "sample")
    let isSkipped = try reader.skip([1, 2], "field")
    #expect(isSkipped)
    try reader.finish()
    #expect(throws: FormatError(.truncated, object: "sample", field: "field")) { try reader.skip([1], "field") }
  }

  @Test func `Boxes are read in ascending order of recipient only, one for each`() throws {
    func recipients(_ order: [UInt8]) throws -> [UInt8] {
      var writer = ByteWriter()
      writer.u32(UInt32(order.count))
      for byte in order {
        let recipient = AuthorID(try #require(Bytes16([UInt8](repeating: byte, count: Bytes16.count))))
        let box = [UInt8](repeating: 0, count: AddressedBox.boxByteCount)
        AddressedBox(recipient: recipient, box: box).write(to: &writer)
      }
      var reader = ByteReader(writer.bytes, object: "sample")
      return try reader.boxTable("boxes").boxes.map { $0.recipient.raw.bytes[0] }
    }
    for order: [UInt8] in [[], [1], [1, 2, 3]] { #expect(try recipients(order) == order) }
    for order: [UInt8] in [[2, 1], [1, 1], [1, 3, 2]] {
      #expect(throws: FormatError(.invalidValue, object: "sample", field: "boxes")) { try recipients(order) }
    }
  }

  @Test func `The code of an attribute says its type`() {
    #expect([AttributeCode.created, .modified, .notBefore, .notAfter].allSatisfy { $0.kind == .date })
    #expect([AttributeCode.port, .keyClass].allSatisfy { $0.kind == .number })
    #expect([AttributeCode.service, .account].allSatisfy { $0.kind == .blob })
  }

  @Test func `A file may have exactly as many bytes as the limit says`() {
    let bytes = [UInt8](repeating: 0, count: Limits.objectByteCount)
    let name = ObjectKind.envelope.name
    #expect(throws: FormatError(.otherKind, object: name, field: "kind")) { try Envelope(bytes: bytes) }
    #expect(throws: FormatError(.tooLarge, object: name, field: "file")) { try Envelope(bytes: bytes + [0]) }
  }

  @Test func `An application password may cost exactly as much as the limit says`() throws {
    let sample = try ObjectReading.protectedValue.sample(SampleObjects())
    let start = ObjectKind.protectedValue.magic.count + 1
    func read(passes: UInt32, memoryKiB: UInt32) throws {
      var cost = ByteWriter()
      cost.u32(passes)
      cost.u32(memoryKiB)
      _ = try ProtectedValue(bytes: sample[..<start] + cost.bytes + sample[(start + 8)...])
    }
    let limit = ProtectedValue.costCeiling
    try read(passes: limit.passes, memoryKiB: limit.memoryKiB)
    #expect(throws: FormatError.self) { try read(passes: limit.passes + 1, memoryKiB: limit.memoryKiB) }
    #expect(throws: FormatError.self) { try read(passes: limit.passes, memoryKiB: limit.memoryKiB + 1) }
  }

  @Test func `An invitation remembers two requests, and the second one ends it if it was open`() throws {
    let requests = try (1...3).map { try #require(Bytes32([UInt8](repeating: $0, count: 32))) }
    for state in [Invitation.State.open, .cancelled] {
      var invitation = Invitation(
        key: InvitationKey(.random()), created: Timestamp(microseconds: 1), expires: Timestamp(microseconds: 2),
        isForAdmin: false, applications: [], name: nil,
        state: state)
      var changes: [Bool] = []
      for request in [requests[0], requests[0]] { changes.append(invitation.record(request)) }
      #expect(invitation.state == state)
      for request in [requests[1], requests[2]] { changes.append(invitation.record(request)) }
      #expect(changes == [true, false, true, false] && invitation.requests == Array(requests.prefix(2)))
      #expect(invitation.state == (state == .open ? .burned : state))
    }
  }

  @Test func `Every transport key but the first must wrap the one before it`() {
    let (vault, first, other) = (VaultID.random(), TransportKey.random(), TransportKey.random())
    let second = TransportKey(generation: 2, key: .random())
    let wrapped = second.wrap(first, in: vault)
    #expect(first.wraps([], previous: nil, in: vault))
    #expect(second.wraps(wrapped, previous: first.commitment, in: vault))
    #expect(!second.wraps(wrapped, previous: other.commitment, in: vault))
    #expect(!second.wraps(second.wrap(other, in: vault), previous: first.commitment, in: vault))
    #expect(!second.wraps(wrapped, previous: first.commitment, in: .random()))
    #expect(!second.wraps([], previous: first.commitment, in: vault))
  }
}
