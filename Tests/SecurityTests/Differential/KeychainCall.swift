/// A call of Keychain Services, with plain values.
struct KeychainCall: CustomStringConvertible {
  enum Function: String, CaseIterable { case add, copyMatching, update, delete }

  /// The number of the app that calls.
  let app: Int
  let function: Function
  var query: ModelDictionary
  var newValues: ModelDictionary = [:]

  var description: String {
    "app \(app): \(function.rawValue) \(query.sortedDescription)"
      + (function == .update ? " -> \(newValues.sortedDescription)" : "")
  }
}
