internal import CofferSystem

extension ChildProcess {
  /// Runs a program that `PATH` leads to, and returns how it ended and the first 4 MiB of what it has printed.
  static func output(of program: String, arguments: [String], errors: StandardStream = .inherited)
    throws(SystemError) -> (exit: Exit, output: [UInt8])
  {
    let pipe = try Descriptor.pipe()
    let child = try start(
      program, arguments: arguments, searchesPath: true, input: .null, output: .descriptor(pipe.theirs.rawValue),
      errors: errors)
    let output = pipe.closeTheirs().readToEnd(maximumByteCount: 4 << 20)
    return (child.wait(), output)
  }
}
