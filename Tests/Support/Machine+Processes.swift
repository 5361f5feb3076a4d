package import Foundation

extension Machine {
  /// Finds the processes that run with this machine's home folder.
  ///
  /// - Parameter names: The names of the programs, of which the kernel keeps 15 characters; nil for all.
  /// - Returns: Their identifiers.
  /// - Throws: An error if the system shows no processes.
  package func processes(named names: Set<String>? = nil) throws -> [pid_t] {
    let variable = Data("COFFER_HOME=\(home.path)\0".utf8)
    return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.filter { process in
      guard FileManager.default.contents(atPath: "/proc/\(process)/environ")?.firstRange(of: variable) != nil else {
        return false
      }
      let name = FileManager.default.contents(atPath: "/proc/\(process)/comm") ?? Data()
      return names?.contains(String(decoding: name, as: UTF8.self).trimmingCharacters(in: .newlines)) ?? true
    }
  }
}
