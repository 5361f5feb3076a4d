import CofferCrypto
import CofferFormat
import CofferTestSupport
import Testing

@testable import CofferTrust

/// Folds of the log as bytes.
@Suite struct FoldCodingTests {
  private static let program = "1.2.3"
  private let log: VariedLog

  init() throws { log = try VariedLog() }

  private var empty: Membership { Membership(genesis: log.genesis) }

  private func decode(_ bytes: [UInt8]) throws(FormatError) -> Membership {
    try FoldCoder.decode(bytes, by: Self.program, of: log.genesis)
  }

  private func whole() throws -> [UInt8] { try #require(FoldCoder.encode(log.vault.membership, by: Self.program)) }

  private func code(_ body: () throws(FormatError) -> Membership) -> FormatError.Code? {
    do throws(FormatError) {
      _ = try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `The sample has every kind of statement, and all that a membership can hold`() throws {
    #expect(Set(log.entries.map(\.kind)).isSuperset(of: Statement.Kind.allCases.map(\.rawValue)))
    let membership = log.vault.membership
    for child in Mirror(reflecting: membership).children where !["batch", "recordLists"].contains(child.label) {
      let text = contents(of: child.value)
      #expect(text != "[]" && !text.hasSuffix("()"), "\(child.label ?? "")")
    }
    #expect(membership.authors.values.contains { $0.cut != nil } && membership.successions.count == 1)
    #expect(membership.authors.values.contains { !$0.groupCuts.isEmpty && $0.cut == nil })
    #expect(membership.groups.values.contains { !$0.recovered.isEmpty })
    #expect(Set(membership.groups.values.map(\.requirement)) == Set(GroupRequirement.allCases))
    #expect(membership.devices.values.contains { !$0.lastSegments.isEmpty } && !log.recordLists.isEmpty)
  }

  @Test func `A fold that was stored after any entry and continued is the fold of the whole log`() throws {
    var membership = empty
    var memberships = [membership]
    for entry in log.entries {
      try membership.apply(entry)
      memberships.append(membership)
    }
    let expected = memberships.map(contents)
    var inBatches = 0
    for (place, membership) in memberships.enumerated() {
      guard let bytes = FoldCoder.encode(membership, by: Self.program) else {
        #expect(membership.incompleteBatch != nil, "entry \(place)")
        inBatches += 1
        continue
      }
      #expect(membership.incompleteBatch == nil)
      var continued = try decode(bytes)
      #expect(contents(of: continued) == expected[place], "entry \(place)")
      #expect(FoldCoder.encode(continued, by: Self.program) == bytes, "entry \(place)")
      for entry in log.entries.dropFirst(place) { try continued.apply(entry, isVerified: true) }
      #expect(contents(of: continued) == expected.last, "entry \(place)")
      #expect(continued.groups == memberships.last?.groups && continued.authors == memberships.last?.authors)
    }
    #expect(inBatches > 10 && memberships.count > 60)
  }

  @Test func `Lists of records are no part of it, and missing ones are named as in the fold of the log`() throws {
    var whole = empty
    for entry in log.entries { try whole.apply(entry) }
    var decoded = try decode(try #require(FoldCoder.encode(log.vault.membership, by: Self.program)))
    #expect(decoded.missingRecordLists.map(\.hash) == whole.missingRecordLists.map(\.hash))
    #expect(decoded.missingRecordLists.count == log.recordLists.count && decoded.recordLists.isEmpty)
    let listed = RecordHash(Hash.digest([1], domain: .record))
    let writer = log.vault.writers[0].id
    #expect(!decoded.permits(writer, toWrite: listed, in: log.vault.shared))
    decoded.add(log.recordLists)
    #expect(decoded.permits(writer, toWrite: listed, in: log.vault.shared))
    #expect(contents(of: decoded) == contents(of: log.vault.membership))
  }

  @Test func `Two folds of one log have the same bytes`() throws {
    var other = empty
    for entry in log.entries { try other.apply(entry) }
    #expect(try FoldCoder.encode(other, by: Self.program) == whole())
  }

  @Test func `Another program or vault, and every shorter or longer object, is refused`() throws {
    let bytes = try whole()
    let other = try VariedLog()
    let genesis = log.genesis
    #expect(code { () throws(FormatError) in try decode(bytes) } == nil)
    #expect(
      code { () throws(FormatError) in try FoldCoder.decode(bytes, by: "1.2.4", of: genesis) } == .unsupportedVersion)
    #expect(
      code { () throws(FormatError) in try FoldCoder.decode(bytes, by: Self.program, of: other.genesis) }
        == .otherVault)
    #expect(code { () throws(FormatError) in try decode(bytes + [0]) } == .trailingBytes)
    for count in stride(from: 0, to: bytes.count, by: 61) {
      #expect(code { () throws(FormatError) in try decode(Array(bytes.prefix(count))) } != nil, "\(count)")
    }
  }

  @Test func `A program that knows another statement folds the log again`() throws {
    var bytes = try whole()
    // The kind and the program's name precede the list of the statements.
    let place = 5 + 4 + Self.program.utf8.count + 4
    #expect(bytes[place + 1] == 1)
    bytes[place + 1] = 200
    #expect(code { () throws(FormatError) in try decode(bytes) } == .unsupportedVersion)
  }

  @Test(arguments: [SeededGenerator.runSeed])
  func `No changed byte ends the program`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let bytes = try whole()
    var accepted = 0
    for place in stride(from: 0, to: bytes.count, by: 7) {
      var changed = bytes
      changed[place] ^= UInt8.random(in: 1...255, using: &random)
      guard let membership = try? decode(changed) else { continue }
      accepted += 1
      // What it says can be asked for.
      for group in membership.groups.values {
        _ = membership.recipients(of: group.name, at: Timestamp(microseconds: 2))
      }
    }
    #expect(accepted > 0)
  }

  /// A property that was added and is not stored would be empty after a fold was read. Add it to its coding, then here.
  @Test func `Every stored property of what a fold holds is known to its encoding`() throws {
    let membership = log.vault.membership
    func properties(_ value: Any?) -> [String] {
      value.map { Mirror(reflecting: $0).children.compactMap(\.label).sorted() } ?? []
    }
    #expect(
      properties(membership) == [
        "admins", "apps", "authors", "batch", "devices", "dismissals", "expiries", "firstUnknownCritical", "genesis",
        "groups", "head", "headTime", "invitations", "mixesTransportKeys", "principals", "recordLists", "registrations",
        "rejected", "revocations", "successions", "team", "transportCommitments", "withdrawn",
      ])
    #expect(
      properties(membership.devices.values.first) == [
        "deliveryKey", "enrolled", "id", "keys", "lastSegments", "name", "revocation", "role", "signer",
      ])
    #expect(
      properties(membership.authors.values.first) == [
        "cut", "delivery", "groupCuts", "id", "keys", "role", "signer",
      ])
    #expect(
      properties(membership.authors.values.compactMap(\.cut).first) == [
        "entitlements", "isAdmin", "keepsReading", "recordLists", "revocation",
      ])
    #expect(properties(membership.apps.values.first) == ["entitlements", "registered", "registration", "statement"])
    #expect(
      properties(membership.apps.values.first?.entitlements) == ["applicationID", "defaultGroup", "groups"])
    #expect(properties(membership.groups.values.first) == ["generations", "id", "name", "recovered", "requirement"])
    #expect(
      properties(membership.groups.values.first?.generations.first) == [
        "boxes", "commitment", "number", "wrapped", "wrappedGeneration",
      ])
    #expect(properties(membership.revocations.first) == ["apps", "position", "signer", "statement", "time"])
    #expect(properties(membership.successions.first) == ["position", "statement", "time"])
    #expect(
      properties(membership.dismissals.values.flatMap(\.values).first) == ["position", "reason", "signer", "time"])
  }
}
