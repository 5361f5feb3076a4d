private import Foundation

/// The processes of this machine, by what the system shows of them in `/proc`.
package enum ProcessParents {
  /// Returns the parent of each process.
  package static func all() -> [Int32: Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.reduce(into: [:]) { parents, process in
      guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return }
      // The name of the program, in parentheses, may contain anything.
      let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
      if fields.count > 1 { parents[process] = Int32(fields[1]) }
    }
  }
}
