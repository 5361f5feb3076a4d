import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Refused versions that no key of this machine opens: of a group, or of a key, that the membership log does not
/// contain.
@Suite struct UnreadableRefusedRecordTests {
  private struct Refused: Decodable {
    let version: String
    let group: String?
    let service: String?
    let account: String?
    let writerApp: String?
    let writerMachine: String?
    let obstacle: String?
  }

  private let suite: TwoMachines
  private let purchases = "com.example.photo.purchases"

  init() throws { suite = try TwoMachines() }

  /// Lets the laptop publish a version that its app signed, under a key that nobody else has.
  ///
  /// - Parameters:
  ///   - name: The access group, without the team.
  ///   - generation: The generation of its key.
  /// - Throws: An error if the files of the laptop or of the remote cannot be read or written.
  private func publish(in name: String, generation: UInt32) throws {
    let local = try suite.laptop.local
    let membership = try local.membership()
    let own = try local.folder.credentialFile(of: local.application(named: app)).read(Credential.self)
      .open(passphrase: nil, in: membership.vault)
    let group = GroupID(vault: membership.vault, name: "\(membership.team).\(name)")
    let keys = GroupKeys.random(group: group).later(generation: generation)
    let attributes = ItemAttributes([.service: .string("service"), .account: .string("hidden")])
    let header = RecordHeader(
      vault: membership.vault, group: group, generation: generation,
      item: keys.itemID(.genericPassword, isSynchronizable: false, attributes: attributes),
      itemClass: .genericPassword, content: .value, isDeviceLocal: false, bases: [], time: .now,
      author: AuthorID(vault: membership.vault, keys: own.publicKeys), tokens: [])
    let record = Record(
      header: header, attributes: attributes, value: [1], keys: keys, signer: own.signing)
    try suite.remote.put([suite.laptop.sealSegment(of: [record.bytes], in: group)])
  }

  private func expectUnreadable(group: String?, _ words: String) throws {
    _ = try suite.desktop.run("coffer", "sync")
    #expect(try suite.desktop.status("refusedRecords") == "1")
    let list = try JSONDecoder().decode([Refused].self, from: Data(suite.desktop.coffer("refused", "--json").utf8))
    let record = try #require(list.first)
    #expect(list.count == 1 && record.obstacle == "no-key" && record.service == nil && record.account == nil)
    #expect(record.group.map { $0.hasSuffix(group ?? "-") } == group.map { _ in true })
    #expect(record.writerApp?.hasSuffix(app) == true && record.writerMachine == "laptop")
    let text = try suite.desktop.coffer("refused")
    #expect(text.contains("no key opens it here") && text.contains("\(app) on laptop"), "\(text)")
    for options in [[record.version], [record.version, "--force"]] {
      let adopted = try suite.desktop.start("coffer", ["refused", "adopt"] + options).wait()
      #expect(adopted.exitCode == 4 && adopted.errors.contains(words), "\(adopted)")
      #expect(adopted.errors.contains("coffer sync"), "\(adopted)")
    }
    let all = try suite.desktop.run("coffer", "refused", "adopt", "--all", "--force")
    #expect(all.exitCode == 0 && all.errors.contains("nothing to adopt"), "\(all)")
    #expect(try suite.desktop.coffer("check") == "The store matches its signed objects.")
  }

  @Test func `A version of a group that the log does not contain is named as unreadable, and cannot be adopted`() throws
  {
    try publish(in: "com.example.nowhere", generation: 1)
    try expectUnreadable(group: nil, "the membership log does not contain the access group")
  }

  @Test func `A version under a key that the log does not contain is named as unreadable, and cannot be adopted`()
    throws
  {
    try publish(in: purchases, generation: 7)
    try expectUnreadable(group: purchases, "the membership log does not contain the key of")
  }
}
