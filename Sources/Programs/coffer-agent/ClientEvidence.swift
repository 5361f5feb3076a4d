internal import CofferPlatform
internal import CofferSystem

/// What the kernel tells about the process that has opened a connection: read when it was accepted, and again before an
/// answer.
///
/// It proves the user. Within one user it proves which process has connected, not which program that runs: everything else
/// that `/proc` shows of it, another program of the user can forge.
struct ClientEvidence: ~Copyable, Sendable {
  private let handle: ProcessHandle
  let member: ProcessLineage.Member
  private let arguments: [String]

  /// Identifies the client. Nil if it is another user, or has ended.
  static func read(of socket: borrowing LocalSocket) -> ClientEvidence? {
    guard let peer = try? socket.peer(), peer.user == geteuid(), let handle = try? socket.peerHandle(of: peer),
      let lineage = ProcessLineage.read(of: peer.process, depth: 1)
    else { return nil }
    let evidence = ClientEvidence(handle: handle, member: lineage.members[0], arguments: lineage.arguments)
    // It was this process that was read, and no later one with its number.
    guard !evidence.handle.hasEnded else { return nil }
    return evidence
  }

  private init(handle: consuming ProcessHandle, member: ProcessLineage.Member, arguments: [String]) {
    self.handle = handle
    self.member = member
    self.arguments = arguments
  }

  /// Whether the process still runs, and with the same program: one that has replaced its program (exec), or has passed the
  /// connection to another process and ended, gets no answer.
  var isUnchanged: Bool {
    guard let now = ProcessLineage.read(of: member.identifier, depth: 1) else { return false }
    return now.members[0].isSame(as: member) && now.members[0].name == member.name && now.arguments == arguments
      && !handle.hasEnded
  }

  /// The process and its ancestors. Nil if it has ended.
  var lineage: ProcessLineage? {
    guard let lineage = ProcessLineage.read(of: member.identifier), lineage.members[0].isSame(as: member) else {
      return nil
    }
    return lineage
  }
}
