extension String {
  /// The path of the folder that contains the file at this path: `.` for a name alone.
  ///
  /// Not `NSString.deletingLastPathComponent`, which on Linux ends the process for a name of one character.
  package var parentFolder: String {
    func withoutSlashes(_ path: Substring) -> Substring {
      let end = path.lastIndex { $0 != "/" }
      return end.map { path[...$0] } ?? path.prefix(1)
    }
    let path = withoutSlashes(self[...])
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return String(withoutSlashes(path[...slash]))
  }
}
