import CofferCrypto
import CofferFormatSamples
import CofferKeys

@testable import CofferFormat

/// The body of a revocation as lists of encoded elements, which need not be valid.
private struct RevocationBody {
  var machines: [[UInt8]] = []
  var apps: [[UInt8]] = []
  var authors: [[UInt8]] = []
  var records: UInt64 = 0
  var lists: [[UInt8]] = []
  var keys: [[UInt8]] = []

  var bytes: [UInt8] {
    var writer = ByteWriter()
    for list in [machines, apps, authors] { writer.list(list) { $0.fixed($1) } }
    writer.u64(records)
    writer.list(lists) { $0.fixed($1) }
    writer.u32(1)
    writer.list(keys) { $0.fixed($1) }
    return writer.bytes
  }

  static func id(_ number: UInt8, _ count: Int = 16) -> [UInt8] { [UInt8](repeating: number, count: count) }

  static func stream(_ number: UInt8) -> [UInt8] { id(number) + id(0, 8) + id(number, 32) }

  /// A machine with the last segments of some streams.
  static func machine(_ number: UInt8, streams: [UInt8] = []) -> [UInt8] {
    id(number) + [0, 0, 0, UInt8(streams.count)] + streams.flatMap(stream)
  }

  static func author(_ number: UInt8) -> [UInt8] { id(number) + [0] }

  /// An author that loses some groups, each with the byte that tells whether it keeps reading.
  static func author(_ number: UInt8, groups: [(UInt8, UInt8)]) -> [UInt8] {
    id(number) + [1, 0, 0, 0, UInt8(groups.count)] + groups.flatMap { id($0.0) + [$0.1] }
  }

  static func key(_ number: UInt8) -> [UInt8] { id(number) + [0, 0, 0, 2] + id(number, 32) }
}

