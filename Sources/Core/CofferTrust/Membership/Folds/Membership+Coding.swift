internal import CofferCrypto
internal import CofferFormat

extension Membership {
  /// Writes a membership, or reads one that ended between two batches. It has no lists of records yet.
  init(_ known: Membership?, _ coder: inout FoldCoder) throws(FormatError) {
    genesis = coder.genesis
    team = TeamID(genesis: coder.genesis.hash)
    head = try coder.position(known?.head, "head")
    headTime = try coder.fields.time(known?.headTime, "time")
    firstUnknownCritical = try coder.optional(known?.firstUnknownCritical, "first unknown") {
      (coder, place) throws(FormatError) in try coder.fields.place(place, "first unknown")
    }
    transportCommitments = try coder.list(known?.transportCommitments, "transport keys") {
      (coder, commitment) throws(FormatError) in try coder.fields.bytes32(commitment, "transport key")
    }
    guard transportCommitments.count <= Limits.transportKeys else { throw coder.failure("transport keys", .tooLarge) }
    mixesTransportKeys = try coder.fields.bool(known?.mixesTransportKeys, "mixed keys")
    try coder.codeTables(for: team)
    successions = try coder.list(known?.successions, "successions") { (coder, succession) throws(FormatError) in
      try Succession(succession, &coder)
    }
    revocations = try coder.list(known?.revocations, "revocations") { (coder, revocation) throws(FormatError) in
      try Revocation(revocation, &coder)
    }
    coder.revocations = revocations
    let registrations = try coder.dictionary(known?.registrations, "registrations", by: \.raw) {
      (coder, known) throws(FormatError) in
      let app = try App(known?.value, &coder)
      return (app.registration, app)
    }
    self.registrations = registrations
    let latest = try coder.hashes(known.map { Set($0.apps.values.map(\.registration)) }, "apps")
    apps = [:]
    for registration in latest {
      guard let app = registrations[registration], apps.updateValue(app, forKey: app.id) == nil else {
        throw coder.failure("apps")
      }
    }
    devices = try coder.dictionary(known?.devices, "machines", by: \.self) { (coder, known) throws(FormatError) in
      let device = try Device(known?.value, &coder)
      return (device.id, device)
    }
    invitations = try coder.dictionary(known?.invitations, "invitations", by: \.self) {
      (coder, known) throws(FormatError) in
      (try coder.fields.id(known?.key, "invitation"), try coder.fields.id(known?.value, "machine"))
    }
    expiries = try coder.dictionary(known?.expiries, "expiries", by: \.self) { (coder, known) throws(FormatError) in
      (try coder.fields.id(known?.key, "machine"), try coder.fields.time(known?.value, "expiry"))
    }
    var admins: Set<AuthorID> = []
    var principals = [[AuthorID]](repeating: [], count: coder.applications.count)
    // The shortest author has 120 bytes.
    authors = try coder.dictionary(known?.authors, "authors", byteCount: 120, by: \.self) {
      (coder, known) throws(FormatError) in
      let (author, application) = try Author.code(known?.value, &coder)
      if let application { principals[application].append(author.id) } else { admins.insert(author.id) }
      return (author.id, author)
    }
    self.admins = admins
    self.principals = [:]
    for (application, ids) in zip(coder.applications, principals) where !ids.isEmpty {
      self.principals[application] = Set(ids)
    }
    groups = try coder.dictionary(known?.groups, "groups", by: \.self) { (coder, known) throws(FormatError) in
      let group = try RegisteredGroup(known?.value, &coder)
      return (group.id, group)
    }
    withdrawn = try coder.dictionary(known?.withdrawn, "withdrawals", by: \.id) { (coder, known) throws(FormatError) in
      (try coder.fields.signer(known?.key), try coder.hashes(known?.value, "withdrawn entries"))
    }
    rejected = try coder.hashes(known?.rejected, "rejected entries")
    dismissals = try coder.dictionary(known?.dismissals, "dismissals", by: \.raw) {
      (coder, known) throws(FormatError) in
      let revocation = try coder.fields.hash(known?.key, "revocation")
      let items = try coder.dictionary(known?.value, "dismissed items", by: \.self) {
        (coder, known) throws(FormatError) in
        (try ItemAddress(known?.key, &coder.fields), try Dismissal(known?.value, &coder))
      }
      return (revocation, items)
    }
    recordLists = [:]
    batch = nil
  }
}

