internal import Coffer
internal import CofferTestSupport
internal import Security
internal import Testing

/// Compares the module with rules that were written a second time, from Apple's documentation and not from the module.
///
/// Leaves out what the rules do not decide: identities and references to objects, conditions of access control and
/// passphrases, searches by parts of names, and groups and accessibilities that are empty or unknown. If a call has
/// several errors, any of them may be returned.
@Suite struct DifferentialTests {
  /// 8,000 calls in all, in parts that run side by side, and 50,000 in a soak run.
  static let seeds = SeededGenerator.seedsToRun(
    unlessGiven: SeededGenerator.isSoak ? Array(1...24) + [SeededGenerator.runSeed] : [1, 2, 3, 4])

  @Test(arguments: seeds)
  func `Random calls answer as Apple's rules require`(seed: UInt64) throws {
    var run = try DifferentialRun(seed: seed)
    try run.run(steps: 2000)
    // The calls are worth comparing: most succeed, and duplicates and misses are frequent.
    func count(_ function: KeychainCall.Function, _ status: OSStatus) -> Int { run.counts[function]?[status] ?? 0 }
    for function in KeychainCall.Function.allCases {
      let all = run.counts[function, default: [:]].values.reduce(0, +)
      #expect(Double(count(function, errSecSuccess)) > Double(all) * 0.35)
    }
    for function in [KeychainCall.Function.add, .update] { #expect(count(function, errSecDuplicateItem) > 2) }
    for function in [KeychainCall.Function.copyMatching, .update, .delete] {
      #expect(count(function, errSecItemNotFound) > 20)
    }
    #expect(run.largestItemCount > 20)
  }

  /// The store counts dates from 1970, Keychain from 2001.
  @Test func `A date of zero in another epoch is not an absent one`() throws {
    let key: ModelDictionary = ["class": .text("keys"), "sdat": .date(-978_307_200)]
    let vault = try Vault.inMemory(entitlements: .bytes(ModelApp.pair[0].plist))
    vault.asDefault {
      func answer(_ function: KeychainCall.Function, _ query: ModelDictionary) -> KeychainAnswer {
        KeychainAnswer(KeychainCall(app: 0, function: function, query: query), ReferenceLedger())
      }
      let added = answer(.add, key.merging(["r_Attributes": .boolean(true)]) { $1 })
      #expect(added.status == errSecSuccess)
      guard case .one(let element) = added.result, case .dictionary(let attributes) = element.returned else {
        Issue.record("no attributes")
        return
      }
      #expect(attributes["sdat"] == key["sdat"])
      #expect(answer(.add, ["class": .text("keys")]).status == errSecSuccess)
    }
  }

  struct AlteredRule: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let alter: @Sendable (inout ModelRules) -> Void

    init(_ description: String, _ alter: @escaping @Sendable (inout ModelRules) -> Void) {
      testDescription = description
      self.alter = alter
    }
  }

  static let alteredRules = [
    AlteredRule("text and bytes differ") { $0.comparesTextByBytes = false },
    AlteredRule("characters count, not bytes") { $0.tellsComposedTextApart = false },
    AlteredRule("a number is the text of its digits") { $0.tellsNumbersFromDigits = false },
    AlteredRule("text of digits is no number") { $0.readsNumericText = false },
    AlteredRule("empty is not absent") { $0.takesEmptyForAbsent = false },
    AlteredRule("results lack what was not given") { $0.returnsAbsentPrimaryKey = false },
    AlteredRule("there are no twins") { $0.keepsTwins = false },
    AlteredRule("groups share a primary key") { $0.keepsGroupsApart = false },
    AlteredRule("labels tell items apart") { $0.ignoresLabelInPrimaryKey = false },
    AlteredRule("searches find what is synchronized unasked") { $0.searchesUnsynchronizedOnly = false },
    AlteredRule("searches find all unasked") { $0.limitsToOne = false },
    AlteredRule("a failed update has changed some") { $0.updatesAllOrNothing = false },
    AlteredRule("a move makes another reference") { $0.keepsReferenceOnMove = false },
    AlteredRule("accessibility does not filter") { $0.filtersByProtection = false },
    AlteredRule("certificates are as passwords") { $0.opensCertificates = false },
    AlteredRule("deleting heeds a limit") { $0.deletesAllMatches = false },
    AlteredRule("what may only be read is changed") { $0.sparesReadOnlyGroups = false },
    AlteredRule("the newest comes first") { $0.listsOldestFirst = false },
    AlteredRule("null takes nothing away") { $0.clearsWithNull = false },
  ]

  @Test(arguments: alteredRules)
  func `An altered rule is detected`(_ altered: AlteredRule) throws {
    var rules = ModelRules()
    altered.alter(&rules)
    var run = try DifferentialRun(seed: 1, rules: rules)
    #expect(throws: KeychainDifference.self) { try run.run(steps: 2500) }
  }
}
