import Testing

/// The commands that errors, advice, help and pages print.
@Suite struct PrintedCommandTests {
  @Test func `Coffer understands each command that its programs print`() throws {
    try expectUnderstood(PrintedCommand.inSources(), moreThan: 500)
  }

  @Test func `Coffer understands each command of the pages`() throws {
    try expectUnderstood(PrintedCommand.inPages(), moreThan: 350)
  }

  /// A text that stands in several files is parsed once.
  private func expectUnderstood(_ commands: [PrintedCommand], moreThan count: Int) {
    #expect(Set(commands).count > count)
    for (text, places) in Dictionary(grouping: Set(commands), by: \.text) {
      guard let mistake = places[0].mistake else { continue }
      Issue.record("\(places.map(\.file).sorted().joined(separator: ", ")): coffer \(text): \(mistake)")
    }
  }
}
