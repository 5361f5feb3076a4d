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
