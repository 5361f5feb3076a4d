internal import Coffer
internal import CofferVault
internal import Foundation

/// A program run to its end by posix_spawn.
///
/// Not Foundation's `Process`: on Linux that watches a descriptor which every descendant inherits, and takes one that closes it,
/// as ssh's background master does, for the end of the child.
enum ChildProgram {
  /// How a child ended.
  enum Exit: Equatable {
    case code(Int32)
    case signal(Int32)
  }

  /// Runs a program with nothing on its standard input and our standard error; returns its standard output, at most 16 MiB.
  static func run(_ path: String, _ arguments: [String]) throws(VaultError) -> (exit: Exit, output: Data) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw systemFailure("start \(path)") }
    let (readEnd, writeEnd) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(readEnd) }

    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, writeEnd, STDOUT_FILENO)
    var child: pid_t = 0
    let failure = unsafe withCStrings([path] + arguments) { words in
      unsafe posix_spawn(&child, path, &actions, nil, words, environ)
    }
    close(writeEnd)
    guard failure == 0 else {
      errno = failure
      throw systemFailure("start \(path)")
    }

    let output = readAll(readEnd)
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
    return (status & 0x7F == 0 ? .code(status >> 8 & 0xFF) : .signal(status & 0x7F), output)
  }

  /// Becomes another program; returns only by throwing.
  static func become(_ path: String, _ arguments: [String]) throws(VaultError) {
    unsafe withCStrings([path] + arguments) { unsafe _ = execv(path, $0) }
    throw systemFailure("start \(path)")
  }

  private static func readAll(_ descriptor: Int32) -> Data {
    var data = Data()
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return data }
      if data.count < 16 << 20 { data.append(contentsOf: chunk[..<count]) }
    }
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { preconditionFailure("an array with a nil at its end is not empty") }
      return unsafe body(start)
    }
  }
}
