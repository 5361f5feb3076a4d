internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import Dispatch
internal import Synchronization

/// Determines who has opened a connection of the bus, by what the kernel tells of it.
///
/// The kernel's record of the group is the strongest evidence, so it comes first. Of a process without such a group, the sandbox
/// that it is in is examined. A process that hides that is refused: it could be in one.
struct CallerExamination: Sendable {
  let credentials: CallerCredentials
  /// The names of the groups of the operating system that have an app in the vault.
  let groups: [String]

  /// Looks at the caller. It can wait for as long as a program of the user likes, see ``within(_:_:)``.
  func identity() throws(CallerRefusal) -> CallerIdentity {
    guard credentials.user == geteuid(), let number = credentials.process, number > 0 else {
      throw CallerRefusal("it is not a process of this user")
    }
    guard let handle = try? ProcessHandle.open(number), let process = ProcessLineage.member(number) else {
      throw CallerRefusal("it has ended")
    }
    let program = try program(ofProcess: number)
    let identity = CallerIdentity(program: program, process: process, path: Self.path(ofProcess: number))
    // It was one process that was examined, and not a later one with its number.
    guard !handle.hasEnded, ProcessLineage.member(number)?.isSame(as: process) == true else {
      throw CallerRefusal("it has ended")
    }
    return identity
  }

  private func program(ofProcess process: Int32) throws(CallerRefusal) -> DesktopProgram {
    if let group = groups.sorted().first(where: isGroup) { return .group(group) }
    do throws(CallerRefusal) {
      if let application = try FlatpakInfo.application(ofProcess: process) { return .flatpak(application) }
    } catch {
      // Programs that keep secrets, and setgid ones, hide that from other programs of the user. Flatpak takes new privileges from
      // all that it starts, for ever.
      guard Self.mayGainPrivileges(process) else { throw error }
      return .other
    }
    if let snap = try SnapLabel.snap(of: credentials, process: process) { return .snap(snap) }
    return .other
  }

  /// Whether the caller has a group of the system, and that proves that it is one of the group's programs.
  private func isGroup(_ name: String) -> Bool {
    guard let identifier = SystemGroup.identifier(of: name), credentials.groups.contains(identifier) else { return false }
    return SystemGroup.weakness(of: identifier) == nil
  }

  /// Whether the kernel would give new privileges to what a process starts. False if it does not say.
  private static func mayGainPrivileges(_ process: Int32) -> Bool {
    guard let file = try? RegularFile.open("/proc/\(process)/status", followsLinks: false),
      let bytes = try? file.read(upTo: 65_536)
    else { return false }
    return bytes.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual("NoNewPrivs:\t0".utf8) }
  }

  private static func path(ofProcess process: Int32) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_097) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = unsafe readlink("/proc/\(process)/exe", start, buffer.count - 1)
      guard count > 0 else { return nil }
      return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
  }
}

extension CallerExamination {
  /// How many callers are examined at once. Each of them can keep a thread for ever.
  private static let limit = 32
  private static let running = Mutex(0)

  private final class Answer: Sendable {
    private let body: Mutex<(@Sendable (Result<CallerIdentity, CallerRefusal>) -> Void)?>

    init(_ body: @escaping @Sendable (Result<CallerIdentity, CallerRefusal>) -> Void) { self.body = Mutex(body) }

    func give(_ result: Result<CallerIdentity, CallerRefusal>) {
      let body = body.withLock { body in
        defer { body = nil }
        return body
      }
      body?(result)
    }
  }

  /// Looks at the caller on a thread of its own, and calls `completion` once, on some thread, after `time` at the latest.
  func within(
    _ time: DispatchTimeInterval = .seconds(5), _ completion: @escaping @Sendable (Result<CallerIdentity, CallerRefusal>) -> Void
  ) {
    let answer = Answer(completion)
    let isAdmitted = Self.running.withLock { count in
      guard count < Self.limit else { return false }
      count += 1
      return true
    }
    guard isAdmitted else { return answer.give(.failure(CallerRefusal("too many programs cannot be examined"))) }
    let hasBegun = BlockingThread.start {
      answer.give(Result { () throws(CallerRefusal) in try identity() })
      Self.running.withLock { $0 -= 1 }
    }
    guard hasBegun else {
      Self.running.withLock { $0 -= 1 }
      return answer.give(.failure(CallerRefusal("the system has no thread to examine it")))
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + time) {
      answer.give(.failure(CallerRefusal("the system does not answer about it")))
    }
  }
}
