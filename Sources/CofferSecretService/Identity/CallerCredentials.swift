internal import CofferBus

/// What the bus has recorded of a connection (`GetConnectionCredentials`): the kernel has told it when the program connected.
struct CallerCredentials: Hashable, Sendable {
  let user: UInt32?
  let process: Int32?
  /// The effective group, which is that of a setgid program, and the other ones.
  let groups: [UInt32]
  /// The label of the system's security module, such as `snap.firefox.firefox (enforce)`; nil if there is none.
  let label: String?
}

extension CallerCredentials {
  /// Reads the answer of the bus.
  init(_ answer: [BusValue]) {
    let entries = answer.first
    func number(_ value: BusValue?) -> UInt32? { if case .shortNumber(let number) = value { number } else { nil } }
    user = number(entries?["UnixUserID"])
    process = number(entries?["ProcessID"]).flatMap(Int32.init(exactly:))
    groups = entries?["UnixGroupIDs"]?.elements.compactMap(number) ?? []
    if case .bytes(let bytes) = entries?["LinuxSecurityLabel"] {
      // A NUL ends the text.
      label = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    } else {
      label = nil
    }
  }
}
