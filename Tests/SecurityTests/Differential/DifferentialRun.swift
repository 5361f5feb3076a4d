internal import Coffer
internal import Foundation
internal import Security

/// A difference between module and model, with the information needed to find its cause.
struct KeychainDifference: Error, CustomStringConvertible {
  let description: String
}

/// Makes the same calls to the module, on a temporary vault, and to the model.
struct DifferentialRun {
  private let seed: UInt64
  private let vaults: [Vault]
  private var generator: CallGenerator
  private(set) var model: KeychainModel
  private var references = ReferenceLedger()
  private var dates = DateLedger()
  private var step = 0
  private var lastCalls: [KeychainCall] = []
  /// The number of calls by function and status.
  private(set) var counts: [KeychainCall.Function: [OSStatus: Int]] = [:]
  private(set) var largestItemCount = 0

  init(seed: UInt64, rules: ModelRules = ModelRules()) throws {
    self.seed = seed
    generator = CallGenerator(seed: seed)
    let first = try Vault.inMemory(entitlements: .bytes(ModelApp.pair[0].plist))
    vaults = [first] + (try ModelApp.pair.dropFirst().map { try first.reopened(as: .bytes($0.plist)) })
    model = KeychainModel(apps: ModelApp.pair, prefix: try Self.prefix(first), rules: rules)
  }

  /// Returns the prefix that a group's name in a result has before its name in the plist.
  private static func prefix(_ vault: Vault) throws -> String {
    try vault.asDefault {
      var result: CFTypeRef?
      let query: [String: Any] = ["class": "genp", "r_Attributes": true]
      let added = unsafe SecItemAdd(query as CFDictionary, &result)
      let name = (result as? NSDictionary)?["agrp"] as? String
      let deleted = SecItemDelete(["class": "genp"] as CFDictionary)
      guard added == errSecSuccess, deleted == errSecSuccess, let name,
        name.hasSuffix(ModelApp.pair[0].defaultGroup)
      else { throw KeychainDifference(description: "no item could be added and deleted: \(added), \(deleted)") }
      return String(name.dropLast(ModelApp.pair[0].defaultGroup.count))
    }
  }

  /// Makes `count` calls, and compares the content of all classes every 500 calls and at the end.
  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      step += 1
      try perform(generator.next(model, references))
      largestItemCount = max(largestItemCount, model.items.count)
      if step.isMultiple(of: 500) { try compareAll() }
    }
    try compareAll()
  }

  private mutating func compareAll() throws {
    for app in vaults.indices {
      for itemClass in ModelSchema.classes {
        try perform(
          KeychainCall(
            app: app, function: .copyMatching,
            query: [
              "class": .text(ModelText(itemClass)), "sync": .text("syna"), "m_Limit": .text("m_LimitAll"),
              "r_Attributes": .boolean(true), "r_Data": .boolean(true), "r_PersistentRef": .boolean(true),
            ]))
      }
    }
  }

  private mutating func perform(_ call: KeychainCall) throws {
    lastCalls = lastCalls.suffix(9) + [call]
    let start = Date()
    let answer = vaults[call.app].asDefault { KeychainAnswer(call, references) }
    let end = max(start, Date())
    let outcome = model.perform(call)
    for item in outcome.touched { dates.touch(item, during: start...end) }
    counts[call.function, default: [:]][answer.status, default: 0] += 1

    guard outcome.statuses.contains(answer.status) else { throw difference(outcome, answer, "another status") }
    let pairs = try pair(outcome, answer)
    for (item, element) in pairs {
      if let created = element.created, let modified = element.modified,
        let wrong = dates.check(created: created, modified: modified, of: item)
      {
        throw difference(outcome, answer, "item \(item): \(wrong)")
      }
      if let reference = element.reference, references.bytes(of: item) == nil {
        references.learn(reference, of: item)
      }
    }
  }

  /// Compares the results, element by element; returns each element with its item.
  private func pair(
    _ outcome: ModelOutcome, _ answer: KeychainAnswer
  ) throws -> [(item: Int, element: KeychainAnswer.Element)] {
    let expected: [ModelOutcome.Element]
    switch (outcome.result, answer.result) {
    case (.nothing, .nothing): return []
    case (.one(let element), .one): expected = [element]
    case (.several(let elements), .several): expected = elements
    default: throw difference(outcome, answer, "a result of another form")
    }
    guard answer.elements.count == expected.count else {
      throw difference(outcome, answer, "another number of results")
    }
    return try zip(expected, answer.elements).map { expected, element in
      guard element.returned == references.seen(expected.returned) else {
        throw difference(outcome, answer, "\(element.returned) is not expected in this place")
      }
      if let reference = element.reference, !Self.isWellFormed(reference, element.returned) {
        throw difference(outcome, answer, "a reference does not begin with the class")
      }
      return (expected.item, element)
    }
  }

  /// Returns whether data has the form of a reference: the class and an identifier.
  private static func isWellFormed(_ reference: [UInt8], _ returned: ModelReturned) -> Bool {
    let itemClass = String(decoding: reference.prefix(4), as: UTF8.self)
    if case .dictionary(let values) = returned, case .text(let name) = values["class"] {
      return itemClass == name.string
    }
    return ModelSchema.classes.contains(itemClass)
  }

  private func difference(_ outcome: ModelOutcome, _ answer: KeychainAnswer, _ what: String) -> KeychainDifference {
    let expected: [String] =
      switch outcome.result {
      case .nothing: []
      case .one(let element): ["one", "  item \(element.item): \(references.seen(element.returned))"]
      case .several(let elements): ["several"] + elements.map { "  item \($0.item): \(references.seen($0.returned))" }
      }
    let form =
      switch answer.result {
      case .nothing: "nothing"
      case .one: "one"
      case .several: "several"
      }
    let lines =
      ["seed \(seed), step \(step): \(what)", "the last calls:"] + lastCalls.map { "  \($0)" }
      + ["the model: status \(outcome.statuses.sorted())"] + expected
      + ["the module: status \(answer.status), result: \(form)"] + answer.elements.map { "  \($0.returned)" }
    return KeychainDifference(description: lines.joined(separator: "\n"))
  }
}