extension Succession {
  fileprivate init(_ known: Succession?, _ coder: inout FoldCoder) throws(FormatError) {
    let position = try coder.position(known?.position, "succession")
    let time = try coder.fields.time(known?.time, "succession")
    let statement = try coder.statement(known.map { .succession($0.statement) }, of: position.sequence)
    guard case .succession(let statement)? = statement else { throw coder.failure("succession") }
    self.init(position: position, time: time, statement: statement)
  }
}

extension Revocation {
  fileprivate init(_ known: Revocation?, _ coder: inout FoldCoder) throws(FormatError) {
    let position = try coder.position(known?.position, "revocation")
    let time = try coder.fields.time(known?.time, "revocation")
    let signer = try coder.fields.signer(known?.signer)
    let statement = try coder.statement(known.map { .revocation($0.statement) }, of: position.sequence)
    guard case .revocation(let statement)? = statement else { throw coder.failure("revocation") }
    let apps = try coder.list(known?.apps, "removed apps") { (coder, app) throws(FormatError) in
      let index = try coder.index(of: app)
      return coder.applications[index]
    }
    self.init(position: position, time: time, signer: signer, statement: statement, apps: apps)
  }
}

extension App {
  fileprivate init(_ known: App?, _ coder: inout FoldCoder) throws(FormatError) {
    let registration = try coder.fields.hash(known?.registration, "registration")
    let registered = try coder.fields.time(known?.registered, "registration")
    let entitlements = try coder.reference(to: known?.entitlements)
    guard case .app(let statement)? = try coder.statement(known.map { .app($0.statement) }, of: 0) else {
      throw coder.failure("registration")
    }
    self.init(registration: registration, statement: statement, entitlements: entitlements, registered: registered)
  }
}

extension Device {
  fileprivate init(_ known: Device?, _ coder: inout FoldCoder) throws(FormatError) {
    id = try coder.fields.id(known?.id, "machine")
    keys = try coder.fields.publicKeys(known?.keys, "machine's keys")
    deliveryKey = try coder.optional(known?.deliveryKey, "delivery key") { (coder, key) throws(FormatError) in
      BoxKey(try coder.fields.bytes32(key?.raw, "delivery key"))
    }
    switch try coder.fields.u8(known.map { $0.admin != nil ? 1 : $0.isReadOnly ? 3 : 2 }, "role") {
    case 1: role = .admin(try coder.fields.id(known?.admin, "admin"))
    case 2: role = .member
    case 3: role = .readOnly(expires: try coder.fields.time(known?.expires, "expiry"))
    default: throw coder.failure("role")
    }
    name = try coder.fields.string(known?.name, "name", cap: Limits.deviceNameByteCount)
    enrolled = try coder.fields.time(known?.enrolled, "enrolment")
    signer = try coder.fields.signer(known?.signer)
    revocation = try coder.optional(known?.revocation, "revocation") { (coder, position) throws(FormatError) in
      try coder.position(position, "revocation")
    }
    lastSegments = try coder.dictionary(known?.lastSegments, "last segments", by: \.self) {
      (coder, known) throws(FormatError) in
      let last = try coder.fields.coded(known?.value)
      return (last.stream, last)
    }
  }
}

