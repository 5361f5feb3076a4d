package import CofferCrypto

/// Removes machines and apps from a vault, or rights from apps. Of the authors that it names, only the records of a list
/// stay valid. The keys that they could open are replaced by the entries that follow, which belong to it.
package struct RevocationStatement: Hashable, Sendable {
  /// A machine that is revoked.
  package struct Machine: Hashable, Sendable {
    package let device: DeviceID
    /// The last segment of each of its streams that stays valid, in ascending order of stream.
    package let ends: [StreamPosition]

    package init(device: DeviceID, ends: [StreamPosition]) {
      self.device = device
      self.ends = ends.sorted { $0.stream < $1.stream }
    }
  }

  /// A right to write that ends.
  package struct LostGroup: Hashable, Sendable {
    package let group: GroupID
    /// Whether the author goes on reading the group.
    package let keepsReading: Bool

    package init(group: GroupID, keepsReading: Bool) {
      self.group = group
      self.keepsReading = keepsReading
    }
  }

  /// An author whose records are cut off.
  package struct CutAuthor: Hashable, Sendable {
    package let author: AuthorID
    /// The groups in ascending order; nil if the author loses everything.
    package let groups: [LostGroup]?

    package init(author: AuthorID, groups: [LostGroup]?) {
      self.author = author
      self.groups = groups?.sorted { $0.group < $1.group }
    }
  }

  /// The machines in ascending order.
  package let machines: [Machine]
  /// The latest registrations of the apps that are removed from every machine, in ascending order.
  package let apps: [EntryHash]
  /// The authors in ascending order.
  package let authors: [CutAuthor]
  /// The number of these authors' records that stay valid.
  package let recordCount: UInt64
  /// The hashes of the ``RecordList`` objects with these records, in ascending order of record.
  package let recordLists: [Bytes32]
  /// The number of the following entries that take effect together with this one.
  package let followingEntries: UInt32
  /// The keys that these entries introduce in place of older ones, in ascending order of group.
  package let keys: [NewKey]

  package init(
    machines: [Machine], apps: [EntryHash], authors: [CutAuthor], recordCount: UInt64, recordLists: [Bytes32],
    followingEntries: UInt32, keys: [NewKey]
  ) {
    self.machines = machines.sorted { $0.device < $1.device }
    self.apps = apps.sorted()
    self.authors = authors.sorted { $0.author < $1.author }
    self.recordCount = recordCount
    self.recordLists = recordLists
    self.followingEntries = followingEntries
    self.keys = keys.sorted()
  }

  func write(to writer: inout ByteWriter) {
    writer.list(machines) { writer, machine in
      writer.fixed(machine.device.raw)
      writer.list(machine.ends)
    }
    writer.list(apps)
    writer.list(authors) { writer, cut in
      writer.fixed(cut.author.raw)
      writer.optional(cut.groups) { writer, groups in
        writer.list(groups) { writer, lost in
          writer.fixed(lost.group.raw)
          writer.bool(lost.keepsReading)
        }
      }
    }
    writer.u64(recordCount)
    writer.list(recordLists) { $0.fixed($1) }
    writer.u32(followingEntries)
    writer.list(keys)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    machines = try reader.ascendingList("machines", cap: Limits.revokedMachines, by: \.device) {
      (reader) throws(FormatError) in
      let device = DeviceID(try reader.bytes16("device"))
      return Machine(
        device: device, ends: try reader.ascendingList("last segments", cap: Limits.seenStreams, by: \.stream))
    }
    apps = try reader.ascendingList("apps", cap: Limits.revokedApps)
    authors = try reader.ascendingList("authors", cap: Limits.cutAuthors, by: \.author) {
      (reader) throws(FormatError) in
      let author = AuthorID(try reader.bytes16("author"))
      let groups = try reader.optional("groups") { (reader) throws(FormatError) in
        try reader.ascendingList("groups", cap: Limits.groupsPerApp, by: \.group) { (reader) throws(FormatError) in
          LostGroup(group: GroupID(try reader.bytes16("group")), keepsReading: try reader.bool("keeps reading"))
        }
      }
      if let groups, groups.isEmpty { throw reader.failure(.invalidValue, "groups") }
      return CutAuthor(author: author, groups: groups)
    }
    guard !authors.isEmpty || !machines.isEmpty || !apps.isEmpty else {
      throw reader.failure(.invalidValue, "authors")
    }
    recordCount = try reader.u64("records")
    recordLists = try reader.list("record lists", cap: Limits.recordLists) { (reader) throws(FormatError) in
      try reader.bytes32("record list")
    }
    guard recordLists.count == RecordList.objectCount(for: recordCount) else {
      throw reader.failure(.invalidValue, "record lists")
    }
    followingEntries = try reader.u32("following entries")
    keys = try reader.ascendingList("keys", cap: Limits.newKeys, by: \.group)
  }
}

