import Coffer
import CofferFormat
import CofferInspection
import CofferVault
import Foundation
import Testing

@Suite struct ItemHistoryTests {
  private func details(_ vault: InspectedVault) throws -> ItemDetails {
    let row = try #require(try vault.items().rows.first)
    return try vault.details(of: row.reference, in: row.group)
  }

  @Test func `Versions of all classes have their writer, their attributes and a difference without values`() throws {
    let session = try MemoryInspection()
    let key = KeychainKey(.symmetric, algorithm: .aes, sizeInBits: 256, applicationTag: Data("tag".utf8))
    try session.app.add("value-of-1", for: key)
    var labelled = key
    labelled.label = "Label"
    try session.app.set("value-of-2", for: labelled)
    try session.app.set("value-of-2", for: labelled)
    let seen = try details(session.vault)
    #expect(seen.versionCount == 3)
    let history = try session.vault.history(of: seen.revision)
    #expect(history.revision == seen.revision && history.damaged.isEmpty)
    #expect(history.versions.map(\.isCurrent) == [true, false, false])
    #expect(history.versions.allSatisfy { $0.writer.device == "memory" && !$0.isDeletion && !$0.isInConflict })
    let first = try session.vault.difference(from: history.versions[2], to: history.versions[1])
    #expect(first.attributes.map { [$0.code, $0.name, $0.before, $0.after] } == [["labl", "Label", nil, "Label"]])
    #expect(first.valueDiffers == true)
    let second = try session.vault.difference(from: history.versions[1], to: history.versions[0])
    #expect(second.attributes.isEmpty && second.valueDiffers == false)
    #expect(!"\(seen)\(history)\(first)".contains("value-of"))
    #expect(try session.vault.value(of: seen.revision, version: history.versions[2]).text == "value-of-1")
    try session.vault.restore(history.versions[2], over: seen.revision)
    #expect(try session.app.string(for: key) == "value-of-1")
    #expect(try session.app.storedItem(for: key)?.label == nil)
  }

  @Test func `A deleted item has a history, from which it is restored`() throws {
    let session = try MemoryInspection()
    let name = InternetPassword(server: "s", account: "a")
    try session.app.add("v", for: name)
    let seen = try details(session.vault)
    try session.app.delete(name)
    let history = try session.vault.history(of: seen.revision)
    #expect(history.versions.map(\.isDeletion) == [true, false])
    let revision = try #require(history.revision)
    #expect(code { try session.vault.restore(history.versions[0], over: revision) } == .invalidArgument)
    #expect(code { _ = try session.vault.value(of: seen.revision, version: history.versions[0]) } == .itemNotFound)
    #expect(try session.vault.difference(from: history.versions[1], to: history.versions[0]).valueDiffers == nil)
    try session.vault.restore(history.versions[1], over: revision)
    #expect(try session.app.string(for: name) == "v")
  }

  @Test func `Deleted items are listed until they are restored, and renamed or moved ones are not`() throws {
    let session = try MemoryInspection()
    let names = ["deleted", "renamed", "moved", "kept", "again"].map { GenericPassword(service: $0, account: "a") }
    for name in names { try session.app.add("value-of-\(name.service)", for: name) }
    try session.app.add("v", for: KeychainKey(.symmetric, algorithm: .aes, sizeInBits: 256), in: "com.example.shared")
    let before = try session.vault.items().rows
    try session.app.delete(names[0])
    try session.app.update(names[1]) { $0.service = "new name" }
    try session.app.update(names[2], movingTo: "com.example.shared")
    try session.app.delete(names[4])
    try session.app.add("other", for: names[4])
    try session.app.delete(ItemQuery<KeychainKey>())
    let deleted = try session.vault.deletedItems().rows
    #expect(deleted.map(\.kind) == [.key, .genericPassword] && deleted.map(\.title).last == "deleted")
    #expect(try session.vault.deletedItems(in: "com.example.shared").rows.count == 1)
    #expect(deleted[1].deletedBy.device == "memory" && deleted[1].deleted <= Date())
    #expect(try session.vault.deletedItem(before[0].reference)?.title == "deleted")
    #expect(try session.vault.deletedItem(before[3].reference) == nil)
    #expect(try session.vault.history(of: deleted[1].revision).versions.count == 2)
    try session.vault.restore(deleted[1].version, over: deleted[1].revision)
    #expect(try session.app.string(for: names[0]) == "value-of-deleted")
    #expect(try session.vault.details(of: before[0].reference).row.title == "deleted")
    #expect(try session.vault.deletedItems().rows.map(\.kind) == [.key])
    #expect(!"\(deleted)".contains("value-of"))
  }

  @Test func `Items that are renamed or moved after a deletion leave the deleted item in a list of one`() throws {
    let session = try MemoryInspection()
    let names = ["first", "last", "renamed", "moved"].map { GenericPassword(service: $0, account: "a") }
    for name in names { try session.app.add("v", for: name) }
    try session.app.delete(names[0])
    try session.app.delete(names[1])
    try session.app.update(names[2]) { $0.service = "new name" }
    try session.app.update(names[3], movingTo: "com.example.shared")
    let one = try session.vault.deletedItems(limit: 1)
    #expect(one.rows.map(\.title) == ["last"] && one.isLimited)
    let all = try session.vault.deletedItems(limit: 3)
    #expect(Set(all.rows.map(\.title)) == ["first", "last"] && !all.isLimited)
  }

