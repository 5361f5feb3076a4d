internal import CPlatform
internal import CofferPlatform

/// A process, and those that have started it, as the kernel shows them to every user (`/proc/PID/stat`).
package struct ProcessLineage: Hashable, Sendable {
  /// A process that no other one with its identifier equals.
  package struct Member: Hashable, Sendable {
    package let identifier: Int32
    /// When it began, in clock ticks since the start of the system.
    package let start: UInt64
    /// The name that the kernel keeps, at most 15 bytes. The process can change it.
    package let name: String
    fileprivate let session: Int32
    fileprivate let terminal: Int32
    fileprivate let parent: Int32

    /// Whether both are one process, whatever program it runs.
    package func isSame(as other: Member) -> Bool { identifier == other.identifier && start == other.start }

    /// The arguments of the process, which every user reads and which it can change: at most 4 KiB. Empty if it has
    /// ended.
    package var arguments: [String] {
      ProcessLineage.content(of: "/proc/\(identifier)/cmdline").split(separator: 0)
        .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether `coffer run --deny-reads` has started the tree of the process, see ``CurrentProcess/denyReads()``. True
    /// also if the system does not show it.
    package var deniesReads: Bool {
      let lines = ProcessLineage.content(of: "/proc/\(identifier)/limits").split(separator: UInt8(ascii: "\n"))
      guard let line = lines.first(where: { $0.starts(with: "Max file locks ".utf8) }) else { return true }
      // The soft limit, the hard limit, and the unit.
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard words.count >= 5 else { return true }
      if words[4] == "unlimited" { return false }
      return UInt64(words[4]).map { coffer_is_tree_mark($0) != 0 } ?? true
    }
  }

  /// The process, its parent, and so on up to the first process of the system, at most 64.
  package let members: [Member]
  /// Whether `coffer run --deny-reads` has started the process.
  package let deniesReads: Bool
  /// The process at the top of the requester's tree: what it has started, and starts, is that tree.
  ///
  /// It is that of the requester's session: the shell of a terminal, or what a desktop or a service has started. In a
  /// tree that `coffer run --deny-reads` has started, it is the first process of that tree.
  package let root: Member

  private init(members: [Member], own: Member) {
    self.members = members
    deniesReads = own.deniesReads
    root =
      deniesReads
      ? members.prefix { $0.deniesReads }.last ?? own
      : members.prefix { $0.session == own.session }.last ?? own
  }

  /// Reads a process and its ancestors. Nil if it has ended, or if the system does not show it.
  package static func read(of process: Int32) -> ProcessLineage? {
    var members: [Member] = []
    var next = process
    while next > 0, members.count < 64, let member = member(next) {
      members.append(member)
      next = member.parent
    }
    return members.first.map { ProcessLineage(members: members, own: $0) }
  }

  /// Reads a process alone. Nil if it has ended, or if the system does not show it.
  package static func member(_ identifier: Int32) -> Member? {
    let text = content(of: "/proc/\(identifier)/stat")
    // The name can contain anything, also brackets.
    guard let open = text.firstIndex(of: UInt8(ascii: "(")), let close = text.lastIndex(of: UInt8(ascii: ")")),
      open < close
    else { return nil }
    let fields = text[(close + 1)...].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    guard fields.count > 19, let parent = Int32(fields[1]), let session = Int32(fields[3]),
      let terminal = Int32(fields[4]), let start = UInt64(fields[19])
    else { return nil }
    return Member(
      identifier: identifier, start: start, name: String(decoding: text[(open + 1)..<close], as: UTF8.self),
      session: session, terminal: terminal, parent: parent)
  }

  /// Whether the process is in the tree of another one.
  package func isBelow(_ root: Member) -> Bool { members.contains { $0.isSame(as: root) } }

  /// The name of the terminal, such as `pts/3`; nil if the process has none.
  package var terminal: String? {
    let device = UInt32(bitPattern: members[0].terminal)
    guard device != 0 else { return nil }
    let (major, minor) = ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00))
    return switch major {
    case 136...143: "pts/\((major - 136) * 256 + minor)"
    case 4: "tty\(minor)"
    default: "\(major):\(minor)"
    }
  }

  private static func content(of path: String) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    let descriptor = Descriptor(owning: file)
    return descriptor.readToEnd(maximumByteCount: 4096)
  }
}
