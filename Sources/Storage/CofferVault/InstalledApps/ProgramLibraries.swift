internal import CofferPlatform
internal import CofferSystem

/// What the loader puts into a program when it is setgid: its libraries, theirs, and the loader itself.
package enum ProgramLibraries {
  /// The folders in which the loader looks last, on systems with and without folders for each architecture.
  private static let systemFolders =
    ["/lib64", "/usr/lib64", "/lib", "/usr/lib"]
    + ["x86_64", "aarch64"].flatMap { ["/lib/\($0)-linux-gnu", "/usr/lib/\($0)-linux-gnu"] }
  /// Folders for variants of the processor below these, in which it looks first; all but the first one until glibc
  /// 2.36.
  private static let variants: Set = [
    "glibc-hwcaps", "tls", "haswell", "xeon_phi", "avx512_1", "x86_64", "sse2", "atomics", "aarch64",
  ]
  /// The libraries that the loader puts into every program of the system.
  private static let preloadedPath = "/etc/ld.so.preload"
  private static let maximumLibraryCount = 512

  /// Returns why others than root could put a library into a program, or why it cannot have a group of its own, as
  /// clauses.
  package static func weaknesses(ofProgram descriptor: Int32) -> [String] {
    let program: ELFLinkage
    do throws(ELFLinkage.Flaw) {
      program = try ELFLinkage(reading: descriptor)
    } catch {
      return [
        "it is not an ELF program of 64 bits: a script cannot have a group of its own, because its interpreter runs it"
      ]
    }
    var weaknesses = [LibraryCache.path, preloadedPath].flatMap {
      weakness(of: $0, "the loader obeys", "that others than root can change")
    }
    let preloaded = preloaded
    weaknesses += preloaded.filter { $0.contains("/") }.flatMap {
      weakness(of: $0, "\(preloadedPath) names the library", "that others than root can change")
    }
    if let interpreter = program.interpreter {
      weaknesses += weakness(of: interpreter, "its loader", "that others than root can change")
    }
    guard let cache = LibraryCache.read() else {
      return weaknesses + ["the loader's list of libraries, \(LibraryCache.path), has an unknown form"]
    }
    // In which of the folders the loader looks for a library depends on what has loaded it first (DT_RPATH): all are
    // examined.
    var folders = systemFolders
    var names: [(owner: String, name: String)] = preloaded.map { ("the system", $0) }
    var seen: Set<String> = []
    func add(_ linkage: ELFLinkage, of owner: String) {
      for folder in linkage.folders {
        weaknesses += weakness(ofFolder: folder, of: owner)
        let all = folder.hasPrefix("/") ? [folder] + variantFolders(of: folder) : []
        folders += all.filter { !folders.contains($0) }
      }
      for name in linkage.libraries where !names.contains(where: { $0.name == name }) {
        if name.contains("/") {
          weaknesses += weakness(of: name, "\(owner) needs the library", "that others than root can change")
        }
        names.append((owner, name))
      }
    }
    add(program, of: "it")
    var examined = (names: 0, folders: 0)
    while examined != (names.count, folders.count) {
      examined = (names.count, folders.count)
      for (owner, name) in names {
        let places = name.hasPrefix("/") ? [name] : folders.map { "\($0)/\(name)" } + cache.places(of: name)
        // The first one is loaded, if it is for this machine: the others may be, too.
        for place in places where !isAbsent(place) && seen.insert(place).inserted {
          guard seen.count <= maximumLibraryCount else {
            return weaknesses + ["it needs more than \(maximumLibraryCount) libraries"]
          }
          weaknesses += weakness(of: place, "\(owner) needs the library", "that others than root can change")
          if let library = ELFLinkage(at: place) { add(library, of: place) }
        }
      }
    }
    return weaknesses
  }

  /// The names in the system's list of libraries for every program.
  private static var preloaded: [String] {
    let content = try? RegularFile.open(preloadedPath, followsLinks: true).read(upTo: 1 << 16)
    return String(decoding: content ?? [], as: UTF8.self).split(separator: "\n")
      .flatMap { $0.prefix { $0 != "#" }.split { " \t:".contains($0) } }.map(String.init)
  }

  /// Returns the folders for variants of the processor below a folder.
  private static func variantFolders(of folder: String, depth: Int = 4) -> [String] {
    guard depth > 0 else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { variants.contains($0) || folder.hasSuffix("/glibc-hwcaps") }.map { "\(folder)/\($0)" }
      .flatMap { [$0] + variantFolders(of: $0, depth: depth - 1) }
  }

  private static func weakness(ofFolder folder: String, of owner: String) -> [String] {
    let words = "\(owner) searches libraries"
    // The loader ignores $ORIGIN in a setgid program, and nothing else of this kind.
    for origin in ["$ORIGIN", "${ORIGIN}"] where folder == origin || folder.hasPrefix("\(origin)/") {
      return folder.dropFirst(origin.count).contains("$") ? ["\(words) in \(folder.sanitizedForTerminal())"] : []
    }
    guard folder.hasPrefix("/"), !folder.contains("$") else {
      let kind = folder.contains("$") ? "a folder that the loader completes" : "the relative folder"
      return ["\(words) in \(kind), '\(folder.sanitizedForTerminal())'"]
    }
    return ([folder] + variantFolders(of: folder)).lazy.compactMap(ProtectedPath.weakness(of:)).prefix(1)
      .map { "\(words) where others than root can put them: \($0)" }
  }

  private static func weakness(of path: String, _ words: String, _ what: String) -> [String] {
    guard path.hasPrefix("/"), !path.contains("$") else {
      return ["\(words) '\(path.sanitizedForTerminal())', which is not an absolute path"]
    }
    return ProtectedPath.weakness(of: path).map { ["\(words) \(path.sanitizedForTerminal()), \(what): \($0)"] } ?? []
  }
}

