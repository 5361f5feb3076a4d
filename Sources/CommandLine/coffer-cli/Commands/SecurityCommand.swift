internal import ArgumentParser

struct SecurityCommand: ParsableCommand {
  /// The name of a link to `coffer` that is this command.
  static let programName = "security"

  static let configuration = CommandConfiguration(
    commandName: programName, abstract: "Find, add and delete passwords in the words of macOS's program of this name.",
    discussion: """
      For scripts that were written for macOS: find-, add- and delete-generic-password and -internet-password, with the \
      options, outputs and exit codes that they have there. `coffer security find-generic-password -h` lists the options. A \
      link to `coffer` with the name security is this command, too.

      Acts as the app that COFFER_APP names, or as the owner: in a group of your own, unless the name of an access group is \
      given in the place of a keychain. Instead of the option -w, which every user of the machine can read, give the commands \
      on standard input: coffer security -i
      """)
  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("A command of macOS, and its options.", valueName: "command"))
  var words: [String] = []

  func run() throws {
    let status = SecurityTool.run(words)
    if status != 0 { throw ExitCode(status) }
  }
}
