internal import CPlatform
internal import CofferPlatform

/// The places in which the programs of Coffer are installed together: the folder of this program and libexec, but never
/// `PATH`, which could lead to another program. For an app that is elsewhere, the usual places of an installation, and
/// the folder that `COFFER_LIBEXEC` names.
package enum InstalledProgram {
  /// The names of all programs.
  package static let names: Set = [
    "coffer", "coffer-sync", "coffer-transport", "coffer-inspect", "coffer-agent", "coffer-import",
    "coffer-secret-service",
  ]

  /// Returns the paths at which a program may be, the first one first.
  package static func candidates(for name: String) -> [String] {
    let own = CurrentProcess.executablePath
    let folder = own[..<(own.lastIndex(of: "/") ?? own.startIndex)]
    let parent = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
    var candidates = ["\(folder)/\(name)", "\(parent)/libexec/coffer/\(name)", "\(parent)/libexec/\(name)"]
    if let folder = CurrentProcess.variable("COFFER_LIBEXEC"), folder.hasPrefix("/") {
      candidates.append("\(folder)/\(name)")
    }
    // Where Scripts/install puts them without --prefix. A process with elevated privileges has an empty environment.
    if let home = CurrentProcess.variable("HOME"), home.hasPrefix("/") {
      candidates.append("\(home)/.local/libexec/coffer/\(name)")
    }
    return candidates + ["/usr/local/libexec/coffer/\(name)", "/usr/libexec/coffer/\(name)"]
  }

  /// Returns the path of a program, or nil if it is not installed.
  package static func path(of name: String) -> String? {
    candidates(for: name).first(where: FileManager.default.isExecutableFile)
  }
}

/// A copy of a program, in memory, that nobody may read: for a program whose answers count.
///
/// The kernel keeps other programs of the user away from a process whose program its user may not read: from its first
/// instruction on, none attaches to it, reads its memory or takes its descriptors (`would_dump` in Linux). Everybody
/// may read the programs of a system, so a child that must be out of reach gets a copy. Its user owns the copy, and
/// could permit reading it, but another program of the user does not reach it: it has no name, and this process, which
/// has its descriptor, is hardened. Root may read every file: a process of root is out of reach only for others.
package struct UnreadableProgram: ~Copyable {
  private let descriptor: Descriptor

  /// Copies a program. Throws an error whose ``SystemError/number`` is `ENOEXEC` if a copy does not help: for a script,
  /// of which the kernel starts the interpreter, which everybody may read; and for a program that the user may not
  /// read, whose process is out of reach without it. Throws another error if the system has no such files, or forbids
  /// starting them (`vm.memfd_noexec`).
  package init(copying path: String) throws(SystemError) {
    descriptor = try unsafe Descriptor(opened: coffer_copy_unreadable(path), "cannot start \(path)")
  }

  /// The path of the copy for a child of this process, which closes the descriptor when the program starts.
  package var path: String { "/proc/self/fd/\(descriptor.rawValue)" }

  /// Returns the path of a program; a name is looked up in `PATH`. Nil if there is none.
  package static func path(of program: String) -> String? {
    guard !program.contains("/") else { return program }
    return (CurrentProcess.variable("PATH") ?? "/usr/bin:/bin").split(separator: ":").lazy
      .map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile)
  }
}

