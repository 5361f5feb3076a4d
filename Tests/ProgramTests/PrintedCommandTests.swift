import Testing

/// The commands that errors, advice, help and pages print.
@Suite struct PrintedCommandTests {
  @Test func `Coffer understands each command that its programs print`() throws {
    let commands = Set(try PrintedCommand.inSources())
    #expect(commands.count > 500)
    for command in commands {
      if let mistake = command.mistake { Issue.record("\(command.file): coffer \(command.text): \(mistake)") }
    }
  }

  @Test func `Coffer understands each command of the pages`() throws {
    let commands = Set(try PrintedCommand.inPages())
    #expect(commands.count > 350)
    for command in commands {
      if let mistake = command.mistake { Issue.record("\(command.file): coffer \(command.text): \(mistake)") }
    }
  }
}
