internal import CofferPlatform
internal import CofferSystem
internal import Synchronization

/// What the kernel tells about the process that has opened a connection: read when the connection is served, and again
/// before an answer.
///
/// It proves the user. Within one user it proves which process has connected, not which program that runs: everything else
/// that `/proc` shows of it, another program of the user can forge.
///
/// The arguments are in the memory of that process, which can make their reader wait for as long as it likes. So they are read
/// on the thread of its connection only, and by a limited number of threads.
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

  /// Whether the process still runs, and with the same program: one that has replaced its program (exec), or has passed the
  /// connection to another process and ended, gets no answer.
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
