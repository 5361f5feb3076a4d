package import CofferCrypto

/// Removes machines and apps from a vault, or rights from apps. Of the authors that it names, only the records of a
/// list stay valid. The keys that they could open are replaced by the entries that follow, which belong to it.
package struct RevocationStatement: Hashable, Fielded {
  /// A machine that is revoked.
  package struct Machine: Hashable, Fielded {
    package let device: DeviceID
    /// The last segment of each of its streams that stays valid, in ascending order of stream.
    package let ends: [StreamPosition]

    package init(device: DeviceID, ends: [StreamPosition]) {
      self.device = device
      self.ends = ends.sorted { $0.stream < $1.stream }
    }

    package init(_ known: Machine?, _ coder: inout FieldCoder) throws(FormatError) {
      device = try coder.id(known?.device, "device")
      ends = try coder.ascendingList(known?.ends, "last segments", cap: Limits.seenStreams, by: \.stream)
    }
  }

  /// A right to write that ends.
  package struct LostGroup: Hashable, Fielded {
    package let group: GroupID
    /// Whether the author goes on reading the group.
    package let keepsReading: Bool

    package init(group: GroupID, keepsReading: Bool) {
      self.group = group
      self.keepsReading = keepsReading
    }

    package init(_ known: LostGroup?, _ coder: inout FieldCoder) throws(FormatError) {
      group = try coder.id(known?.group, "group")
      keepsReading = try coder.bool(known?.keepsReading, "keeps reading")
    }
  }

  /// An author whose records are cut off.
  package struct CutAuthor: Hashable, Fielded {
    package let author: AuthorID
    /// The groups in ascending order; nil if the author loses everything.
    package let groups: [LostGroup]?

    package init(author: AuthorID, groups: [LostGroup]?) {
      self.author = author
      self.groups = groups?.sorted { $0.group < $1.group }
    }

    package init(_ known: CutAuthor?, _ coder: inout FieldCoder) throws(FormatError) {
      author = try coder.id(known?.author, "author")
      groups = try coder.optional(known?.groups, "groups") { (coder, groups) throws(FormatError) in
        try coder.ascendingList(groups, "groups", cap: Limits.groupsPerApp, by: \.group)
      }
      try coder.require(groups?.isEmpty != true, "groups")
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

  package init(_ known: RevocationStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    machines = try coder.ascendingList(known?.machines, "machines", cap: Limits.revokedMachines, by: \.device)
    apps = try coder.ascendingList(known?.apps, "apps", cap: Limits.revokedApps, by: { $0 })
    authors = try coder.ascendingList(known?.authors, "authors", cap: Limits.cutAuthors, by: \.author)
    try coder.require(!authors.isEmpty || !machines.isEmpty || !apps.isEmpty, "authors")
    recordCount = try coder.u64(known?.recordCount, "records")
    recordLists = try coder.value(
      known?.recordLists, { $0.list($1) { $0.fixed($1) } },
      { (reader) throws(FormatError) in
        try reader.list("record lists", cap: Limits.recordLists) { (reader) throws(FormatError) in
          try reader.bytes32("record list")
        }
      })
    try coder.require(recordLists.count == RecordList.objectCount(for: recordCount), "record lists")
    followingEntries = try coder.u32(known?.followingEntries, "following entries")
    keys = try coder.ascendingList(known?.keys, "keys", cap: Limits.newKeys, by: \.group)
  }
}

/// Hands the vault to new keys of root, which another vault key opens. The old root signs it. The new one signs the
/// entries that follow and belong to it: they replace every key that the old root could open.
package struct SuccessionStatement: Hashable, Fielded {
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

  package init(_ known: SuccessionStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    root = try coder.publicKeys(known?.root, "root")
    generation = try coder.u32(known?.generation, "generation")
    try coder.require(generation > 1, "generation")
    slot = try coder.bytes32(known?.slot, "slot")
    followingEntries = try coder.u32(known?.followingEntries, "following entries")
    keys = try coder.ascendingList(known?.keys, "keys", cap: Limits.newKeys, by: \.group)
  }
}

/// A key that one of the entries after a revocation or a succession introduces in place of an earlier one.
package struct NewKey: Hashable, Comparable, Fielded {
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

  package init(_ known: NewKey?, _ coder: inout FieldCoder) throws(FormatError) {
    group = try coder.id(known?.group, "group")
    generation = try coder.u32(known?.generation, "generation")
    commitment = try coder.bytes32(known?.commitment, "commitment")
  }
}

/// States of items that their values need not be replaced after a revocation, and why, or takes that back. It grants
/// and removes nothing.
package struct DismissalStatement: Hashable, Fielded {
  /// The entry of the revocation.
  package let revocation: EntryHash
  /// The items in ascending order.
  package let items: [ItemAddress]
  /// Why the values stay as they are; empty if they are to be replaced after all. It can contain any character, so it
  /// must be made safe before it is shown.
  package let reason: String

  package init(of items: some Sequence<ItemAddress>, after revocation: EntryHash, reason: String) {
    self.revocation = revocation
    self.items = Set(items).sorted()
    self.reason = reason
  }

  package init(_ known: DismissalStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    revocation = try coder.hash(known?.revocation, "revocation")
    items = try coder.ascendingList(known?.items, "items", cap: Limits.dismissedItems, by: { $0 })
    reason = try coder.string(known?.reason, "reason", cap: Limits.dismissalReasonByteCount)
  }
}