  @Test func `A list of deleted items says if it may lack some, and an item is found whether or not the list has it`()
    throws
  {
    let session = try MemoryInspection()
    let count = InspectedVault.maximumDeletedItemCount + 1
    for number in 0..<count {
      try session.app.add("v", for: GenericPassword(service: "s\(number)", account: "a"))
    }
    let first = try #require(try session.vault.items(ItemRequest(text: "s0")).rows.first)
    try session.app.delete(GenericPassword(service: "s0", account: "a"))
    #expect(!(try session.vault.deletedItems().isLimited))
    let rest = ItemRequest()
    try session.vault.deleteAll(rest, seen: session.vault.selection(rest).digest)
    let deleted = try session.vault.deletedItems()
    #expect(deleted.rows.count == count - 1 && deleted.isLimited)
    #expect(!deleted.rows.contains { $0.title == "s0" })
    #expect(try session.vault.deletedItem(first.reference)?.title == "s0")
  }

  @Test func `A version of another item is refused`() throws {
    let session = try MemoryInspection()
    for name in ["one", "two"] {
      try session.app.add("value-of-\(name)", for: GenericPassword(service: name, account: "a"))
    }
    let all = try session.vault.items().rows.map { try session.vault.details(of: $0.reference) }
    let version = try #require(try session.vault.history(of: all[1].revision).versions.first)
    #expect(code { try session.vault.restore(version, over: all[0].revision) } == .itemNotFound)
    #expect(code { _ = try session.vault.value(of: all[0].revision, version: version) } == .itemNotFound)
  }

  @Test func `Conflicts of all classes are side by side, and a choice ends them`() throws {
    let session = try TemporaryInspection()
    let password = GenericPassword(service: "s", account: "a")
    let key = KeychainKey(.symmetric, algorithm: .aes, sizeInBits: 256, applicationTag: Data("tag".utf8))
    try session.app.add("1", for: password)
    try session.app.add("1", for: key, in: "com.example.shared")
    try session.write {
      try session.app.set("here", for: password)
      try session.app.set("here", for: key, in: "com.example.shared")
    } _: { other in
      try other.set("there", for: password)
      try other.set("there", for: key, in: "com.example.shared")
    }
    let conflicts = try session.vault.conflicts()
    #expect(conflicts.map(\.kind) == [.genericPassword, .key] && conflicts.map(\.title) == ["s", "tag"])
    for conflict in conflicts {
      #expect(conflict.versions.map(\.isCurrent) == [true, false] && conflict.versions.allSatisfy(\.isInConflict))
      let values = try conflict.versions.map { try session.vault.value(of: conflict.revision, version: $0).text }
      #expect(Set(values) == ["here", "there"])
      #expect(try session.vault.difference(from: conflict.versions[0], to: conflict.versions[1]).valueDiffers == true)
      try session.vault.restore(conflict.versions[1], over: conflict.revision)
      let reference = try #require(conflict.reference)
      let now = try session.vault.details(of: reference)
      #expect(now.conflict.isEmpty && !now.row.hasConflict)
      #expect(try session.vault.value(of: now.revision).text == values[1])
    }
    #expect(try session.vault.conflicts().isEmpty)
    #expect(try session.vault.conflicts(in: "com.example.shared").isEmpty)
  }

  @Test func `A comparison of versions in conflict says what each changed, and whether the values differ`() throws {
    let session = try TemporaryInspection()
    let password = GenericPassword(service: "s", account: "a")
    try session.app.add("1", for: password)
    var labelled = password
    labelled.label = "Label"
    try session.write {
      try session.app.set("here", for: password)
    } _: { other in
      try other.set("1", for: labelled)
    }
    func comparison() throws -> ([ItemVersionRow], ConflictComparison) {
      let conflict = try #require(try session.vault.conflicts().first)
      return (conflict.versions, try session.vault.comparison(of: conflict.versions, at: conflict.revision))
    }
    let (versions, found) = try comparison()
    let changes = versions.map { VersionChange.words(found.changes[$0.identifier]) }
    #expect(Set(changes) == ["value", "label"] && found.valuesDiffer == true)
    #expect(!"\(found)".contains("here"))
  }

  @Test func `Versions in conflict with the same value, and a deletion, are compared as such`() throws {
    let session = try TemporaryInspection()
    let passwords = ["same", "deleted"].map { GenericPassword(service: "s", account: $0) }
    for password in passwords { try session.app.add("1", for: password) }
    try session.write {
      try session.app.set("2", for: passwords[0])
      try session.app.set("2", for: passwords[1])
    } _: { other in
      try other.set("2", for: passwords[0])
      try other.delete(passwords[1])
    }
    let conflicts = try session.vault.conflicts()
    #expect(conflicts.count == 2)
    for conflict in conflicts {
      let found = try session.vault.comparison(of: conflict.versions, at: conflict.revision)
      let changes = Set(conflict.versions.map { VersionChange.words(found.changes[$0.identifier]) })
      let isDeletion = conflict.versions.contains(where: \.isDeletion)
      #expect(changes == (isDeletion ? ["value", "deleted"] : ["value"]))
      #expect(found.valuesDiffer == (isDeletion ? nil : false))
    }
  }
}