extension Author {
  /// Also returns the index of the author's application; nil for an admin.
  fileprivate static func code(
    _ known: Author?, _ coder: inout FoldCoder
  ) throws(FormatError) -> (author: Author, application: Int?) {
    let id = try coder.fields.id(known?.id, "author")
    let keys = try coder.fields.publicKeys(known?.keys, "author's keys")
    let kind = try coder.fields.u8(known.map { $0.isAdmin ? 1 : 2 }, "role")
    let device = try coder.fields.id(known?.device, "machine")
    let role: Role
    var application: Int?
    switch kind {
    case 1: role = .admin(device)
    case 2:
      let index = try coder.index(of: known?.application)
      application = index
      let registration = try coder.fields.hash(known?.registration, "registration")
      role = .principal(coder.applications[index], registration: registration, device)
    default: throw coder.failure("role")
    }
    let signer = try coder.fields.signer(known?.signer)
    let delivery = try coder.optional(known?.delivery, "delivered keys") { (coder, delivery) throws(FormatError) in
      try DeliveredKeys(delivery, &coder.fields)
    }
    var author = Author(id: id, keys: keys, role: role, delivery: delivery, signer: signer)
    author.cut = try coder.optional(known?.cut, "end of rights") { (coder, cut) throws(FormatError) in
      try AuthorCut(cut, &coder)
    }
    author.groupCuts = try coder.dictionary(known?.groupCuts, "lost groups", by: \.self) {
      (coder, known) throws(FormatError) in
      (try coder.fields.id(known?.key, "lost group"), try AuthorCut(known?.value, &coder))
    }
    return (author, application)
  }
}

extension AuthorCut {
  /// Its lists of records are those of its revocation.
  fileprivate init(_ known: AuthorCut?, _ coder: inout FoldCoder) throws(FormatError) {
    let revocation = try coder.reference(toRevocation: known?.revocation)
    let isAdmin = try coder.fields.bool(known?.isAdmin, "admin")
    let entitlements = try coder.optional(known?.entitlements, "entitlements") {
      (coder, entitlements) throws(FormatError) in try coder.reference(to: entitlements)
    }
    self.init(
      revocation: revocation.position, isAdmin: isAdmin, entitlements: entitlements,
      keepsReading: try coder.fields.bool(known?.keepsReading, "keeps reading"),
      recordLists: revocation.statement.recordLists)
  }
}

extension RegisteredGroup {
  fileprivate init(_ known: RegisteredGroup?, _ coder: inout FoldCoder) throws(FormatError) {
    id = try coder.fields.id(known?.id, "group")
    let text = try coder.fields.string(known?.name.description, "group", cap: Limits.identifierByteCount)
    guard let name = known?.name ?? AccessGroupName(text) else { throw coder.failure("group") }
    self.name = name
    generations = []
    for index in 0..<(try coder.count(known?.generations.count, "generations")) {
      generations.append(try Generation(known?.generations[index], number: UInt32(index) + 1, &coder))
    }
    recovered = try coder.list(known?.recovered, "recovered keys") { (coder, key) throws(FormatError) in
      try coder.fields.coded(key)
    }
    requirement = try coder.fields.choice(known?.requirement, "requirement")
  }
}

extension RegisteredGroup.Generation {
  fileprivate init(
    _ known: RegisteredGroup.Generation?, number: UInt32, _ coder: inout FoldCoder
  ) throws(FormatError) {
    self.number = number
    commitment = try coder.fields.bytes32(known?.commitment, "commitment")
    wrappedGeneration = try coder.fields.u32(known?.wrappedGeneration, "wrapped generation")
    guard wrappedGeneration < number else { throw coder.failure("wrapped generation") }
    wrapped = try coder.fields.data(known?.wrapped, "wrapped key", cap: Limits.logEntryByteCount)
    boxes = try coder.fields.value(
      known?.boxes, { $0.list($1.all) }, { (reader) throws(FormatError) in KeyBoxes(try reader.boxTable("boxes")) })
  }
}

extension Dismissal {
  fileprivate init(_ known: Dismissal?, _ coder: inout FoldCoder) throws(FormatError) {
    position = try coder.position(known?.position, "dismissal")
    time = try coder.fields.time(known?.time, "dismissal")
    signer = try coder.fields.signer(known?.signer)
    reason = try coder.fields.string(known?.reason, "reason", cap: Limits.dismissalReasonByteCount)
  }
}
