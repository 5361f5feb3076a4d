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
  private let peer: LocalPeer
  private let table: KeyTable
  private let questions: LeaseQuestions
  private let locksWithScreen: Bool
  /// Whether the client can only lock the agent, because too many requests wait.
  let locksOnly: Bool
  private let isWaiting = Atomic(true)
  private let hasEnded = Atomic(false)

  /// How long a client may take before its first request, and between two of a session.
  private static let timeout = Duration.seconds(5)
  private static let sessionTimeout = Duration.seconds(600)

  init(
    _ number: UInt64, _ socket: consuming LocalSocket, of peer: LocalPeer, _ table: KeyTable,
    _ questions: LeaseQuestions, locksWithScreen: Bool, locksOnly: Bool
  ) {
    self.number = number
    self.peer = peer
    channel = AgentChannel(socket)
    self.table = table
    self.questions = questions
    self.locksWithScreen = locksWithScreen
    self.locksOnly = locksOnly
  }

  /// Whether the client has asked for nothing that is not answered.
  var isIdle: Bool { isWaiting.load(ordering: .relaxed) }

  /// Ends the connection from another thread.
  func shutDown() {
    hasEnded.store(true, ordering: .relaxed)
    channel.socket.shutDown()
  }

  /// Whether another thread has ended the connection. Its own thread may still wait for `/proc` of the client.
  var isShutDown: Bool { hasEnded.load(ordering: .relaxed) }

  /// Identifies the client, and answers its requests until it ends the connection, or sends what is no request.
  func serve() {
    defer { table.end(number) }
    var session: ClientSession?
    do throws(SystemError) {
      try channel.socket.setTimeouts(receiving: Self.timeout, sending: Self.timeout)
      let evidence = locksOnly ? nil : ClientEvidence.read(of: peer, channel.socket)
      while let packet = try channel.receive(upTo: AgentRequest.byteCountLimit, AgentRequest.init(packet:)) {
        isWaiting.store(false, ordering: .relaxed)
        defer { isWaiting.store(true, ordering: .relaxed) }
        guard case .success(let request) = packet else {
          try channel.send(.refused(.malformed, message: "the request is malformed"))
          return
        }
        if case .lock = request {
          // Whoever asks: a client that cannot be identified must not keep the agent from being locked.
          try channel.send(.done(UInt32(table.lock("coffer lock"))))
          continue
        }
        guard let evidence else {
          let reason = locksOnly ? "too many requests wait" : "the program could not be identified"
          try channel.send(.refused(.otherProcess, message: reason))
          return
        }
        let response = try answer(request, of: evidence, &session)
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

  private func answer(
    _ request: AgentRequest, of client: ClientEvidence, _ session: inout ClientSession?
  ) throws(SystemError) -> AgentResponse {
    switch request {
    case .open(let opening):
      // A session that does not begin leaves no other one: neither its author nor its keys.
      session = nil
      table.end(number)
      let new = ClientSession(client: client, opening: opening)
      let response = try refusing { () throws -> AgentResponse in
        guard let vault = self.table.begin(self.number, folder: opening.folder, author: opening.author) else {
          return .refused(.locked, message: "")
        }
        return try self.refusal(of: opening.groups, new, vault, vault.log()) ?? .opened
      }
      if case .opened = response { session = new } else { table.end(number) }
      return response
    case .groupKeys(let group):
      return try inSession(session) { session, vault in
        let log = try vault.log()
        guard let registered = log.published.groups[group], session.access(to: group, by: log.published) != nil else {
          return .refused(.failed, message: "the vault has no such group")
        }
        if let refusal = try self.refusal(of: [group], session, vault, log) { return refusal }
        return try self.withKeys { keys in
          guard let key = keys.verificationKey(of: group) else { return .refused(.failed, message: "no key") }
          return .secrets(try keys.groupSecrets(of: registered), verificationKey: key.secret)
        }
      }
    case .sign(let record):
      return try inSession(session) { session, vault in
        let log = try vault.log()
        guard record.header.vault == log.published.vault, record.header.author == session.opening.author else {
          return .refused(.failed, message: "the record is another author's")
        }
        guard session.access(to: record.header.group, by: log.published) == .readWrite else {
          return .refused(.failed, message: "the author may not write to the group")
        }
        if let refusal = try self.refusal(of: [record.header.group], session, vault, log) { return refusal }
        return try self.withKeys { keys in .signature(try keys.sign(record)) }
      }
    case .keep(let deposit):
      return try refusing { () throws -> AgentResponse in
        let lineage = client.lineage
        let leases = try self.table.keep(deposit, for: lineage)
        let log = AgentLog(of: VaultFolder(URL(fileURLWithPath: deposit.folder, isDirectory: true)))
        log.append(.init(.unlocked, of: lineage))
        if !leases.isEmpty {
          log.append(
            .init(
              .leaseGranted, cause: "with the passphrase", groups: leases.map(\.name), for: deposit.purpose,
              of: lineage,
              seconds: Int(deposit.leaseSeconds)))
        }
        return .done(1)
      }
    case .lock: return .refused(.malformed, message: "")
    case .status:
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .iso8601
      let status = table.status(locksWithScreen: locksWithScreen)
      return .status((try? encoder.encode(status)).map(Array.init) ?? [])
    }
  }

  private func inSession(
    _ session: ClientSession?, _ body: (ClientSession, UnlockedVault) throws -> AgentResponse
  ) throws(SystemError) -> AgentResponse {
    guard let session else { return .refused(.malformed, message: "no session has begun") }
    return try refusing { () throws -> AgentResponse in
      guard let vault = self.table.vault(of: self.number) else { return .refused(.locked, message: "") }
      return try body(session, vault)
    }
  }

  /// Calls `body` with the keys of the session. It must not wait for the client or a person: a lock waits for it.
  private func withKeys(_ body: (HeldKeys) throws -> AgentResponse) throws -> AgentResponse {
    try table.use(number) { (keys) throws(VaultError) in
      do {
        return try body(keys)
      } catch {
        throw VaultError(translating: error)
      }
    } ?? .refused(.locked, message: "")
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

  /// Returns why the client does not get groups; nil if it has proved that it is the app whose keys it uses, and no
  /// group demands a lease, or its process tree has one. Asks a person if there is a desktop.
  private func refusal(
    of groups: [GroupID], _ session: ClientSession, _ vault: UnlockedVault, _ log: VaultLog
  ) throws -> AgentResponse? {
    let known = groups.compactMap { log.published.groups[$0] }
    guard known.count == groups.count else { return .refused(.failed, message: "the vault has no such group") }
    let (opening, client) = (session.opening, session.client)
    let proof: AppProof
    do throws(VaultError) {
      proof = try AppProof.read(of: client, as: opening.author, in: log)
    } catch {
      let suggestion = error.recoverySuggestion.map { "\n\($0)" } ?? ""
      return .refused(.otherApp, message: error.message + suggestion)
    }
    // The purpose is what the client says. A tree that denies reads is the kernel's word.
    let isDenied = opening.purpose == .show && client.deniesReads
    let demanding = known.filter {
      vault.settings.confirms || isDenied || proof.demandsLease(of: $0, in: log)
    }
    guard !demanding.isEmpty else { return nil }
    guard let lineage = client.lineage else { return .refused(.otherProcess, message: "the program has ended") }
    let missing = demanding.filter {
      !table.hasLease(of: $0.id, author: opening.author, folder: opening.folder, for: opening.purpose, lineage)
    }
    guard !missing.isEmpty else { return nil }
    let names = missing.map(\.name.description)
    let shown = names.count > 3 ? names.prefix(3).joined(separator: ", ") + ", …" : names.joined(separator: ", ")
    let record = { (event: AgentLog.Event, cause: String?) in
      AgentLog(of: vault.local.folder).append(
        .init(
          event, cause: cause, groups: names, for: opening.purpose, of: lineage, reason: opening.reason,
          seconds: event == .leaseGranted ? Int(opening.leaseSeconds) : nil))
    }
    guard LeaseDialog.isAvailable else {
      record(.refused, "there is no desktop to ask on")
      return .refused(.leaseRequired, message: shown)
    }
    try channel.send(.asking)
    let lockCount = table.lockCount
    let dialog = LeaseDialog(
      groups: names.map { log.published.team.removed(from: $0) }, machine: vault.local.machineName, lineage: lineage,
      opening: opening)
    let isOver: @Sendable () -> Bool = { [table] in table.lockCount != lockCount || client.hasEnded }
    let outcome = questions.pose(of: lineage) {
      let answer = dialog.ask(isCancelled: isOver)
      return (answer: answer, isRefused: answer == false && !isOver())
    }
    guard let outcome else {
      record(.refused, "too many questions waited, or one was refused a moment ago")
      return .refused(.notAsked, message: shown)
    }
    guard let answer = outcome else {
      record(.refused, "no dialog could be shown")
      return .refused(.leaseRequired, message: shown)
    }
    guard answer, table.lockCount == lockCount else {
      record(.leaseDenied, nil)
      return .refused(table.lockCount == lockCount ? .denied : .locked, message: shown)
    }
    table.add(
      missing.map {
        Lease(
          of: $0, as: opening.author, folder: opening.folder, for: opening.purpose, lineage,
          seconds: opening.leaseSeconds)
      }, since: lockCount)
    record(.leaseGranted, nil)
    return nil
  }
}

/// What a client has said when it began to work.
struct ClientSession: Sendable {
  let client: ClientEvidence
  let opening: AgentOpening

  /// Returns what the author may do in a group.
  func access(to group: GroupID, by membership: Membership) -> Entitlements.Access? {
    membership.authors[opening.author].flatMap { membership.access(of: $0, to: group) }
  }
}
