internal import CofferCrypto
internal import CofferFormat

/// Writes a fold of the log, so that a program need not fold the entries again that it has verified. Everything is in
/// ascending order: two programs that have folded the same log write the same bytes.
package struct FoldEncoder {
  /// The number of the rules by which entries are folded. Raise it with every change of them: a fold that was stored by
  /// other rules would be continued for ever.
  static let rules: UInt32 = 1

  private let membership: Membership
  private let applications: [ApplicationID: UInt32]
  private let entitlements: [Entitlements: UInt32]
  private let revocations: [LogPosition: UInt32]
  private var writer: ByteWriter

  /// Returns the bytes of a membership, which ``FoldDecoder`` reads; nil if the last entry belongs to a batch that is
  /// not complete. They state the version of this program: another one may fold the same entries in another way. The
  /// lists of records are not in them, because the revocations name these by their hashes.
  package static func encode(_ membership: Membership, by program: String) -> [UInt8]? {
    guard membership.batch == nil else { return nil }
    var encoder = FoldEncoder(membership)
    encoder.write(by: program)
    return encoder.writer.bytes
  }

  private init(_ membership: Membership) {
    self.membership = membership
    let apps = Set(membership.registrations.values.map(\.id))
      .union(membership.principals.keys).union(membership.revocations.flatMap(\.apps))
    applications = Self.numbers(apps.sorted { $0.description < $1.description })
    let cuts = membership.authors.values.flatMap { author in [author.cut].compactMap(\.self) + author.groupCuts.values }
    let stated = Set(membership.registrations.values.map(\.entitlements)).union(cuts.compactMap(\.entitlements))
    let written = stated.map { (bytes: Self.bytes(of: $0), entitlements: $0) }
    entitlements = Self.numbers(
      written.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(\.entitlements))
    revocations = Self.numbers(membership.revocations.map(\.position))
    let boxCount = membership.groups.values.flatMap(\.generations).reduce(0) { $0 + $1.boxes.count }
    writer = ByteWriter(reserving: 65_536 + membership.authors.count * 256 + boxCount * 128)
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

  private mutating func write(by program: String) {
    writer.begin(.fold)
    writer.string(program)
    writer.list(Statement.Kind.allCases.map(\.rawValue).sorted()) { $0.u16($1) }
    writer.u32(Self.rules)
    writer.fixed(membership.genesis.hash.raw)
    write(membership.head)
    writer.i64(membership.headTime.microseconds)
    writer.optional(membership.firstUnknownCritical) { $0.u64($1) }
    writer.list(membership.transportCommitments) { $0.fixed($1) }
    writer.list(applications.sorted { $0.value < $1.value }.map(\.key)) { $0.string($1.description) }
    writer.list(entitlements.sorted { $0.value < $1.value }.map(\.key)) { $0.fixed(Self.bytes(of: $1)) }
    writeSuccessions()
    writeRevocations()
    writeApps()
    writeDevices()
    writeAuthors()
    writeGroups()
    writeWithdrawals()
    writer.list(membership.rejected.map(\.raw).sorted()) { $0.fixed($1) }
    writeDismissals()
  }

  private mutating func write(_ position: LogPosition) {
    writer.u64(position.sequence)
    writer.fixed(position.hash.raw)
  }

  private mutating func write(_ signer: LogEntry.Signer) {
    switch signer {
    case .root:
      writer.u8(1)
      writer.fixed(AuthorID.root.raw)
    case .admin(let id):
      writer.u8(2)
      writer.fixed(id.raw)
    }
  }

  private mutating func write(_ statement: Statement) {
    writer.u16(statement.kind)
    writer.data(statement.body)
  }

  /// Writes a count, then each element, which can change this encoder.
  private mutating func list<Element>(_ elements: [Element], _ write: (inout FoldEncoder, Element) -> Void) {
    writer.u32(UInt32(elements.count))
    for element in elements { write(&self, element) }
  }

  private mutating func writeSuccessions() {
    list(membership.successions) { encoder, succession in
      encoder.write(succession.position)
      encoder.writer.i64(succession.time.microseconds)
      encoder.write(.succession(succession.statement))
    }
  }

  private mutating func writeRevocations() {
    list(membership.revocations) { encoder, revocation in
      encoder.write(revocation.position)
      encoder.writer.i64(revocation.time.microseconds)
      encoder.write(revocation.signer)
      encoder.write(.revocation(revocation.statement))
      encoder.writer.list(revocation.apps.compactMap { encoder.applications[$0] }) { $0.u32($1) }
    }
  }

  private mutating func writeApps() {
    list(membership.registrations.values.sorted { $0.registration.raw < $1.registration.raw }) { encoder, app in
      encoder.writer.fixed(app.registration.raw)
      encoder.writer.i64(app.registered.microseconds)
      encoder.writer.u32(encoder.entitlements[app.entitlements] ?? .max)
      encoder.write(.app(app.statement))
    }
    writer.list(membership.apps.values.map(\.registration.raw).sorted()) { $0.fixed($1) }
  }

  private mutating func writeDevices() {
    list(membership.devices.values.sorted { $0.id < $1.id }) { encoder, device in
      encoder.writer.fixed(device.id.raw)
      encoder.writer.publicKeys(device.keys)
      encoder.writer.optional(device.deliveryKey) { $0.fixed($1.raw) }
      switch device.role {
      case .admin(let admin):
        encoder.writer.u8(1)
        encoder.writer.fixed(admin.raw)
      case .member: encoder.writer.u8(2)
      case .readOnly(let expires):
        encoder.writer.u8(3)
        encoder.writer.i64(expires.microseconds)
      }
      encoder.writer.string(device.name)
      encoder.writer.i64(device.enrolled.microseconds)
      encoder.write(device.signer)
      encoder.writer.bool(device.revocation != nil)
      if let revocation = device.revocation { encoder.write(revocation) }
      encoder.writer.list(device.lastSegments.values.sorted { $0.stream < $1.stream })
    }
    writer.list(membership.invitations.sorted { $0.key < $1.key }) { writer, invitation in
      writer.fixed(invitation.key.raw)
      writer.fixed(invitation.value.raw)
    }
    writer.list(membership.expiries.sorted { $0.key < $1.key }) { writer, expiry in
      writer.fixed(expiry.key.raw)
      writer.i64(expiry.value.microseconds)
    }
  }

  private mutating func writeAuthors() {
    list(membership.authors.values.sorted { $0.id < $1.id }) { encoder, author in
      encoder.writer.fixed(author.id.raw)
      encoder.writer.publicKeys(author.keys)
      switch author.role {
      case .admin(let device):
        encoder.writer.u8(1)
        encoder.writer.fixed(device.raw)
      case .principal(let application, let registration, let device):
        encoder.writer.u8(2)
        encoder.writer.fixed(device.raw)
        encoder.writer.u32(encoder.applications[application] ?? .max)
        encoder.writer.fixed(registration.raw)
      }
      encoder.write(author.signer)
      encoder.writer.optional(author.delivery) { $0.fixed($1.box) }
      encoder.writer.bool(author.cut != nil)
      if let cut = author.cut { encoder.write(cut) }
      encoder.list(author.groupCuts.sorted { $0.key < $1.key }) { encoder, cut in
        encoder.writer.fixed(cut.key.raw)
        encoder.write(cut.value)
      }
    }
  }

  /// Writes a cut. Its lists of records are those of its revocation.
  private mutating func write(_ cut: AuthorCut) {
    writer.u32(revocations[cut.revocation] ?? .max)
    writer.bool(cut.isAdmin)
    writer.optional(cut.entitlements.map { entitlements[$0] ?? .max }) { $0.u32($1) }
    writer.bool(cut.keepsReading)
  }

  private mutating func writeGroups() {
    list(membership.groups.values.sorted { $0.id < $1.id }) { encoder, group in
      encoder.writer.fixed(group.id.raw)
      encoder.writer.string(group.name.description)
      encoder.list(group.generations) { encoder, generation in
        encoder.writer.fixed(generation.commitment)
        encoder.writer.u32(generation.wrappedGeneration)
        encoder.writer.data(generation.wrapped)
        encoder.writer.list(generation.boxes.all)
      }
      encoder.writer.list(group.recovered)
    }
  }

  private mutating func writeWithdrawals() {
    let signers = membership.withdrawn.sorted { Self.order($0.key) < Self.order($1.key) }
    list(signers) { encoder, withdrawal in
      encoder.write(withdrawal.key)
      encoder.writer.list(withdrawal.value.map(\.raw).sorted()) { $0.fixed($1) }
    }
  }

  private static func order(_ signer: LogEntry.Signer) -> AuthorID {
    switch signer {
    case .root: .root
    case .admin(let id): id
    }
  }

  private mutating func writeDismissals() {
    list(membership.dismissals.sorted { $0.key.raw < $1.key.raw }) { encoder, dismissed in
      encoder.writer.fixed(dismissed.key.raw)
      encoder.list(dismissed.value.sorted { $0.key < $1.key }) { encoder, item in
        encoder.writer.fixed(item.key.group.raw)
        encoder.writer.fixed(item.key.item.raw)
        encoder.write(item.value.position)
        encoder.writer.i64(item.value.time.microseconds)
        encoder.write(item.value.signer)
        encoder.writer.string(item.value.reason)
      }
    }
  }
}
