/// What the owner of a vault may rely on, without cryptography, storage or network: each write replaces the versions
/// that its author saw as the current ones, and no machine that has heard of a write loses it to anything else.
struct WorldModel {
  struct Write {
    let item: Int
    /// The value, which no other write has; nil for a deletion.
    let value: String?
    /// The writes that it replaces, and those that these replace.
    let replaced: Set<Int>
    /// The same, with those that it may replace: a deletion shows no value that would tell it from others.
    let possiblyReplaced: Set<Int>
    /// Whether it has to be where it is known. A machine that was removed may have made it without telling anybody.
    var isRequired = true
    /// Whether no other machine may take it: its author was removed before it was made.
    let isForbidden: Bool
    /// Whether it stays on its machine, as what is `…ThisDeviceOnly` does.
    let isKept: Bool
    /// The removed machines that must never read it: its author knew of their removal.
    let hidden: Set<String>
  }

  private(set) var writes: [Write] = []
  private var numbers: [String: Int] = [:]

  /// Records a write by a machine that has heard of some writes, and has seen some values as current. Returns its
  /// number.
  mutating func write(
    _ value: String?, to item: Int, seeing current: Set<String?>, knowing known: Set<Int>, isForbidden: Bool = false,
    isKept: Bool = false, hiddenFrom hidden: Set<String> = []
  ) -> Int {
    let possible = heads(of: item, showing: current) { !writes[$0].isKept || known.contains($0) }
    let certain = possible.filter { writes[$0].value != nil || known.contains($0) }
    writes.append(
      Write(
        item: item, value: value, replaced: certain.reduce(into: certain) { $0.formUnion(writes[$1].replaced) },
        possiblyReplaced: possible.reduce(into: possible) { $0.formUnion(writes[$1].possiblyReplaced) },
        isForbidden: isForbidden, isKept: isKept, hidden: hidden))
    if let value { numbers[value] = writes.count - 1 }
    return writes.count - 1
  }

  /// Whether some writes concern an item.
  func concern(_ item: Int, _ numbers: Set<Int>) -> Bool { numbers.contains { writes[$0].item == item } }

  /// The values among some that stay on a machine, or those that do not.
  func values(_ values: Set<String?>, thatStay areKept: Bool) -> Set<String?> {
    values.filter { value in value.flatMap { numbers[$0] }.map { writes[$0].isKept == areKept } ?? false }
  }

  /// Forgets that writes have to be kept: their author was removed, and whoever removed it had not heard of them.
  mutating func release(_ numbers: Set<Int>) { for number in numbers { writes[number].isRequired = false } }

  /// The writes that some current values of an item show. A deletion has no value of its own: all that could be meant,
  /// and that `counts` returns true for.
  private func heads(
    of item: Int, showing values: Set<String?>, counts: (Int) -> Bool = { _ in true }
  ) -> Set<Int> {
    var found = Set(values.compactMap { $0 }.compactMap { numbers[$0] })
    guard values.contains(nil) else { return found }
    for (number, write) in writes.enumerated() where write.item == item && write.value == nil && counts(number) {
      found.insert(number)
    }
    return found
  }

  /// Returns what is wrong with the values that a removed machine shows; nil for nothing.
  func leak(of values: Set<String?>, to name: String) -> String? {
    values.compactMap { $0 }.first { value in numbers[value].map { writes[$0].hidden.contains(name) } ?? false }
      .map { "\($0) was written by a machine that knew of the removal of \(name), which reads it" }
  }

  /// Returns what is wrong with the current values of an item on a machine that has heard of some writes, has made some
  /// itself, and keeps some to itself; nil for nothing. With `lackingKept`, another disk may have versions that stay
  /// there between those and the others. `mayReturn` is whether versions that were replaced may be current again: a
  /// machine that has joined again brings its current versions, and not those between them and what the others have; so
  /// does, for a while, a machine that was interrupted while it followed another epoch. `excused` are writes of removed
  /// machines that it may take: from a host that has lost the branch, until it has heard of their removal.
  func fault(
    of item: Int, showing values: Set<String?>, knowing known: Set<Int>, making own: Set<Int>, keeping kept: Set<Int>,
    lackingKept: Bool, mayReturn: Bool = false, excusing excused: Set<Int> = []
  ) -> String? {
    func mayCount(_ number: Int) -> Bool {
      if writes[number].isKept { return kept.contains(number) }
      return !writes[number].isForbidden || excused.contains(number) || own.contains(number)
    }
    for case let value? in values {
      guard let number = numbers[value], writes[number].item == item else { return "nobody wrote \(value)" }
      guard mayCount(number) else {
        return "\(value) \(writes[number].isKept ? "stays on another machine" : "is by a machine that was removed")"
      }
      let other = values.compactMap { $0 }.compactMap { numbers[$0] }.first { writes[$0].replaced.contains(number) }
      if let other, !mayReturn, !writes[number].isKept || !lackingKept {
        return "\(value) is current, and was replaced by \(writes[other].value ?? "a deletion")"
      }
    }
    let heads = heads(of: item, showing: values, counts: mayCount)
    let covered = heads.reduce(into: heads) { $0.formUnion(writes[$1].possiblyReplaced) }
    let lost = known.union(kept).filter { writes[$0].item == item && writes[$0].isRequired }.subtracting(covered)
    guard let first = lost.min() else { return nil }
    return "write \(first) (\(writes[first].value ?? "a deletion")) is lost"
  }
}
