internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The socket at which the agent waits for clients: one for each user.
final class AgentListener: Sendable {
  let socket: LocalSocket
  private let folder: AgentFolder
  /// Locked as long as this process lives, so that a second agent finds it.
  private let lock: Descriptor
  /// Whether systemd has opened the socket, and goes on listening after this process.
  private let isActivated: Bool

  private init(_ socket: consuming LocalSocket, in folder: AgentFolder, lock: consuming Descriptor, isActivated: Bool) {
    self.socket = socket
    self.folder = folder
    self.lock = lock
    self.isActivated = isActivated
  }

  /// Begins to listen, also if an agent that was killed has left its socket. Nil if another agent runs.
  static func open(in folder: AgentFolder) throws(VaultError) -> AgentListener? {
    try folder.prepare()
    let file = systemOpen(folder.lockPath)
    guard file >= 0 else { throw systemFailure("lock \(folder.lockPath)") }
    let lock = Descriptor(owning: file)
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      if errno == EWOULDBLOCK { return nil }
      throw systemFailure("lock \(folder.lockPath)")
    }
    if let activated = activatedSocket() {
      return AgentListener(.listening(on: activated), in: folder, lock: lock, isActivated: true)
    }
    guard unsafe unlink(folder.socketPath) == 0 || errno == ENOENT else {
      throw systemFailure("replace \(folder.socketPath)")
    }
    do throws(SystemError) {
      return AgentListener(
        try LocalSocket.listen(at: folder.socketPath), in: folder, lock: lock, isActivated: false)
    } catch {
      throw systemFailure("listen at \(folder.socketPath)", number: error.number)
    }
  }

  /// Removes the socket, so that clients do not find it any more.
  func close() {
    if !isActivated { unsafe unlink(folder.socketPath) }
  }

  /// The socket that systemd hands over (sd_listen_fds): the first descriptor after the standard streams.
  private static func activatedSocket() -> Descriptor? {
    let environment = CurrentProcess.environment
    guard environment["LISTEN_PID"] == String(getpid()), environment["LISTEN_FDS"] == "1" else { return nil }
    _ = fcntl(3, F_SETFD, FD_CLOEXEC)
    return Descriptor(owning: 3)
  }
}

// Outside of AgentListener, whose `open` would hide the system's.

private func systemOpen(_ path: String) -> Int32 { unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