extension ELFLinkage {
  /// Reads an open file.
  fileprivate init(reading descriptor: Int32) throws(Flaw) {
    try self.init { offset, count in
      var bytes = [UInt8](repeating: 0, count: count)
      let read = unsafe bytes.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress, count, off_t(clamping: offset))
      }
      return Array(bytes.prefix(max(read, 0)))
    }
  }

  /// Reads a library; nil if it is none that the loader would load.
  fileprivate init?(at path: String) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    let descriptor = Descriptor(owning: file)
    guard let linkage = try? ELFLinkage(reading: descriptor.rawValue) else { return nil }
    self = linkage
  }
}

/// The loader's list of libraries, which ldconfig writes (glibc's `dl-cache.h`, "glibc-ld.so.cache1.1").
struct LibraryCache: Sendable {
  private let paths: [String: [String]]

  static let path = "/etc/ld.so.cache"
  private static let magic = Array("glibc-ld.so.cache1.1".utf8)
  private static let (headerByteCount, entryByteCount) = (48, 24)
  private static let maximumByteCount = 16 << 20

  /// Reads the list of this system, which is empty if it has none. Nil for one of another form, which a loader may
  /// know.
  static func read() -> LibraryCache? {
    guard !isAbsent(path) else { return LibraryCache(paths: [:]) }
    return (try? RegularFile.open(path, followsLinks: false).read(upTo: maximumByteCount)).flatMap { LibraryCache($0) }
  }

  private init(paths: [String: [String]]) { self.paths = paths }

  init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.magic), bytes.count >= Self.headerByteCount else { return nil }
    func number(_ place: Int) -> Int { (0..<4).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) } }
    func text(_ start: Int) -> String? {
      guard start < bytes.count, let end = bytes[start...].firstIndex(of: 0) else { return nil }
      return String(decoding: bytes[start..<end], as: UTF8.self)
    }
    var paths: [String: [String]] = [:]
    let count = min(number(20), (bytes.count - Self.headerByteCount) / Self.entryByteCount)
    for index in 0..<count {
      let place = Self.headerByteCount + index * Self.entryByteCount
      if let name = text(number(place + 4)), let path = text(number(place + 8)) {
        paths[name, default: []].append(path)
      }
    }
    self.paths = paths
  }

  /// Returns the files that have a name.
  func places(of library: String) -> [String] { paths[library] ?? [] }
}
