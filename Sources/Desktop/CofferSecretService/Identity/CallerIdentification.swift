internal import CofferBus
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
package import CofferVault
internal import Dispatch
internal import Synchronization

/// Who a caller is: a program of the desktop, whose app in the vault has the caller's own collection.
///
/// Nothing of it is what the program says of itself. It is determined once for a connection, and kept until that ends:
/// the bus gives a name such as `:1.42` never to a second one.
package struct CallerIdentity: Hashable, Sendable {
  /// The program; nil for a caller that gets nothing, because who it is cannot be determined.
  package let program: DesktopProgram?
  /// Why it gets nothing; nil if it is known.
  package let refusal: CallerRefusal?

  package init(_ program: DesktopProgram) {
    self.program = program
    refusal = nil
  }

  init(_ refusal: CallerRefusal) {
    program = nil
    self.refusal = refusal
  }

  /// The bundle identifier of the app; empty, which no app has, for a caller that gets nothing.
  package var bundleIdentifier: String { program?.bundleID?.description ?? "" }

  /// The app of all programs that nothing tells apart.
  package static let common = CallerIdentity(.other)
}

/// Why it cannot be determined who a caller is. It is not taken for a program that has more rights.
package struct CallerRefusal: Error, Hashable, Sendable {
  /// A clause about the caller, safe to show.
  package let description: String
  /// Whether another attempt can have another result, because the reason is not in the caller.
  package let isTemporary: Bool

  init(_ description: String, isTemporary: Bool = false) {
    self.description = description
    self.isTemporary = isTemporary
  }
}

/// What the bus says about the program that has opened a connection: the kernel has told it when the program connected.
package struct CallerCredentials: Sendable {
  /// The unique name of the connection.
  let connection: String
  let user: UInt32
  /// The process; nil if the bus does not say. Its number can be another process's by now.
  var process: Int32?
  /// The groups of the process when it connected, with those of a setgid program.
  var groups: [UInt32] = []
  /// The label of the system's security module, such as `snap.firefox.firefox (enforce)`; nil if there is none.
  var label: String?
  /// A descriptor of the process (pidfd); nil if the bus does not give one.
  var processHandle: BusDescriptor?
}

extension CallerCredentials {
  /// Reads the answer to `GetConnectionCredentials`; nil if it does not name the user.
  init?(connection: String, answer: BusValue) {
    guard case .shortNumber(let user)? = answer["UnixUserID"] else { return nil }
    self.init(connection: connection, user: user)
    if case .shortNumber(let number)? = answer["ProcessID"] { process = Int32(exactly: number) }
    groups = (answer["UnixGroupIDs"]?.elements ?? []).compactMap {
      if case .shortNumber(let group) = $0 { group } else { nil }
    }
    // A NUL ends the text.
    if case .bytes(let bytes)? = answer["LinuxSecurityLabel"] {
      label = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if case .descriptor(let handle)? = answer["ProcessFD"] { processHandle = handle }
  }
}

/// Finds out which app of the vault a caller is, by what the kernel tells of it.
///
/// The kernel's record of the group is the strongest evidence, so it comes first. Otherwise, the process's sandbox is
/// examined: a snap's, then a Flatpak's. A process that hides whether it is in a Flatpak is refused.
package struct CallerIdentification: Sendable {
  /// The vault whose apps name groups of the operating system; nil for the user's own.
  private let folder: VaultFolder?

  package init(vault folder: VaultFolder? = nil) { self.folder = folder }

  /// How many callers are examined at once, and how many connections of one process: what a process calls its root can
  /// be a file system that never answers, and then keeps its thread.
  private static let (limit, processLimit) = (64, 8)
  /// For how long a caller is waited for, with its time in the queue. Clients of the bus wait for 25 seconds.
  private static let timeout = DispatchTimeInterval.seconds(20)
  private static let examinations = Mutex(Examinations())
  private static let waitingLimit = 4_096

  /// Finds out who a caller is, on a thread of its own, and calls `completion` once, on some thread and after the
  /// timeout at the latest.
  package func identify(
    _ credentials: CallerCredentials, _ completion: @escaping @Sendable (CallerIdentity) -> Void
  ) {
    let process = credentials.process ?? 0
    let answer = Answer(completion)
    func refuse(_ reason: String) { answer.give(CallerIdentity(CallerRefusal(reason, isTemporary: true))) }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) {
      answer.give(CallerIdentity(CallerRefusal("the system does not answer about it", isTemporary: true)))
    }
    let begin: @Sendable () -> Void = {
      let hasBegun = BlockingThread.start {
        answer.give(identity(of: credentials))
        Self.end(process)
      }
      guard !hasBegun else { return }
      Self.end(process)
      answer.give(CallerIdentity(CallerRefusal("the system has no thread to examine it", isTemporary: true)))
    }
    // A program can have many connections: they wait for each other, and only for as long as the timeout.
    let isAdmitted = Self.examinations.withLock { examinations -> Bool? in
      if examinations.admit(process) { return true }
      examinations.dropRefused()
      guard examinations.waiting.count < Self.waitingLimit else { return nil }
      examinations.waiting.append(Waiting(process: process, answer: answer, begin: begin))
      return false
    }
    switch isAdmitted {
    case true?: begin()
    case false?: break
    case nil: refuse("too many programs do not let themselves be examined")
    }
  }

