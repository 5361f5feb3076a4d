internal import CofferPlatform
internal import CofferSystem

/// The folders in which a program's libraries are looked for when it is setgid.
package enum ProgramLibraries {
  /// Returns why others than root could put a library into a program, or why it cannot have a group of its own, as clauses.
  package static func weaknesses(ofProgram descriptor: Int32) -> [String] {
    let folders: [String]
    do throws(ELFLibraryPath.Flaw) {
      folders = try ELFLibraryPath.folders { offset, count in
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe bytes.withUnsafeMutableBytes {
          unsafe pread(descriptor, $0.baseAddress, count, off_t(clamping: offset))
        }
        return Array(bytes.prefix(max(read, 0)))
      }
    } catch {
      return [
        "it is not an ELF program of 64 bits: a script cannot have a group of its own, because its interpreter runs it"
      ]
    }
    // The loader ignores $ORIGIN in a setgid program.
    return folders.filter { !$0.hasPrefix("$ORIGIN") && !$0.hasPrefix("${ORIGIN}") }.compactMap { folder in
      guard folder.hasPrefix("/") else {
        return "it searches libraries in the relative folder '\(folder.sanitizedForTerminal())'"
      }
      return ProtectedPath.weakness(of: folder).map {
        "it searches libraries where others than root can put them: \($0)"
      }
    }
  }
}
