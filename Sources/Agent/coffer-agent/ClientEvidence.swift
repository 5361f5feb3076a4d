internal import Coffer
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Synchronization

/// What the kernel tells about the process that has opened a connection: read when the connection is served, and again
/// before an answer.
///
/// It proves the user. Within one user it proves, from Linux 6.5 on, which process has connected, not which program
/// that runs: everything else that `/proc` shows of it, another program of the user can forge.
///
/// The arguments are in the memory of that process, which can make their reader wait for as long as it likes. So they
/// are read on the thread of its connection only, and by a limited number of threads.
final class ClientEvidence: Sendable {
  private let handle: ProcessHandle
  private let member: ProcessLineage.Member
  /// The effective group when it connected, which the kernel has recorded: that of a setgid program.
  let group: UInt32
  private let arguments: [String]

  /// How many threads read the arguments of each process.
  private static let readers = Mutex<[Int32: Int]>([:])
  /// How many may, of all processes and of one.
  private static let (readerLimit, processReaderLimit) = (64, 4)
  /// How often a thread tries again, every 20 milliseconds.
  private static let attemptLimit = 100

  /// Identifies the client. Nil if it has ended, or if too many clients keep their readers waiting.
  static func read(of peer: LocalPeer, _ socket: borrowing LocalSocket) -> ClientEvidence? {
    guard let handle = try? socket.peerHandle(of: peer),
      let member = ProcessLineage.member(peer.process), let arguments = arguments(of: member)
    else { return nil }
    let evidence = ClientEvidence(handle: handle, member: member, group: peer.group, arguments: arguments)
    // It was this process that was read, and no later one with its number.
    return evidence.hasEnded ? nil : evidence
  }

  private init(
    handle: consuming ProcessHandle, member: ProcessLineage.Member, group: UInt32, arguments: [String]
  ) {
    self.handle = handle
    self.member = member
    self.group = group
    self.arguments = arguments
  }

  private static func arguments(of member: ProcessLineage.Member) -> [String]? {
    for attempt in 0..<attemptLimit {
      if attempt > 0 { usleep(20_000) }
      let isFree = readers.withLock { readers in
        let own = readers[member.identifier] ?? 0
        guard own < processReaderLimit, readers.values.reduce(0, +) < readerLimit else { return false }
        readers[member.identifier] = own + 1
        return true
      }
      guard isFree else { continue }
      defer {
        readers.withLock { readers in
          let own = readers[member.identifier] ?? 1
          readers[member.identifier] = own > 1 ? own - 1 : nil
        }
      }
      return member.arguments
    }
    return nil
  }

  /// Whether the process has ended.
  var hasEnded: Bool { handle.hasEnded }

  /// Whether the process still runs, and with the same program: one that has replaced its program (exec), or has passed
  /// the connection to another process and ended, gets no answer.
  var isUnchanged: Bool {
    guard let now = ProcessLineage.member(member.identifier) else { return false }
    return now.isSame(as: member) && now.name == member.name && Self.arguments(of: now) == arguments && !hasEnded
  }

  /// Whether `coffer run --deny-reads` has started the tree of the process. No process leaves such a tree.
  var deniesReads: Bool { member.deniesReads }

  /// The process and its ancestors. Nil if it has ended.
  var lineage: ProcessLineage? {
    guard let lineage = ProcessLineage.read(of: member.identifier), lineage.members[0].isSame(as: member) else {
      return nil
    }
    return lineage
  }
}

/// What proves to the agent that a client is the app whose keys it uses.
enum AppProof {
  /// Nothing: every program of the user could be the client. So it is for the owner, and for an app whose program
  /// nobody has installed.
  case none
  /// The group of the program that root has installed, or an account that only the app uses.
  case installed

  /// Examines a client that uses the keys of an author.
  ///
  /// - Throws: ``VaultError`` if it does not get them: root has installed the app's program, and the client does not
  ///   have its group, or the record of the program cannot be read; or a group of the app demands such a program, and
  ///   there is none. An entry of the log counts before it is published.
  static func read(
    of client: ClientEvidence, as author: AuthorID, in log: VaultLog
  ) throws(VaultError) -> AppProof {
    guard case .principal(let application, _, _) = log.published.authors[author]?.role else { return .none }
    let installed = InstalledApp(application.bundleID)
    let enforcement = installed.ownUser(of: application)?.enforcement
    // A record that cannot be read, for want of a descriptor for instance, must not count as none.
    guard isAbsent(installed.programPath), enforcement != .group else {
      try installed.checkClient(ofGroup: client.group)
      return .installed
    }
    guard enforcement != .account else { return .installed }
    for membership in [log.published, log.latest] {
      if let app = membership.apps[application] { try membership.checkAllowsFile(for: app) }
    }
    return .none
  }

  /// Whether a person has to allow the use of a group. The owner has no program that could be installed, so a group
  /// that demands one demands a lease of the owner.
  func demandsLease(of group: RegisteredGroup, in log: VaultLog) -> Bool {
    let requirements: [GroupRequirement] = [group.requirement, log.latest.groups[group.id]?.requirement ?? .none]
    return requirements.contains { self == .installed ? $0 == .lease : $0 != .none }
  }
}
