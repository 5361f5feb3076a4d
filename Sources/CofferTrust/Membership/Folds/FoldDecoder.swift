internal import CofferCrypto
package import CofferFormat

/// Reads what ``FoldEncoder`` writes. Whoever calls it must know that this program has written the bytes: they are checked
/// for their form only.
package struct FoldDecoder {
  private let genesis: Genesis
  private var reader: ByteReader
  private var applications: [ApplicationID] = []
  private var entitlements: [Entitlements] = []
  private var revocations: [Revocation] = []

  /// The elements of a list, as far as only the size of the input limits them.
  private static let any = Int.max

  /// Returns the membership that was written, without lists of records. Throws `unsupportedVersion` if another version
  /// of this program has written the bytes, or one that knows other statements, and `otherVault` for a fold of another
  /// vault's log.
  package static func decode(
    _ bytes: [UInt8], by program: String, of genesis: Genesis
  ) throws(FormatError) -> Membership {
    var decoder = FoldDecoder(genesis: genesis, reader: ByteReader(bytes, object: ObjectKind.fold.name))
    return try decoder.membership(by: program)
  }

  private init(genesis: Genesis, reader: ByteReader) {
    self.genesis = genesis
    self.reader = reader
  }

  private mutating func membership(by program: String) throws(FormatError) -> Membership {
    try reader.begin(.fold)
    let writer = try reader.string("program", cap: Limits.identifierByteCount)
    let kinds = try reader.list("kinds", cap: 65_536) { (reader) throws(FormatError) in try reader.u16("kind") }
    guard writer == program, kinds == Statement.Kind.allCases.map(\.rawValue).sorted(),
      try reader.u32("rules") == FoldEncoder.rules
    else {
      throw reader.failure(.unsupportedVersion, "program")
    }
    guard try reader.bytes32("genesis") == genesis.hash.raw else { throw reader.failure(.otherVault, "genesis") }
    let head = try reader.position("head")
    let headTime = try reader.time("time")
    let firstUnknownCritical = try reader.optional("first unknown") { (reader) throws(FormatError) in
      try reader.place("first unknown")
    }
    let transportCommitments = try reader.list("transport keys", cap: Limits.transportKeys) {
      (reader) throws(FormatError) in try reader.bytes32("transport key")
    }
    try readTables()
    let successions = try self.successions()
    try readRevocations()
    let registrations = try self.registrations()
    let apps = try self.apps(among: registrations)
    let devices = try self.devices()
    let invitations = try self.invitations()
    let expiries = try self.expiries()
    let authors = try self.authors()
    let groups = try self.groups()
    let withdrawn = try withdrawals()
    let rejected = try reader.list("rejected entries", cap: Self.any) { (reader) throws(FormatError) in
      EntryHash(try reader.bytes32("rejected entry"))
    }
    let dismissals = try self.dismissals()
    try reader.finish()
    return Membership(
      genesis: genesis, head: head, headTime: headTime, devices: devices, authors: authors.byID, expiries: expiries,
      invitations: invitations, apps: apps, groups: groups, transportCommitments: transportCommitments,
      firstUnknownCritical: firstUnknownCritical, revocations: revocations, dismissals: dismissals,
      successions: successions, withdrawn: withdrawn, rejected: Set(rejected), admins: authors.admins,
      principals: authors.principals, registrations: registrations)
  }

  // MARK: What others refer to

  private mutating func readTables() throws(FormatError) {
    applications = try reader.list("applications", cap: Self.any) { (reader) throws(FormatError) in
      let name = try reader.string("application", cap: Limits.identifierByteCount)
      guard let application = ApplicationID(name) else { throw reader.failure(.invalidValue, "application") }
      return application
    }
    let team = TeamID(genesis: genesis.hash)
    entitlements = try reader.list("entitlements", cap: Self.any) { (reader) throws(FormatError) in
      let name = try reader.string("application", cap: Limits.identifierByteCount)
      let groups: [StatedGroup] = try reader.list("groups", cap: Limits.groupsPerApp)
      do throws(EntitlementsError) {
        return try Entitlements(applicationID: name, stated: groups, team: team, source: ObjectKind.fold.name)
      } catch {
        throw reader.failure(.invalidValue, "entitlements")
      }
    }
  }

  private mutating func element<Element>(of table: [Element], _ field: String) throws(FormatError) -> Element {
    let index = Int(try reader.u32(field))
    guard table.indices.contains(index) else { throw reader.failure(.invalidValue, field) }
    return table[index]
  }

  private mutating func statement(of sequence: UInt64) throws(FormatError) -> Statement? {
    let kind = try reader.u16("kind")
    return try Statement.parse(
      kind: kind, body: reader.data("statement", cap: Limits.logEntryByteCount), of: sequence)
  }

  private mutating func count(_ field: String) throws(FormatError) -> Int {
    try reader.count(field, cap: Self.any, byteCount: 1)
  }

  private mutating func successions() throws(FormatError) -> [Succession] {
    var successions: [Succession] = []
    for _ in 0..<(try count("successions")) {
      let position = try reader.position("succession")
      let time = try reader.time("succession")
      guard case .succession(let statement)? = try statement(of: position.sequence) else {
        throw reader.failure(.invalidValue, "succession")
      }
      successions.append(Succession(position: position, time: time, statement: statement))
    }
    return successions
  }

  private mutating func readRevocations() throws(FormatError) {
    for _ in 0..<(try count("revocations")) {
      let position = try reader.position("revocation")
      let time = try reader.time("revocation")
      let signer = try reader.signer()
      guard case .revocation(let statement)? = try statement(of: position.sequence) else {
        throw reader.failure(.invalidValue, "revocation")
      }
      var apps: [ApplicationID] = []
      for _ in 0..<(try count("removed apps")) { apps.append(try element(of: applications, "removed app")) }
      revocations.append(
        Revocation(position: position, time: time, signer: signer, statement: statement, apps: apps))
    }
  }

  private mutating func registrations() throws(FormatError) -> [EntryHash: App] {
    var registrations: [EntryHash: App] = [:]
    for _ in 0..<(try count("registrations")) {
      let registration = EntryHash(try reader.bytes32("registration"))
      let registered = try reader.time("registration")
      let entitlements = try element(of: entitlements, "entitlements")
      guard case .app(let statement)? = try statement(of: 0), registrations[registration] == nil else {
        throw reader.failure(.invalidValue, "registration")
      }
      registrations[registration] = App(
        registration: registration, statement: statement, entitlements: entitlements, registered: registered)
    }
    return registrations
  }

  private mutating func apps(among registrations: [EntryHash: App]) throws(FormatError) -> [ApplicationID: App] {
    var apps: [ApplicationID: App] = [:]
    for _ in 0..<(try count("apps")) {
      guard let app = registrations[EntryHash(try reader.bytes32("app"))], apps[app.id] == nil else {
        throw reader.failure(.invalidValue, "app")
      }
      apps[app.id] = app
    }
    return apps
  }

  // MARK: Machines and authors

  private mutating func devices() throws(FormatError) -> [DeviceID: Device] {
    var devices: [DeviceID: Device] = [:]
    for _ in 0..<(try count("machines")) {
      let id = DeviceID(try reader.bytes16("machine"))
      let keys = try reader.publicKeys("machine's keys")
      let deliveryKey = try reader.bool("delivery key") ? BoxKey(try reader.bytes32("delivery key")) : nil
      let role: Device.Role
      switch try reader.u8("role") {
      case 1: role = .admin(AuthorID(try reader.bytes16("admin")))
      case 2: role = .member
      case 3: role = .readOnly(expires: try reader.time("expiry"))
      default: throw reader.failure(.invalidValue, "role")
      }
      let name = try reader.string("name", cap: Limits.deviceNameByteCount)
      let enrolled = try reader.time("enrolment")
      var device = Device(
        id: id, keys: keys, deliveryKey: deliveryKey, role: role, name: name, enrolled: enrolled,
        signer: try reader.signer())
      if try reader.bool("revocation") { device.revocation = try reader.position("revocation") }
      for _ in 0..<(try count("last segments")) {
        let last = try StreamPosition(from: &reader)
        guard device.lastSegments.updateValue(last, forKey: last.stream) == nil else {
          throw reader.failure(.invalidValue, "last segments")
        }
      }
      guard devices.updateValue(device, forKey: id) == nil else { throw reader.failure(.invalidValue, "machine") }
    }
    return devices
  }

  private mutating func invitations() throws(FormatError) -> [InvitationID: DeviceID] {
    var invitations: [InvitationID: DeviceID] = [:]
    for _ in 0..<(try count("invitations")) {
      let invitation = InvitationID(try reader.bytes16("invitation"))
      guard invitations.updateValue(DeviceID(try reader.bytes16("machine")), forKey: invitation) == nil else {
        throw reader.failure(.invalidValue, "invitation")
      }
    }
    return invitations
  }

  private mutating func expiries() throws(FormatError) -> [DeviceID: Timestamp] {
    var expiries: [DeviceID: Timestamp] = [:]
    for _ in 0..<(try count("expiries")) {
      let device = DeviceID(try reader.bytes16("machine"))
      guard expiries.updateValue(try reader.time("expiry"), forKey: device) == nil else {
        throw reader.failure(.invalidValue, "expiry")
      }
    }
    return expiries
  }

  /// The authors, and what follows from them.
  private struct Authors {
    var byID: [AuthorID: Author] = [:]
    var admins: Set<AuthorID> = []
    var principals: [ApplicationID: Set<AuthorID>] = [:]
  }

  private mutating func authors() throws(FormatError) -> Authors {
    var authors = Authors()
    // The shortest author has 120 bytes.
    let count = try reader.count("authors", cap: Self.any, byteCount: 120)
    authors.byID.reserveCapacity(count)
    var ofApps = [[AuthorID]](repeating: [], count: applications.count)
    for _ in 0..<count {
      let author = try author(&authors.admins, &ofApps)
      guard authors.byID.updateValue(author, forKey: author.id) == nil else {
        throw reader.failure(.invalidValue, "author")
      }
    }
    for (application, ids) in zip(applications, ofApps) where !ids.isEmpty {
      authors.principals[application] = Set(ids)
    }
    return authors
  }

  private mutating func author(
    _ admins: inout Set<AuthorID>, _ ofApps: inout [[AuthorID]]
  ) throws(FormatError) -> Author {
    let id = AuthorID(try reader.bytes16("author"))
    let keys = try reader.publicKeys("author's keys")
    let kind = try reader.u8("role")
    let device = DeviceID(try reader.bytes16("machine"))
    let role: Author.Role
    switch kind {
    case 1:
      role = .admin(device)
      admins.insert(id)
    case 2:
      let index = Int(try reader.u32("application"))
      guard applications.indices.contains(index) else { throw reader.failure(.invalidValue, "application") }
      role = .principal(
        applications[index], registration: EntryHash(try reader.bytes32("registration")), device)
      ofApps[index].append(id)
    default: throw reader.failure(.invalidValue, "role")
    }
    let signer = try reader.signer()
    let delivery = try reader.bool("delivered keys") ? try reader.deliveredKeys() : nil
    var author = Author(id: id, keys: keys, role: role, delivery: delivery, signer: signer)
    if try reader.bool("end of rights") { author.cut = try cut() }
    for _ in 0..<(try self.count("lost groups")) {
      let group = GroupID(try reader.bytes16("lost group"))
      guard author.groupCuts.updateValue(try cut(), forKey: group) == nil else {
        throw reader.failure(.invalidValue, "lost group")
      }
    }
    return author
  }

  private mutating func cut() throws(FormatError) -> AuthorCut {
    let revocation = try element(of: revocations, "revocation")
    let isAdmin = try reader.bool("admin")
    let entitlements = try reader.bool("entitlements") ? try element(of: entitlements, "entitlements") : nil
    return AuthorCut(
      revocation: revocation.position, isAdmin: isAdmin, entitlements: entitlements,
      keepsReading: try reader.bool("keeps reading"), recordLists: revocation.statement.recordLists)
  }

  // MARK: Groups and items

  private mutating func groups() throws(FormatError) -> [GroupID: RegisteredGroup] {
    var groups: [GroupID: RegisteredGroup] = [:]
    for _ in 0..<(try count("groups")) {
      let id = GroupID(try reader.bytes16("group"))
      guard let name = AccessGroupName(try reader.string("group", cap: Limits.identifierByteCount)) else {
        throw reader.failure(.invalidValue, "group")
      }
      var group = RegisteredGroup(id: id, name: name, generations: [])
      for number in 0..<UInt32(clamping: try count("generations")) {
        let commitment = try reader.bytes32("commitment")
        let wrappedGeneration = try reader.u32("wrapped generation")
        guard wrappedGeneration <= number else { throw reader.failure(.invalidValue, "wrapped generation") }
        group.generations.append(
          RegisteredGroup.Generation(
            number: number + 1, commitment: commitment, wrappedGeneration: wrappedGeneration,
            wrapped: try reader.data("wrapped key", cap: Limits.logEntryByteCount),
            boxes: KeyBoxes(try reader.boxTable("boxes"))))
      }
      group.recovered = try reader.list("recovered keys", cap: Self.any)
      guard groups.updateValue(group, forKey: id) == nil else { throw reader.failure(.invalidValue, "group") }
    }
    return groups
  }

  private mutating func withdrawals() throws(FormatError) -> [LogEntry.Signer: Set<EntryHash>] {
    var withdrawn: [LogEntry.Signer: Set<EntryHash>] = [:]
    for _ in 0..<(try count("withdrawals")) {
      let signer = try reader.signer()
      let entries = try reader.list("withdrawn entries", cap: Self.any) { (reader) throws(FormatError) in
        EntryHash(try reader.bytes32("withdrawn entry"))
      }
      guard withdrawn.updateValue(Set(entries), forKey: signer) == nil else {
        throw reader.failure(.invalidValue, "withdrawal")
      }
    }
    return withdrawn
  }

  private mutating func dismissals() throws(FormatError) -> [EntryHash: [ItemAddress: Dismissal]] {
    var dismissals: [EntryHash: [ItemAddress: Dismissal]] = [:]
    for _ in 0..<(try count("dismissals")) {
      let revocation = EntryHash(try reader.bytes32("revocation"))
      var items: [ItemAddress: Dismissal] = [:]
      for _ in 0..<(try count("dismissed items")) {
        let item = ItemAddress(
          group: GroupID(try reader.bytes16("group")), item: ItemID(try reader.bytes16("item")))
        let dismissal = Dismissal(
          position: try reader.position("dismissal"), time: try reader.time("dismissal"),
          signer: try reader.signer(),
          reason: try reader.string("reason", cap: Limits.dismissalReasonByteCount))
        guard items.updateValue(dismissal, forKey: item) == nil else {
          throw reader.failure(.invalidValue, "dismissed item")
        }
      }
      guard dismissals.updateValue(items, forKey: revocation) == nil else {
        throw reader.failure(.invalidValue, "dismissal")
      }
    }
    return dismissals
  }
}

extension ByteReader {
  fileprivate mutating func position(_ field: String) throws(FormatError) -> LogPosition {
    let sequence = try place(field)
    return LogPosition(sequence: sequence, hash: EntryHash(try bytes32(field)))
  }

  fileprivate mutating func time(_ field: String) throws(FormatError) -> Timestamp {
    Timestamp(microseconds: try i64(field))
  }

  fileprivate mutating func signer() throws(FormatError) -> LogEntry.Signer {
    let kind = try u8("signer")
    let id = AuthorID(try bytes16("signer"))
    switch (kind, id == .root) {
    case (1, true): return .root
    case (2, false): return .admin(id)
    default: throw failure(.invalidValue, "signer")
    }
  }
}
