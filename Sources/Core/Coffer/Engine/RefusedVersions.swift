package import CofferFormat

/// The refused records of a vault, by which one that follows others is recognised.
///
/// An object, because it remembers what it has found: a chain of refused records would otherwise be walked to its
/// beginning for each of them.
package final class RefusedVersions {
  private let bases: [RecordHash: [RecordHash]]
  /// Whether the author of a refused record had seen a version, by version and record.
  private var known: [RecordHash: [RecordHash: Bool]] = [:]

  /// Takes the bases of each refused record.
  package init(_ bases: [RecordHash: [RecordHash]]) { self.bases = bases }

  /// Whether the author of a refused record had seen a version that counts, or a refused record that it follows:
  /// directly, or as a base of another refused record. If so, adopting the record does not replace the version unseen.
  package func hasSeen(_ head: RecordHash, over headBases: [RecordHash], by record: RecordHash) -> Bool {
    let targets = Set(headBases.filter { bases[$0] != nil }).union([head])
    // Removed, because two references to a dictionary would copy it at the first change.
    var found = known.removeValue(forKey: head) ?? [:]
    var open = [record]
    while let next = open.last {
      let earlier = bases[next] ?? []
      if found[next] != nil {
        open.removeLast()
      } else if !targets.isDisjoint(with: earlier) || earlier.contains(where: { found[$0] == true }) {
        found[next] = true
        open.removeLast()
      } else {
        let unknown = earlier.filter { bases[$0] != nil && found[$0] == nil }
        if unknown.isEmpty {
          found[next] = false
          open.removeLast()
        } else {
          open += unknown
        }
      }
    }
    known[head] = found
    return found[record] == true
  }
}
