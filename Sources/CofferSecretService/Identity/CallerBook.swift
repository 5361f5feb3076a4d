package import CofferBus

/// Who has opened which connection of the bus. Used on the thread of the bus only.
///
/// A caller is identified at its first call, which waits for that. What it says of itself, in that call or before, is not asked.
package final class CallerBook {
  package typealias Answer = Result<CallerIdentity, CallerRefusal>

  private enum Entry {
    case examined(Answer)
    /// The examination runs, and these wait for it.
    case waiting([(Answer) -> Void])
  }

  private var entries: [String: Entry] = [:]
  /// Returns the names of the groups of the operating system that have an app in the vault.
  private let groups: () -> [String]

  /// How many connections are remembered at once: more than the bus permits to one user.
  private static let limit = 4_096

  package init(groups: @escaping () -> [String]) { self.groups = groups }

  /// Identifies the owner of a unique name of the bus, and calls `completion` once, on this thread, also if the caller has gone.
  package func identify(_ name: String, on server: BusServer, _ completion: @escaping (Answer) -> Void) {
    switch entries[name] {
    case .examined(let answer): return completion(answer)
    case .waiting(let others):
      entries[name] = .waiting(others + [completion])
      return
    case nil: break
    }
    guard entries.count < Self.limit else { return completion(.failure(CallerRefusal("too many programs are connected"))) }
    entries[name] = .waiting([completion])
    let groups = groups()
    server.call(
      SessionBus.busName, SessionBus.busPath, SessionBus.busName, "GetConnectionCredentials", [.text(name)],
      timeout: .seconds(10)
    ) { [self] result in
      guard case .success(let values) = result else {
        return settle(name, .failure(CallerRefusal("the bus does not say who it is")))
      }
      let book = Weak(self)
      CallerExamination(credentials: CallerCredentials(values), groups: groups).within { [outbox = server.outbox] answer in
        outbox.perform { _ in book.value?.settle(name, answer) }
      }
    }
  }

  /// Returns the caller that was identified under a name; nil if it was refused, or is not known yet.
  package func identity(of name: String) -> CallerIdentity? {
    if case .examined(.success(let identity)) = entries[name] { identity } else { nil }
  }

  /// Forgets a connection that has ended.
  package func forget(_ name: String) {
    // An examination that runs has somebody who waits, whose call ends then.
    if case .waiting = entries[name] { return settle(name, .failure(CallerRefusal("it has gone")), remembers: false) }
    entries[name] = nil
  }

  private func settle(_ name: String, _ answer: Answer, remembers: Bool = true) {
    // The connection has ended meanwhile, or was settled.
    guard case .waiting(let completions) = entries[name] else { return }
    entries[name] = remembers ? .examined(answer) : nil
    for completion in completions { completion(answer) }
  }

  /// Passes a book through another thread, which does not use it.
  private final class Weak: @unchecked Sendable {
    private(set) weak var value: CallerBook?

    init(_ value: CallerBook) { self.value = value }
  }
}