extension VectorCatalog {
  /// Revocations and record lists.
  mutating func addRevocations() throws {
    let entry = try fixture.entries()[1]
    let admin = inputs(of: fixture.admin)
    func body(_ change: (inout RevocationBody) -> Void) -> [UInt8] {
      var body = RevocationBody(authors: [RevocationBody.author(1)])
      change(&body)
      return body.bytes
    }
    let accepted: [(String, [UInt8])] = [
      ("of-an-author", body { _ in }),
      (
        "of-a-machine",
        body {
          $0.authors = []
          $0.machines = [RevocationBody.machine(1)]
        }
      ),
      (
        "of-an-app",
        body {
          $0.authors = []
          $0.apps = [RevocationBody.id(1, 32)]
        }
      ),
      (
        "with-a-full-list",
        body {
          $0.records = 65_536
          $0.lists = [RevocationBody.id(1, 32)]
        }
      ),
    ]
    for (name, body) in accepted {
      try add("log-revocation-\(name)", "log entry", signed(entry: entry, kind: 7, isCritical: true, body: body), admin)
    }
    let twice = [RevocationBody.author(2), RevocationBody.author(2)]
    let refused: [(String, [UInt8], String)] = [
      ("of-nothing", body { $0.authors = [] }, "invalidValue"),
      ("machines-descending", body { $0.machines = [2, 1].map { RevocationBody.machine($0) } }, "invalidValue"),
      ("streams-descending", body { $0.machines = [RevocationBody.machine(1, streams: [2, 1])] }, "invalidValue"),
      ("stream-twice", body { $0.machines = [RevocationBody.machine(1, streams: [1, 1])] }, "invalidValue"),
      ("apps-descending", body { $0.apps = [2, 1].map { RevocationBody.id($0, 32) } }, "invalidValue"),
      ("authors-descending", body { $0.authors = [2, 1].map { RevocationBody.author($0) } }, "invalidValue"),
      ("author-twice", body { $0.authors = twice }, "invalidValue"),
      (
        "groups-descending", body { $0.authors = [RevocationBody.author(1, groups: [(2, 0), (1, 0)])] }, "invalidValue"
      ),
      (
        "group-twice", body { $0.authors = [RevocationBody.author(1, groups: [(1, 0), (1, 1)])] }, "invalidValue"
      ),
      ("groups-empty", body { $0.authors = [RevocationBody.author(1, groups: [])] }, "invalidValue"),
      ("keeps-reading-is-two", body { $0.authors = [RevocationBody.author(1, groups: [(1, 2)])] }, "invalidValue"),
      ("keys-descending", body { $0.keys = [2, 1].map { RevocationBody.key($0) } }, "invalidValue"),
      ("key-twice", body { $0.keys = [1, 1].map { RevocationBody.key($0) } }, "invalidValue"),
      ("without-its-list", body { $0.records = 1 }, "invalidValue"),
      ("with-a-list-of-nothing", body { $0.lists = [RevocationBody.id(1, 32)] }, "invalidValue"),
      (
        "with-too-few-lists",
        body {
          $0.records = 65_537
          $0.lists = [RevocationBody.id(1, 32)]
        }, "invalidValue"
      ),
      (
        "with-too-many-lists",
        body {
          $0.records = 65_536
          $0.lists = [1, 2].map { RevocationBody.id($0, 32) }
        }, "invalidValue"
      ),
      ("of-countless-records", body { $0.records = .max }, "invalidValue"),
      ("with-1025-machines", [0, 0, 4, 1] + body { _ in }, "tooLarge"),
      ("with-4097-apps", [0, 0, 0, 0, 0, 0, 16, 1] + body { _ in }, "tooLarge"),
      ("with-16385-authors", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 1] + body { _ in }, "tooLarge"),
      (
        "with-4097-streams", [0, 0, 0, 1] + RevocationBody.id(1) + [0, 0, 16, 1] + body { _ in }, "tooLarge"
      ),
      ("with-65-groups", body { $0.authors = [RevocationBody.id(1) + [1, 0, 0, 0, 65]] }, "tooLarge"),
      ("trailing-byte", body { _ in } + [0], "trailingBytes"),
      ("truncated", body { _ in }.dropLast(), "truncated"),
    ]
    for (name, body, code) in refused {
      try add(
        "log-revocation-\(name)", "log entry", signed(entry: entry, kind: 7, isCritical: true, body: body), admin,
        expect: code)
    }

