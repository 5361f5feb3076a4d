internal import CofferSystem
internal import CofferTerminal

/// What an import has done, or would do.
struct ImportReport {
  /// Something that was not imported.
  struct Skipped {
    let name: String
    let reason: String
  }

  let source: ImportSource
  /// The file or folder that was read.
  let path: String?
  let isDryRun: Bool
  /// The number of entries in the source that were read.
  var entryCount = 0
  var newCount = 0
  var sameCount = 0
  var changedCount = 0
  private(set) var skipped: [Skipped] = []

  init(source: ImportSource, path: String?, isDryRun: Bool) {
    self.source = source
    self.path = path
    self.isDryRun = isDryRun
  }

  mutating func skip(_ name: String, because reason: String) {
    skipped.append(Skipped(name: name, reason: reason))
  }

  mutating func count(_ outcome: ItemImporter.Outcome, of name: String) {
    switch outcome {
    case .new: newCount += 1
    case .same: sameCount += 1
    case .changed: changedCount += 1
    case .skipped(let reason): skip(name, because: reason)
    }
  }

  /// How to delete the source; nil while it has something that the vault does not have.
  private var advice: String? {
    guard !isDryRun, skipped.isEmpty, newCount + sameCount + changedCount > 0 else { return nil }
    return source.cleaningAdvice(for: path)
  }

  var json: JSONObject {
    [
      "source": source.rawValue, "isDryRun": isDryRun, "entryCount": entryCount, "newCount": newCount,
      "sameCount": sameCount, "changedCount": changedCount,
      "skipped": skipped.map { JSONObject(dictionaryLiteral: ("name", $0.name), ("reason", $0.reason)) },
      "advice": advice,
    ]
  }

  var lines: [String] {
    var lines = skipped.map { Output.cell("skipped: \($0.name): \($0.reason)") }
    let done = isDryRun ? "would be" : newCount == 1 ? "was" : "were"
    lines.append(
      "\(counted(entryCount, "entry", "entries")): \(counted(newCount, "item")) \(done) imported and read back, \(changedCount.grouped) replaced; \(sameCount.grouped) are there already, \(skipped.count.grouped) skipped"
    )
    if isDryRun { lines[lines.count - 1] = lines[lines.count - 1].replacing(" and read back", with: "") }
    if let advice {
      lines.append("Nothing was deleted at the source. \(advice)")
    } else if !isDryRun, !skipped.isEmpty {
      lines.append("Nothing was deleted at the source. Keep it: what was skipped is only there")
    }
    return lines
  }
}
