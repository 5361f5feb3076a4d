internal import CofferPlatform
internal import CofferSystem

extension Finding {
  /// What is found if the program that a bridge's command runs is gone; nil if it is there.
  static func missingProgram(of command: String, in subject: String, install: String) -> Finding? {
    guard let program = command.firstShellWord, !FileManager.default.isExecutableFile(atPath: program) else {
      return nil
    }
    return Finding(
      .bridgeProgramGone, .problem, subject: subject, message: "It runs \(program), which does not exist any more.",
      fix: "Install Coffer there, or run: \(install)")
  }
}
