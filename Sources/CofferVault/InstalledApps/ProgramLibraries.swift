internal import CofferPlatform
internal import CofferSystem

/// What the loader puts into a program when it is setgid: its libraries, theirs, and the loader itself.
package enum ProgramLibraries {
  /// The folders in which the loader looks last.
  private static let systemFolders = ["/lib64", "/usr/lib64", "/lib", "/usr/lib"]
  private static let maximumLibraryCount = 512

  /// Returns why others than root could put a library into a program, or why it cannot have a group of its own, as clauses.
  package static func weaknesses(ofProgram descriptor: Int32) -> [String] {
    let program: ELFLinkage
    do throws(ELFLinkage.Flaw) {
      program = try ELFLinkage(reading: descriptor)
    } catch {
      return [
        "it is not an ELF program of 64 bits: a script cannot have a group of its own, because its interpreter runs it"
      ]
    }
    var weaknesses: [String] = []
    if let interpreter = program.interpreter {
      weaknesses += weakness(of: interpreter, "its loader", "that others than root can change")
    }
    let cache = LibraryCache.read()
    // Libraries are looked for in the folders of those that need them (DT_RPATH).
    var waiting = [(owner: "it", linkage: program, inherited: [String]())]
    var seen: Set<String> = []
    while let (owner, linkage, inherited) = waiting.popLast() {
      weaknesses += linkage.folders.flatMap { weakness(ofFolder: $0, of: owner) }
      let folders = linkage.folders.filter { $0.hasPrefix("/") } + inherited
      for name in linkage.libraries {
        if name.contains("/") {
          weaknesses += weakness(of: name, "\(owner) needs the library", "that others than root can change")
        }
        let places =
          name.hasPrefix("/")
          ? [name]
          : folders.map { "\($0)/\(name)" } + cache.places(of: name)
            + systemFolders.map { "\($0)/\(name)" }
        // The first one is loaded, if it is for this machine: the others may be, too.
        for place in places where !isAbsent(place) && seen.insert(place).inserted {
          guard seen.count <= maximumLibraryCount else {
            return weaknesses + ["it needs more than \(maximumLibraryCount) libraries"]
          }
          weaknesses += weakness(of: place, "\(owner) needs the library", "that others than root can change")
          if let library = ELFLinkage(at: place) { waiting.append((place, library, folders)) }
        }
      }
    }
    return weaknesses
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
    // The loader also looks in folders for variants of the processor.
    let variants = "\(folder)/glibc-hwcaps"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: variants)) ?? []
    return ([folder, variants] + names.map { "\(variants)/\($0)" }).lazy.compactMap(ProtectedPath.weakness(of:)).prefix(
      1
    )
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
