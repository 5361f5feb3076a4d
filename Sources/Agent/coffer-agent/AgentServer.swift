internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import Synchronization

/// Accepts the connections of clients, and locks the agent when it is time.
final class AgentServer: Sendable {
  private let listener: AgentListener
  private let table = KeyTable()
  private let questions = LeaseQuestions()
  private let connections = Mutex<[UInt64: ClientConnection]>([:])
  private let locksWithScreen = Atomic(false)

  /// How many connections are served at once.
  private static let connectionLimit = 64
  /// After how long without keys the agent ends. systemd, or the next `coffer unlock`, starts it again.
  private static let emptyTime = Duration.seconds(600)

  init(_ listener: AgentListener) { self.listener = listener }

  /// Begins to observe what locks the agent.
  func watch() {
    let isObserved = SleepWatch.begin { [self] event in
      switch event {
      case .sleep?: lock("sleep")
      case .screenLock?: lock("screen lock")
      case nil: locksWithScreen.store(false, ordering: .relaxed)
      }
    }
    locksWithScreen.store(isObserved, ordering: .relaxed)
    BlockingThread.start { [self] in
      var emptySince = ContinuousClock.now
      while true {
        table.awaitExpiry(atMost: .seconds(15))
        if !table.isEmpty { emptySince = .now }
        if ContinuousClock.now > emptySince + Self.emptyTime { end() }
      }
    }
  }

  /// Locks the agent, and the pages of `coffer inspect` that show its vaults. Returns as soon as the keys are dropped:
  /// the rest depends on files and processes of others, and the next event must not wait for those.
  private func lock(_ cause: String) {
    let folders = table.drop().folders
    let finish: @Sendable () -> Void = {
      KeyTable.log(cause, for: folders)
      for folder in folders { _ = try? InspectLock.lockAll(in: folder) }
    }
    if !BlockingThread.start(finish) { finish() }
  }

  /// Drops the keys and ends the process.
  private func end() -> Never {
    table.lock("end")
    listener.close()
    exit(0)
  }

  /// Serves clients until a signal ends the process.
  func run() -> Never {
    let termination = SignalObserver([SIGTERM, SIGINT, SIGHUP]) { [self] in end() }
    let locking = SignalObserver([SIGUSR1]) { [self] in lock("signal") }
    var number: UInt64 = 0
    while true {
      do throws(SystemError) {
        let socket = try listener.socket.accept()
        number += 1
        start(number, socket)
      } catch {
        // No descriptors are left: another connection may end soon.
        if error.number != EINTR && error.number != ECONNABORTED { usleep(20_000) }
      }
      extendLifetime(termination)
      extendLifetime(locking)
    }
  }

  private func start(_ number: UInt64, _ socket: consuming LocalSocket) {
    // Nothing here waits for the client: it is identified on the thread of its connection.
    guard let peer = try? socket.peer(), peer.user == geteuid() else { return }
    // Those that have been ended do not count: their threads may still wait for what their clients hold up, which is
    // limited.
    let open = connections.withLock { connections in connections.values.filter { !$0.isShutDown } }
    // Requests that wait, for a store that somebody keeps locked for instance, must not keep the agent from being
    // locked: beyond them, there is room for connections that do only that.
    let locksOnly = open.count(where: { !$0.locksOnly }) >= 4 * Self.connectionLimit
    guard open.count < 8 * Self.connectionLimit else { return }
    let connection = ClientConnection(
      number, socket, of: peer, table, questions, locksWithScreen: locksWithScreen.load(ordering: .relaxed),
      locksOnly: locksOnly)
    // The oldest one that asks for nothing makes room: connections that somebody holds open keep no other client out,
    // and a client whose session ends here begins it again.
    let oldest = connections.withLock { connections -> ClientConnection? in
      connections[number] = connection
      let open = connections.values.filter { !$0.isShutDown && $0.locksOnly == locksOnly }
      guard open.count > Self.connectionLimit else { return nil }
      return open.filter { $0.isIdle && $0.number != number }.min { $0.number < $1.number }
    }
    oldest?.shutDown()
    let isStarted = BlockingThread.start { [self] in
      connection.serve()
      connections.withLock { _ = $0.removeValue(forKey: number) }
    }
    if !isStarted { connections.withLock { _ = $0.removeValue(forKey: number) } }
  }
}

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