/// Hands the vault to new keys of root, which another vault key opens. The old root signs it. The new one signs the
/// entries that follow and belong to it: they replace every key that the old root could open.
package struct SuccessionStatement: Hashable, Sendable {
  /// The new root's public keys.
  package let root: PartyPublicKeys
  /// The number of the new root, from 2. The first root is that of the genesis.
  package let generation: UInt32
  /// The hash of the ``RootSlot`` with the new root's secret keys.
  package let slot: Bytes32
  /// The number of the following entries that take effect together with this one.
  package let followingEntries: UInt32
  /// The keys that these entries introduce in place of older ones, in ascending order of group.
  package let keys: [NewKey]

  package init(
    root: PartyPublicKeys, generation: UInt32, slot: Bytes32, followingEntries: UInt32, keys: [NewKey]
  ) {
    self.root = root
    self.generation = generation
    self.slot = slot
    self.followingEntries = followingEntries
    self.keys = keys.sorted()
  }

  func write(to writer: inout ByteWriter) {
    writer.publicKeys(root)
    writer.u32(generation)
    writer.fixed(slot)
    writer.u32(followingEntries)
    writer.list(keys)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    root = try reader.publicKeys("root")
    generation = try reader.u32("generation")
    guard generation > 1 else { throw reader.failure(.invalidValue, "generation") }
    slot = try reader.bytes32("slot")
    followingEntries = try reader.u32("following entries")
    keys = try reader.ascendingList("keys", cap: Limits.newKeys, by: \.group)
  }
}

/// A key that one of the entries after a revocation or a succession introduces in place of an earlier one.
package struct NewKey: Hashable, Comparable, Coded {
  /// The group; ``GroupID/none`` for the transport key.
  package let group: GroupID
  package let generation: UInt32
  package let commitment: Bytes32

  package init(group: GroupID, generation: UInt32, commitment: Bytes32) {
    self.group = group
    self.generation = generation
    self.commitment = commitment
  }

  package static func < (left: NewKey, right: NewKey) -> Bool { left.group < right.group }

  package func write(to writer: inout ByteWriter) {
    writer.fixed(group.raw)
    writer.u32(generation)
    writer.fixed(commitment)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    group = GroupID(try reader.bytes16("group"))
    generation = try reader.u32("generation")
    commitment = try reader.bytes32("commitment")
  }
}

/// States of items that their values need not be replaced after a revocation, and why, or takes that back. It grants and
/// removes nothing.
package struct DismissalStatement: Hashable, Sendable {
  /// The entry of the revocation.
  package let revocation: EntryHash
  /// The items in ascending order.
  package let items: [ItemAddress]
  /// Why the values stay as they are; empty if they are to be replaced after all. It can contain any character, so it must
  /// be made safe before it is shown.
  package let reason: String

  package init(of items: some Sequence<ItemAddress>, after revocation: EntryHash, reason: String) {
    self.revocation = revocation
    self.items = Set(items).sorted()
    self.reason = reason
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(revocation.raw)
    writer.list(items)
    writer.string(reason)
  }

  /// Reads the body of an entry. Nil if it is malformed: programs that do not know the statement accept any body, so no
  /// body may make the entry invalid.
  init?(body: [UInt8]) {
    var reader = ByteReader(body, object: "dismissal")
    do throws(FormatError) {
      revocation = EntryHash(try reader.bytes32("revocation"))
      items = try reader.ascendingList("items", cap: Limits.dismissedItems)
      reason = try reader.string("reason", cap: Limits.dismissalReasonByteCount)
      try reader.finish()
    } catch {
      return nil
    }
  }
}
