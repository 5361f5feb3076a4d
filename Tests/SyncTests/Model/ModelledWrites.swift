/// What a vault means, without cryptography, storage or network: each write replaces the writes that its author saw as
/// the current ones, and a machine knows its own writes and those that it has fetched.
struct ModelledWrites {
  /// A write of an item.
  struct Write {
    let item: Int
    /// The value, which no other write has; nil for a deletion.
    let value: String?
    /// The writes that it replaces, by their numbers.
    let bases: Set<Int>
  }

  private var all: [Write] = []
  /// The writes that the remote has.
  private(set) var published: Set<Int> = []

  /// Records a write by a machine that knows some writes, and returns what it knows then.
  mutating func write(_ value: String?, to item: Int, knowing known: Set<Int>) -> Set<Int> {
    all.append(Write(item: item, value: value, bases: heads(of: item, knowing: known)))
    return known.union([all.count - 1])
  }

  /// Records a sync, and returns what the machine knows then.
  mutating func sync(knowing known: Set<Int>) -> Set<Int> {
    published.formUnion(known)
    return published
  }

  /// The writes of an item that no known write replaces.
  private func heads(of item: Int, knowing known: Set<Int>) -> Set<Int> {
    let own = known.filter { all[$0].item == item }
    return own.subtracting(own.flatMap { all[$0].bases })
  }

  /// The current values of an item, of which there is more than one if machines have changed it at the same time.
  func values(of item: Int, knowing known: Set<Int>) -> Set<String?> {
    Set(heads(of: item, knowing: known).map { all[$0].value })
  }
}
