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
  private let arguments: [String]

  private static let readerCount = Mutex(0)
  private static let readerLimit = 64

  /// Identifies the client. Nil if it has ended, or if too many clients keep their readers waiting.
  static func read(of peer: LocalPeer, _ socket: borrowing LocalSocket) -> ClientEvidence? {
    guard let handle = try? socket.peerHandle(of: peer),
      let lineage = ProcessLineage.read(of: peer.process, depth: 1), let arguments = arguments(of: lineage)
    else { return nil }
    let evidence = ClientEvidence(handle: handle, member: lineage.members[0], arguments: arguments)
    // It was this process that was read, and no later one with its number.
    return evidence.hasEnded ? nil : evidence
  }

  private init(handle: consuming ProcessHandle, member: ProcessLineage.Member, arguments: [String]) {
    self.handle = handle
    self.member = member
    self.arguments = arguments
  }

  private static func arguments(of lineage: ProcessLineage) -> [String]? {
    let isFree = readerCount.withLock { count in
      guard count < readerLimit else { return false }
      count += 1
      return true
    }
    guard isFree else { return nil }
    defer { readerCount.withLock { $0 -= 1 } }
    return lineage.arguments
  }

  /// Whether the process has ended.
  var hasEnded: Bool { handle.hasEnded }

  /// Whether the process still runs, and with the same program: one that has replaced its program (exec), or has passed the
  /// connection to another process and ended, gets no answer.
  var isUnchanged: Bool {
    guard let now = ProcessLineage.read(of: member.identifier, depth: 1) else { return false }
    return now.members[0].isSame(as: member) && now.members[0].name == member.name
      && Self.arguments(of: now) == arguments && !hasEnded
  }

  /// The process and its ancestors. Nil if it has ended.
  var lineage: ProcessLineage? {
    guard let lineage = ProcessLineage.read(of: member.identifier), lineage.members[0].isSame(as: member) else {
      return nil
    }
    return lineage
  }
}
