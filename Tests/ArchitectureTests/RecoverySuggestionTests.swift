import Testing

@Suite struct RecoverySuggestionTests {
  /// The messages of the errors that say no more, each with the reason.
  private static let withoutSuggestion = [
    "cancelled; nothing was changed": "the user has decided that",
    "interrupted; what has arrived is kept": "who has interrupted it goes on with the same command",
    "the transaction was undone by its body": "the app has decided that",
    "the terminal was closed": "nobody is there to read more",
    #"unexpected error of kind \(type(of: error))"#: "a fault in Coffer",
    #"\(application) is not in the membership log"#: "the vault in memory has just registered it",
    #"no credential was made for \(application)"#: "one is always made where it may replace another",
    #"the vault has more than \(Limits.checkpointStreams) streams"#: "streams are never removed",
  ]

  @Test func `Every error has a recovery suggestion, except those about which nobody can do anything`() throws {
    let errors = try ErrorConstruction.all()
    #expect(errors.count > 400)
    let silent = Set(errors.filter { !$0.hasSuggestion }.map(\.message))
    #expect(silent == Set(Self.withoutSuggestion.keys))
  }
}
