internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferVault

extension LogLine {
  /// The entry in the output of `--json`.
  var json: JSONObject {
    [
      "number": number, "time": time, "signedBy": signer, "signerMachine": signerMachine, "kind": kind, "what": action,
      "hash": hash, "phrase": phrase, "isPublished": isPublished, "isAfterFork": isAfterFork, "details": details,
    ]
  }
}

extension LogPage {
  /// The output of `coffer log --json`, with the lines in the order in which they are shown.
  func json(_ lines: [LogLine]) -> JSONObject {
    [
      "entries": lines.map(\.json), "entryCount": total, "headPhrase": headPhrase, "fork": forkError?.message,
      "otherBranches": otherBranches.map(\.json),
    ]
  }
}

extension LogVerification {
  /// The output of `coffer log --verify --json`.
  var json: JSONObject {
    [
      "verifiedCount": verifiedCount, "entryCount": entryCount, "headPhrase": headPhrase, "isSound": isSound,
      "firstInvalidEntry": firstInvalidEntry,
      "problems": problems.map {
        ["message": $0.message, "recoverySuggestion": $0.recoverySuggestion] as JSONObject
      },
    ]
  }
}
