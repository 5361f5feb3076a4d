import Foundation

/// Says on standard error what went wrong, and ends the program.
func fail(_ message: String, code: Int32) -> Never {
  FileHandle.standardError.write(Data((message + "\n").utf8))
  exit(code)
}
