internal import CofferCrypto
package import CofferFormat

/// Writes a fold of the log, so that a program need not fold the entries again that it has verified, and reads it.
///
/// Each function states the fields of one type in their order: it writes those of a value, or reads them if there is
/// none. Everything is in ascending order: two programs that have folded the same log write the same bytes.
package struct FoldCoder {
  /// The number of the rules by which entries are folded. Raise it with every change of them: a fold that was stored by
  /// other rules would be continued for ever.
  private static let rules: UInt32 = 2

  let genesis: Genesis
  var fields: FieldCoder
  private var isWriting: Bool { fields.isWriting }

  // What others refer to by its number.
  private(set) var applications: [ApplicationID] = []
  private(set) var entitlements: [Entitlements] = []
  var revocations: [Revocation] = []
  private var applicationNumbers: [ApplicationID: UInt32] = [:]
  private var entitlementNumbers: [Entitlements: UInt32] = [:]
  private var revocationNumbers: [LogPosition: UInt32] = [:]

  /// Returns the bytes of a membership; nil if the last entry belongs to a batch that is not complete. They state the
  /// version of this program: another one may fold the same entries in another way. The lists of records are not in
  /// them, because the revocations name these by their hashes.
  package static func encode(_ membership: Membership, by program: String) -> [UInt8]? {
    guard membership.batch == nil else { return nil }
    var coder = FoldCoder(writing: membership)
    coder.writeHeader(program)
    // Only reading can fail.
    guard (try? Membership(membership, &coder)) != nil else { return nil }
    return coder.fields.writer.bytes
  }

  /// Returns the membership that was written, without lists of records. Whoever calls it must know that this program
  /// has written the bytes: they are checked for their form only. Throws `unsupportedVersion` if another version of
  /// this program has written them, or one that knows other statements, and `otherVault` for a fold of another vault's
  /// log.
  package static func decode(
    _ bytes: [UInt8], by program: String, of genesis: Genesis
  ) throws(FormatError) -> Membership {
    var coder = FoldCoder(reading: bytes, of: genesis)
    try coder.readHeader(program)
    let membership = try Membership(nil, &coder)
    try coder.fields.reader.finish()
    return membership
  }

  private init(reading bytes: [UInt8], of genesis: Genesis) {
    self.genesis = genesis
    fields = FieldCoder(reading: ByteReader(bytes, object: ObjectKind.fold.name))
  }

  private init(writing membership: Membership) {
    genesis = membership.genesis
    let boxCount = membership.groups.values.flatMap(\.generations).reduce(0) { $0 + $1.boxes.count }
    let byteCount = 65_536 + membership.authors.count * 256 + boxCount * 128
    fields = FieldCoder(writing: ByteWriter(reserving: byteCount), object: ObjectKind.fold.name)
    applications = Set(membership.registrations.values.map(\.id))
      .union(membership.principals.keys).union(membership.revocations.flatMap(\.apps))
      .sorted { $0.description < $1.description }
    let cuts = membership.authors.values.flatMap { author in [author.cut].compactMap(\.self) + author.groupCuts.values }
    entitlements = Set(membership.registrations.values.map(\.entitlements)).union(cuts.compactMap(\.entitlements))
      .map { (bytes: Self.bytes(of: $0), entitlements: $0) }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(\.entitlements)
    applicationNumbers = Self.numbers(applications)
    entitlementNumbers = Self.numbers(entitlements)
    revocationNumbers = Self.numbers(membership.revocations.map(\.position))
  }

  private static func numbers<Value: Hashable>(_ values: [Value]) -> [Value: UInt32] {
    Dictionary(values.enumerated().map { ($0.element, UInt32($0.offset)) }) { first, _ in first }
  }

  private static func bytes(of entitlements: Entitlements) -> [UInt8] {
    var writer = ByteWriter()
    writer.string(entitlements.applicationID.description)
    writer.list(entitlements.stated)
    return writer.bytes
  }

  private static var kinds: [UInt16] { Statement.Kind.allCases.map(\.rawValue).sorted() }

  private mutating func writeHeader(_ program: String) {
    fields.writer.begin(.fold)
    fields.writer.string(program)
    fields.writer.list(Self.kinds) { $0.u16($1) }
    fields.writer.u32(Self.rules)
    fields.writer.fixed(genesis.hash.raw)
  }

  private mutating func readHeader(_ program: String) throws(FormatError) {
    try fields.reader.begin(.fold)
    let writer = try fields.reader.string("program", cap: Limits.identifierByteCount)
    let kinds = try fields.reader.list("kinds", cap: 65_536) { (reader) throws(FormatError) in try reader.u16("kind") }
    guard writer == program, kinds == Self.kinds, try fields.reader.u32("rules") == Self.rules else {
      throw failure("program", .unsupportedVersion)
    }
    guard try fields.reader.bytes32("genesis") == genesis.hash.raw else { throw failure("genesis", .otherVault) }
  }

  func failure(_ field: String, _ code: FormatError.Code = .invalidValue) -> FormatError { fields.failure(field, code) }

  mutating func position(_ position: LogPosition?, _ field: String) throws(FormatError) -> LogPosition {
    LogPosition(
      sequence: try fields.place(position?.sequence, field), hash: try fields.hash(position?.hash, field))
  }

  /// A statement of the log; nil if it means nothing to this program.
  mutating func statement(_ statement: Statement?, of sequence: UInt64) throws(FormatError) -> Statement? {
    let kind = try fields.u16(statement?.kind, "kind")
    let body = try fields.data(statement?.body, "statement", cap: Limits.logEntryByteCount)
    if let statement { return statement }
    return try Statement.parse(kind: kind, body: body, of: sequence)
  }

  mutating func optional<Value>(
    _ value: Value?, _ field: String, _ code: (inout FoldCoder, Value?) throws(FormatError) -> Value
  ) throws(FormatError) -> Value? {
    try fields.bool(isWriting ? value != nil : nil, field) ? try code(&self, value) : nil
  }

  /// The number of elements, each of which has at least `byteCount` bytes. Only the size of the input limits it.
  mutating func count(_ count: Int?, _ field: String, byteCount: Int = 1) throws(FormatError) -> Int {
    try fields.value(
      count, { $0.u32(UInt32($1)) },
      { (reader) throws(FormatError) in try reader.count(field, cap: .max, byteCount: byteCount) })
  }

  mutating func list<Element>(
    _ elements: [Element]?, _ field: String, byteCount: Int = 1,
    _ code: (inout FoldCoder, Element?) throws(FormatError) -> Element
  ) throws(FormatError) -> [Element] {
    let count = try count(elements?.count, field, byteCount: byteCount)
    var coded: [Element] = []
    coded.reserveCapacity(count)
    for index in 0..<count { coded.append(try code(&self, elements?[index])) }
    return coded
  }

  mutating func hashes(_ hashes: Set<EntryHash>?, _ field: String) throws(FormatError) -> Set<EntryHash> {
    Set(try list(hashes?.sorted(), field) { (coder, hash) throws(FormatError) in try coder.fields.hash(hash, field) })
  }

  /// A dictionary in ascending order of what `order` returns for its keys. No key occurs twice.
  mutating func dictionary<Key: Hashable, Value, Order: Comparable>(
    _ elements: [Key: Value]?, _ field: String, byteCount: Int = 1, by order: (Key) -> Order,
    _ code: (inout FoldCoder, (key: Key, value: Value)?) throws(FormatError) -> (Key, Value)
  ) throws(FormatError) -> [Key: Value] {
    let sorted = elements?.sorted { order($0.key) < order($1.key) }
    let count = try count(sorted?.count, field, byteCount: byteCount)
    var coded: [Key: Value] = [:]
    coded.reserveCapacity(count)
    for index in 0..<count {
      let (key, value) = try code(&self, sorted?[index])
      guard coded.updateValue(value, forKey: key) == nil else { throw failure(field) }
    }
    return coded
  }

  // MARK: References

  mutating func codeTables(for team: TeamID) throws(FormatError) {
    applications = try list(isWriting ? applications : nil, "applications") { (coder, app) throws(FormatError) in
      let name = try coder.fields.string(app?.description, "application", cap: Limits.identifierByteCount)
      guard let app = app ?? ApplicationID(name) else { throw coder.failure("application") }
      return app
    }
    entitlements = try list(isWriting ? entitlements : nil, "entitlements") { (coder, known) throws(FormatError) in
      let name = try coder.fields.string(
        known?.applicationID.description, "application", cap: Limits.identifierByteCount)
      let groups = try coder.fields.list(known?.stated, "groups", cap: Limits.groupsPerApp)
      if let known { return known }
      do throws(EntitlementsError) {
        return try Entitlements(applicationID: name, stated: groups, team: team, source: ObjectKind.fold.name)
      } catch {
        throw coder.failure("entitlements")
      }
    }
  }

  /// The index of an application in ``applications``.
  mutating func index(of application: ApplicationID?) throws(FormatError) -> Int {
    try index(application.map { applicationNumbers[$0] ?? .max }, below: applications.count, "application")
  }

  mutating func reference(to known: Entitlements?) throws(FormatError) -> Entitlements {
    let number = known.map { entitlementNumbers[$0] ?? .max }
    let index = try index(number, below: entitlements.count, "entitlements")
    return entitlements[index]
  }

  mutating func reference(toRevocation position: LogPosition?) throws(FormatError) -> Revocation {
    let number = position.map { revocationNumbers[$0] ?? .max }
    let index = try index(number, below: revocations.count, "revocation")
    return revocations[index]
  }

  private mutating func index(_ number: UInt32?, below count: Int, _ field: String) throws(FormatError) -> Int {
    let index = Int(try fields.u32(number, field))
    guard index < count else { throw failure(field) }
    return index
  }
}