    let list = fixture.recordList.bytes
    try add("record-list", "record list", list)
    // kind 5, vault 16, count 4, then the hashes.
    let header = Array(list[..<21])
    let hashes = [Array(list[25..<57]), Array(list[57...])]
    try add(
      "record-list-descending", "record list", header + [0, 0, 0, 2] + hashes[1] + hashes[0], expect: "invalidValue")
    try add("record-list-twice", "record list", header + [0, 0, 0, 2] + hashes[0] + hashes[0], expect: "invalidValue")
    try add("record-list-empty", "record list", header + [0, 0, 0, 0], expect: "invalidValue")
    try add("record-list-too-many", "record list", header + [0, 1, 0, 1] + hashes[0], expect: "tooLarge")
    try add("record-list-truncated", "record list", Array(list.dropLast()), expect: "truncated")
    try add("record-list-trailing-byte", "record list", list + [0], expect: "trailingBytes")
    try add("record-list-newer-version", "record list", altered(list, at: 4, to: 2), expect: "unsupportedVersion")
    let transport = ["transport key": hex(fixture.transport.key.secret)]
    let sealed = Envelope(sealing: list, as: .recordList, key: fixture.transport.key, generation: 1).bytes
    try add("envelope-record-list", "envelope", sealed, transport)
    try add(
      "envelope-record-list-as-segment", "envelope", altered(sealed, at: 5, to: 2), transport, expect: "doesNotOpen")
    for content: UInt8 in [0, 6, 7] {
      try add(
        "envelope-content-\(content)", "envelope", altered(sealed, at: 5, to: content), transport,
        expect: "invalidValue")
    }
  }

  /// Groups of apps, and later generations of keys.
  mutating func addLaterKeys() throws {
    let entry = try fixture.entries()[1]
    let admin = inputs(of: fixture.admin)
    func statement(_ kind: UInt16, _ body: [UInt8]) -> [UInt8] {
      signed(entry: entry, kind: kind, isCritical: true, body: body)
    }
    let name = "ABCDE12345.com.example.photo"
    func app(_ groups: [StatedGroup]) -> [UInt8] {
      Statement.app(
        AppStatement(
          applicationID: name, bundleID: "com.example.photo", sourcePrefix: nil, requiresPassphrase: false,
          groups: groups, entitlements: [])
      ).body
    }
    let own = StatedGroup(name: name, source: .applicationIdentifier)
    // The source is followed by the length of the plist.
    let source = app([own]).count - 5
    for number: UInt8 in [0, 5] {
      try add(
        "log-app-of-source-\(number)", "log entry", statement(8, altered(app([own]), at: source, to: number)), admin,
        expect: "invalidValue")
    }
    try add("log-app-of-no-group", "log entry", statement(8, app([])), admin)
    let groups = (0...64).map { StatedGroup(name: "\(name)\($0)", source: .keychainAccessGroups) }
    try add("log-app-of-64-groups", "log entry", statement(8, app(Array(groups.dropLast()))), admin)
    try add("log-app-of-65-groups", "log entry", statement(8, app(groups)), admin, expect: "tooLarge")

    let keys = try fixture.renewedGroupKeys()
    func renewal(_ generation: UInt32, wrapping wrapped: UInt32) throws -> [UInt8] {
      Statement.groupKeyRenewal(
        GroupKeyRenewalStatement(
          group: fixture.group, generation: generation, commitment: keys.commitment, wrappedGeneration: wrapped,
          wrapped: keys.wrap(fixture.groupKeys),
          boxes: [AddressedBox(recipient: .root, box: try fixture.root.publicKeys.box.seal(keys.secret))])
      ).body
    }
    for (generation, wrapped) in [(3, 0), (3, 3), (3, 4), (2, .max), (1, 0), (1, 1), (0, 0)] as [(UInt32, UInt32)] {
      try add(
        "log-group-key-renewal-\(generation)-of-\(wrapped)", "log entry",
        statement(11, try renewal(generation, wrapping: wrapped)), admin, expect: "invalidValue")
    }
    try add(
      "log-group-key-renewal-truncated", "log entry", statement(11, try renewal(3, wrapping: 1).dropLast()), admin,
      expect: "truncated")
    try add("log-group-key-renewal-3-of-2", "log entry", statement(11, try renewal(3, wrapping: 2)), admin)

    let wrapped = keys.wrap(fixture.groupKeys)
    let group = [
      "vault": fixture.vault.description, "name": fixture.groupName, "generation": "3", "wrapped generation": "1",
      "group keys": hex(keys.secret),
    ]
    try add("group-keys-of-an-earlier-generation", "group keys", wrapped, group)
    try add(
      "group-keys-of-another-generation", "group keys", wrapped, group.merging(["wrapped generation": "2"]) { $1 },
      expect: "authenticationFailed")
    let next = try fixture.nextTransport()
    let transport = [
      "vault": fixture.vault.description, "generation": "2", "transport key": hex(next.key.secret),
    ]
    let previous = next.wrap(fixture.transport, in: fixture.vault)
    try add("transport-key", "transport key", previous, transport)
    for (name, input, other) in [
      ("vault", "vault", VaultID(.zero).description), ("generation", "generation", "3"),
      ("key", "transport key", hex(fixture.transport.key.secret)),
    ] {
      try add(
        "transport-key-of-another-\(name)", "transport key", previous, transport.merging([input: other]) { $1 },
        expect: "authenticationFailed")
    }
  }
}
