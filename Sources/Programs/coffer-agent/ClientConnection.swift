internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Synchronization

/// A connection of a client, served on a thread of its own.
final class ClientConnection: Sendable {
  let number: UInt64
  private let channel: AgentChannel
  private let evidence: ClientEvidence
  private let table: KeyTable
  private let locksWithScreen: Bool
  private let isWaiting = Atomic(true)

  /// How long a client may take before its first request, and between two of a session.
  private static let timeout = Duration.seconds(5)
  private static let sessionTimeout = Duration.seconds(600)

  /// Identifies the client of a connection. Nil for another user.
  init?(_ number: UInt64, _ socket: consuming LocalSocket, _ table: KeyTable, locksWithScreen: Bool) {
    guard let evidence = ClientEvidence.read(of: socket) else { return nil }
    self.number = number
    self.evidence = evidence
    channel = AgentChannel(socket)
    self.table = table
    self.locksWithScreen = locksWithScreen
  }

  /// Whether the client has asked for nothing that is not answered.
  var isIdle: Bool { isWaiting.load(ordering: .relaxed) }

  /// Ends the connection from another thread.
  func shutDown() { channel.socket.shutDown() }

  /// Answers requests until the client ends the connection, or sends what is no request.
  func serve() {
    defer { table.end(number) }
    var session: ClientSession?
    do throws(SystemError) {
      try channel.socket.setTimeouts(receiving: Self.timeout, sending: Self.timeout)
      while let packet = try channel.receive(upTo: AgentRequest.byteCountLimit, AgentRequest.init(secretBytes:)) {
        isWaiting.store(false, ordering: .relaxed)
        defer { isWaiting.store(true, ordering: .relaxed) }
        guard case .success(let request) = packet else {
          try channel.send(.refused(.malformed, message: "the request is malformed"))
          return
        }
        let response = try answer(request, &session)
        // Nobody gets an answer in place of the process that has connected.
        guard evidence.isUnchanged else {
          try channel.send(.refused(.otherProcess, message: "another program has taken over the connection"))
          return
        }
        try channel.send(response)
        if session != nil {
          try channel.socket.setTimeouts(receiving: Self.sessionTimeout, sending: Self.timeout)
        }
      }
    } catch {
      // The client has ended, or is too slow.
    }
  }

  private func answer(_ request: AgentRequest, _ session: inout ClientSession?) throws(SystemError) -> AgentResponse {
    switch request {
    case .open(let folder, let author, let groups, let reason):
      let new = ClientSession(folder: folder, author: author, reason: reason)
      return try refusing { () throws -> AgentResponse in
        guard let (keys, vault) = self.table.begin(self.number, folder: folder, author: author) else {
          return .refused(.locked, message: "")
        }
        if let refusal = try self.refusal(of: groups, new, vault) {
          self.table.end(self.number)
          return refusal
        }
        session = new
        return .opened(verificationKey: keys.verificationKey.secret)
      }
    case .groupKeys(let group):
      return try inSession(session) { session, keys, vault in
        let membership = try vault.membership()
        guard let registered = membership.groups[group], membership.authors[session.author]?.cut == nil else {
          return .refused(.failed, message: "the vault has no such group")
        }
        if let refusal = try self.refusal(of: [group], session, vault) { return refusal }
        return .secrets(try keys.groupSecrets(of: registered))
      }
    case .sign(let record):
      return try inSession(session) { session, keys, vault in
        let membership = try vault.membership()
        guard record.header.vault == membership.vault, record.header.author == session.author,
          membership.authors[session.author]?.cut == nil
        else { return .refused(.failed, message: "the record is another author's") }
        if let refusal = try self.refusal(of: [record.header.group], session, vault) { return refusal }
        return .signature(try keys.sign(record))
      }
    case .keep(let deposit):
      return try refusing { () throws -> AgentResponse in
        let lineage = self.evidence.lineage
        try self.table.keep(deposit, for: lineage)
        AgentLog(of: VaultFolder(URL(fileURLWithPath: deposit.folder, isDirectory: true)))
          .append(.init(.unlocked, of: lineage))
        return .done(1)
      }
    case .lock: return .done(UInt32(table.lock("coffer lock")))
    case .status:
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .iso8601
      let status = table.status(locksWithScreen: locksWithScreen)
      return .status((try? encoder.encode(status)).map(Array.init) ?? [])
    }
  }

