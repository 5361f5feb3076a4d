internal import CPlatform
internal import CofferPlatform

/// A program and its arguments at the end of the arguments of this process, with their bytes as they were given.
package struct GivenCommand: Sendable {
  private let position: Int

  /// Takes the last arguments. There must be as many.
  package init(wordCount: Int) {
    precondition((1..<Int(CommandLine.argc)).contains(wordCount), "this process has no such arguments")
    position = Int(CommandLine.argc) - wordCount
  }

  /// Returns the position of the first argument after the first `--`, in `CommandLine.arguments`; nil if there is none.
  package static func position(in arguments: [String]) -> Int? { arguments.firstIndex(of: "--").map { $0 + 1 } }

  /// The words, with a null pointer at their end.
  var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { unsafe CommandLine.unsafeArgv.advanced(by: position) }

  /// The program, to show.
  package var program: String { CommandLine.arguments[position] }

  /// Replaces this program by the given one, which is looked up in `PATH` and inherits what this process has inherited,
  /// apart from the variables that were set. Returns only by throwing.
  package func replaceProcess() throws(SystemError) {
    coffer_restore_inherited()
    if let name = unsafe words[0] { unsafe _ = execvp(name, words) }
    throw SystemError(errno, "cannot start \(program.sanitizedForTerminal())")
  }
}