/// What an ELF program or library tells the loader to load with it, and where to look. The loader obeys also for a
/// setgid program.
package struct ELFLinkage: Hashable, Sendable {
  /// The loader (PT_INTERP); nil for a library and a static program.
  package private(set) var interpreter: String?
  /// The names or paths of other libraries: those that it needs, and those that take the place of its own functions, or
  /// watch the loader (DT_NEEDED, DT_FILTER, DT_AUXILIARY, DT_AUDIT, DT_DEPAUDIT).
  package private(set) var libraries: [String] = []
  /// The folders in which it looks for them (DT_RPATH, DT_RUNPATH).
  package private(set) var folders: [String] = []

  /// Why that is not known.
  package enum Flaw: Error, Hashable, Sendable {
    /// The file is no ELF program, such as a script.
    case notELF
    /// The file is damaged, or for a machine of 32 bits or another byte order.
    case unsupported
  }

  private static let loadSegment: UInt64 = 1
  private static let dynamicSegment: UInt64 = 2
  private static let interpreterSegment: UInt64 = 3
  private static let stringTable: UInt64 = 5
  private static let libraryTags: Set<UInt64> = [1, 0x7fff_ffff, 0x7fff_fffd, 0x6fff_fefc, 0x6fff_fefb]
  private static let folderTags: Set<UInt64> = [15, 29]
  private static let maximumCount = 4096

  /// Reads a file. `read` returns its bytes at an offset, as many as it has up to the count.
  package init(_ read: (_ offset: UInt64, _ count: Int) -> [UInt8]) throws(Flaw) {
    let header = read(0, 64)
    guard header.starts(with: [0x7f, 0x45, 0x4c, 0x46]) else { throw .notELF }
    // 64 bits, little-endian.
    guard header.count == 64, header[4] == 2, header[5] == 1 else { throw .unsupported }
    let (start, size) = (Self.number(header, 32, 8), Self.number(header, 54, 2))
    let count = Int(Self.number(header, 56, 2))
    guard size == 56, count <= Self.maximumCount, start < 1 << 40 else { throw .unsupported }
    let segments = read(start, count * 56)
    guard segments.count == count * 56 else { throw .unsupported }
    var loads: [(address: UInt64, offset: UInt64, byteCount: UInt64)] = []
    var dynamic: (address: UInt64, byteCount: UInt64)?
    for place in stride(from: 0, to: segments.count, by: 56) {
      let (offset, address) = (Self.number(segments, place + 8, 8), Self.number(segments, place + 16, 8))
      let byteCount = Self.number(segments, place + 32, 8)
      switch Self.number(segments, place, 4) {
      case Self.loadSegment: loads.append((address, offset, byteCount))
      case Self.dynamicSegment: dynamic = (address, byteCount)
      case Self.interpreterSegment:
        // The kernel would take the first one.
        guard interpreter == nil else { throw .unsupported }
        interpreter = try Self.text(at: offset, read)
      default: break
      }
    }
    // A static program loads nothing.
    guard let dynamic else { return }
    guard dynamic.byteCount <= UInt64(Self.maximumCount * 16) else { throw .unsupported }
    /// Returns where the file has what the loader finds at an address.
    func offset(of address: UInt64) throws(Flaw) -> UInt64 {
      guard let load = loads.first(where: { address >= $0.address && address - $0.address < $0.byteCount }),
        case (let offset, false) = load.offset.addingReportingOverflow(address - load.address)
      else { throw .unsupported }
      return offset
    }
    let entries = read(try offset(of: dynamic.address), Int(dynamic.byteCount))
    var table: UInt64?
    var names: [(isFolder: Bool, place: UInt64)] = []
    for place in stride(from: 0, through: entries.count - 16, by: 16) {
      let (tag, value) = (Self.number(entries, place, 8), Self.number(entries, place + 8, 8))
      if tag == 0 { break }
      if tag == Self.stringTable { table = value }
      if Self.folderTags.contains(tag) { names.append((true, value)) }
      if Self.libraryTags.contains(tag) { names.append((false, value)) }
    }
    for (isFolder, name) in names {
      guard let table, case (let address, false) = table.addingReportingOverflow(name) else { throw .unsupported }
      let text = try Self.text(at: offset(of: address), read)
      if isFolder {
        folders += text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      } else {
        libraries.append(text)
      }
    }
  }

  private static func text(
    at offset: UInt64, _ read: (_ offset: UInt64, _ count: Int) -> [UInt8]
  ) throws(Flaw) -> String {
    let bytes = read(offset, maximumCount)
    guard let end = bytes.firstIndex(of: 0) else { throw .unsupported }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
    bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