  /// Ends an examination, and begins the next one that may run.
  private static func end(_ process: Int32) {
    let next = examinations.withLock { examinations -> (@Sendable () -> Void)? in
      examinations.running.lower(process)
      examinations.dropRefused()
      guard let index = examinations.waiting.firstIndex(where: { examinations.admits($0.process) }) else { return nil }
      let next = examinations.waiting.remove(at: index)
      _ = examinations.admit(next.process)
      return next.begin
    }
    next?()
  }

  private struct Waiting {
    let process: Int32
    let answer: Answer
    let begin: @Sendable () -> Void
  }

  /// The examinations that run, by process, and those that wait.
  private struct Examinations {
    var running: [Int32: Int] = [:]
    var waiting: [Waiting] = []

    func admits(_ process: Int32) -> Bool {
      running.values.reduce(0, +) < limit && running[process, default: 0] < processLimit
    }

    /// Forgets the callers that were refused because they have waited too long.
    mutating func dropRefused() { waiting.removeAll { $0.answer.isGiven } }

    mutating func admit(_ process: Int32) -> Bool {
      guard admits(process) else { return false }
      running[process, default: 0] += 1
      return true
    }
  }

  private func identity(of credentials: CallerCredentials) -> CallerIdentity {
    do throws(VaultError) {
      return Self.examine(credentials, try groups())
    } catch {
      // A program with such a group would be taken for one of the others.
      return CallerIdentity(CallerRefusal("the vault does not say which groups have apps", isTemporary: true))
    }
  }

  /// The names of the groups of the operating system that have an app in the vault; none without a vault.
  private func groups() throws(VaultError) -> [String] {
    let folder = if let folder { folder } else { try VaultFolder(.standard()) }
    // The keys of this machine without the store are a vault that is gone, for example because its disk is.
    guard folder.exists || folder.deviceFile.exists else { return [] }
    return try LocalVault.open(folder).publishedMembership().apps.keys.compactMap { app in
      if case .group(let name) = DesktopProgram(app.bundleID) { name } else { nil }
    }.sorted()
  }

  /// Gives the first of several answers.
  private final class Answer: Sendable {
    private let completion: Mutex<(@Sendable (CallerIdentity) -> Void)?>

    init(_ completion: @escaping @Sendable (CallerIdentity) -> Void) { self.completion = Mutex(completion) }

    var isGiven: Bool { completion.withLock { $0 == nil } }

    func give(_ identity: CallerIdentity) {
      let completion = completion.withLock { completion in
        defer { completion = nil }
        return completion
      }
      completion?(identity)
    }
  }
}

extension CallerIdentification {
  /// Looks at a caller. `groups` are those that have an app in the vault.
  static func examine(_ credentials: CallerCredentials, _ groups: [String]) -> CallerIdentity {
    guard credentials.user == geteuid(), let number = credentials.process, number > 0 else {
      return CallerIdentity(CallerRefusal("it is not a process of this user"))
    }
    let ended = CallerIdentity(CallerRefusal("it has ended", isTemporary: true))
    guard let handle = try? ProcessHandle.open(number), let process = ProcessLineage.member(number) else {
      return ended
    }
    let identity: CallerIdentity
    do throws(CallerRefusal) {
      identity = CallerIdentity(try program(of: credentials, process: number, groups))
    } catch {
      identity = CallerIdentity(error)
    }
    // It was one process that was examined, and not a later one with its number.
    let isSame = ProcessLineage.member(number)?.isSame(as: process) == true && !handle.hasEnded
    return isSame && credentials.processHandle?.descriptor.hasInput != true ? identity : ended
  }

  private static func program(
    of credentials: CallerCredentials, process: Int32, _ groups: [String]
  ) throws(CallerRefusal) -> DesktopProgram {
    if let group = groups.first(where: { isGroup($0, of: credentials) }) { return .group(group) }
    // Before Flatpak's file: a snap can hide its root folder, or have put such a file into it.
    if let snap = try SnapLabel.snap(of: credentials) { return snap }
    do throws(CallerRefusal) {
      if let application = try FlatpakInfo.application(ofProcess: process) { return .flatpak(application) }
    } catch {
      // Programs that keep secrets, and setgid ones, hide that from other programs of the user. Flatpak takes new
      // privileges from all that it starts, for ever.
      guard mayGainPrivileges(process) else { throw error }
    }
    return try SnapLabel.snap(ofUnitOf: process, credentials) ?? .other
  }

  /// Whether the caller has a group of the system, and that proves that it is one of the group's programs.
  private static func isGroup(_ name: String, of credentials: CallerCredentials) -> Bool {
    guard let identifier = SystemGroup.identifier(of: name), credentials.groups.contains(identifier) else {
      return false
    }
    return SystemGroup.weakness(of: identifier) == nil
  }

  /// Whether the kernel would give new privileges to what a process starts. False if it does not say.
  private static func mayGainPrivileges(_ process: Int32) -> Bool {
    guard let file = try? RegularFile.open("/proc/\(process)/status", followsLinks: false),
      let bytes = try? file.read(upTo: 65_536)
    else { return false }
    return bytes.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual("NoNewPrivs:\t0".utf8) }
  }

  /// Returns the path of a process's program; its name if the system does not show that. Another program of the user
  /// can forge both.
  package static func path(ofProcess process: Int32) -> String? {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe"))
      ?? ProcessLineage.member(process)?.name
  }
}

/// How many things each key has.
extension Dictionary where Value == Int {
  /// Lowers the number of a key by one; a key that has none is left out.
  mutating func lower(_ key: Key) {
    let count = self[key, default: 1]
    self[key] = count > 1 ? count - 1 : nil
  }
}
