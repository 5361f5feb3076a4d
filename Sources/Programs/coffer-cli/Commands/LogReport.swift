internal import Coffer
internal import CofferAdministration
internal import CofferPlatform

/// The output of `coffer log --json`.
struct LogReport: Encodable {
  struct Entry: Encodable {
    let number: UInt64
    let time: Date
    let signedBy: String
    let signerMachine: String?
    let kind: LogLine.Kind
    let what: String
    let hash: String
    let phrase: String
    let isPublished: Bool
    let isAfterFork: Bool
    let details: [LogLine.Detail]

    init(_ line: LogLine) {
      number = line.number
      time = line.time
      signedBy = line.signer
      signerMachine = line.signerMachine
      kind = line.kind
      what = line.action
      hash = line.hash
      phrase = line.phrase
      isPublished = line.isPublished
      isAfterFork = line.isAfterFork
      details = line.details
    }
  }
  let entries: [Entry]
  let entryCount: Int
  let headPhrase: String
  let fork: String?
  let otherBranches: [Entry]

  init(_ page: LogPage, _ lines: [LogLine]) {
    entries = lines.map(Entry.init)
    entryCount = page.total
    headPhrase = page.headPhrase
    fork = page.forkError?.message
    otherBranches = page.otherBranches.map(Entry.init)
  }
}