  private func inSession(
    _ session: ClientSession?, _ body: (ClientSession, HeldKeys, UnlockedVault) throws -> AgentResponse
  ) throws(SystemError) -> AgentResponse {
    guard let session else { return .refused(.malformed, message: "no session has begun") }
    return try refusing { () throws -> AgentResponse in
      try self.table.use(self.number) { (keys, vault) throws(VaultError) in
        do {
          return try body(session, keys, vault)
        } catch {
          throw VaultError(translating: error)
        }
      } ?? .refused(.locked, message: "")
    }
  }

  private func refusing(_ body: () throws -> AgentResponse) throws(SystemError) -> AgentResponse {
    do {
      return try body()
    } catch let error as SystemError {
      throw error
    } catch let error as VaultError {
      return .refused(.failed, message: error.message)
    } catch {
      return .refused(.failed, message: "the request failed")
    }
  }

  // MARK: Leases

  /// Returns why the client does not get groups; nil if no group demands a lease, or if its process tree has one. Asks a
  /// person if there is a desktop.
  private func refusal(
    of groups: [GroupID], _ session: ClientSession, _ vault: UnlockedVault
  ) throws -> AgentResponse? {
    let membership = try vault.membership()
    let known = groups.compactMap { membership.groups[$0] }
    guard known.count == groups.count else { return .refused(.failed, message: "the vault has no such group") }
    // A requirement holds before it is published too. A stronger one than a lease demands a lease at least.
    let latest = try vault.local.membership()
    let demanding = known.filter {
      vault.settings.confirms || $0.requirement != .none || latest.groups[$0.id]?.requirement ?? .none != .none
    }
    guard !demanding.isEmpty else { return nil }
    guard let lineage = evidence.lineage else { return .refused(.otherProcess, message: "the program has ended") }
    let missing = demanding.filter {
      !table.hasLease(of: $0.id, author: session.author, folder: session.folder, lineage)
    }
    guard !missing.isEmpty else { return nil }
    let names = missing.map(\.name.description)
    let shown = names.count > 3 ? names.prefix(3).joined(separator: ", ") + ", …" : names.joined(separator: ", ")
    let log = AgentLog(of: vault.local.folder)
    guard LeaseDialog.isAvailable else {
      log.append(.init(.refused, cause: "nobody could be asked", groups: names, of: lineage, reason: session.reason))
      return .refused(.leaseRequired, message: shown)
    }
    try channel.send(.asking)
    let lockCount = table.lockCount
    let answer = LeaseDialog(groups: names, lineage: lineage, reason: session.reason).ask { [self] in
      table.lockCount != lockCount || !evidence.isUnchanged
    }
    guard let answer else {
      log.append(.init(.refused, cause: "no dialog could be shown", groups: names, of: lineage, reason: session.reason))
      return .refused(.leaseRequired, message: shown)
    }
    guard answer, table.lockCount == lockCount else {
      log.append(.init(.leaseDenied, groups: names, of: lineage, reason: session.reason))
      return .refused(table.lockCount == lockCount ? .denied : .locked, message: shown)
    }
    let end = ContinuousClock.now + .seconds(Lease.seconds)
    table.add(
      missing.map {
        Lease(
          folder: session.folder, author: session.author, group: $0.id, name: $0.name.description, root: lineage.root,
          end: end)
      }, since: lockCount)
    log.append(
      .init(.leaseGranted, groups: names, of: lineage, reason: session.reason, seconds: Lease.seconds))
    return nil
  }
}

/// What a client has said when it began to work.
struct ClientSession: Sendable {
  let folder: String
  let author: AuthorID
  let reason: String
}
