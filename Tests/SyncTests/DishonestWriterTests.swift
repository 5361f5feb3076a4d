import CofferFormat
import CofferTestSupport
import Foundation
import Testing

/// What an app can do to the items of a group that it may write, by bypassing the library.
@Suite struct DishonestWriterTests {
  private let suite: TwoMachines
  private let group = "com.example.photo.purchases"
  /// Another app of the group, on the desktop.
  private let tools = "com.example.tools"

  init() throws {
    suite = try TwoMachines()
    #expect(try suite.desktop.addApp("tools", groups: ["~com.example.photo.purchases"]).exitCode == 0)
    for account in ["bank", "forum"] {
      try suite.desktop.coffer(
        "set", "service", account, "--app", tools, "--group", group, input: "password of the \(account)")
    }
    try suite.desktop.sync()
    try suite.laptop.sync()
  }

  /// Lets the photo app on the laptop publish a version of the item "bank", and lets the desktop import it.
  ///
  /// - Parameters:
  ///   - attributes: What it seals as the attributes.
  ///   - value: The value.
  /// - Returns: The version.
  /// - Throws: An error if the files of the laptop or of the remote cannot be read or written.
  @discardableResult
  private func publish(_ attributes: ItemAttributes, value: String = "password of the thief") throws -> Record {
    let true_ = try suite.laptop.forge([], account: "bank", in: group, by: app)
    let record = try suite.laptop.forge(
      Array(value.utf8), account: "bank", in: group, by: app, bases: Array(suite.laptop.heads(of: true_)),
      sealing: attributes)
    try suite.remote.put([suite.laptop.sealSegment(of: [record.bytes], in: record.header.group)])
    try suite.desktop.sync()
    return record
  }

  private var forum: ItemAttributes {
    ItemAttributes([.service: .string("service"), .account: .string("forum")])
  }

  private func onDesktop(_ words: String...) throws -> Machine.Outcome {
    try suite.desktop.start("coffer", words).wait()
  }

  @Test(arguments: [[], ["--app", "com.example.tools"]])
  func `A version with the attributes of another item is named with its writer, and no reader returns it`(
    actor: [String]
  ) throws {
    let record = try publish(forum)
    let item = "\(record.header.item)"
    for words in [
      ["get", "service", "bank"], ["list"], ["list", "--json"], ["show", "service", "bank"],
      ["history", "service", "bank"],
    ] {
      let outcome = try suite.desktop.start("coffer", words + actor).wait()
      #expect(outcome.exitCode == 6, "\(words): \(outcome)")
      for part in ["attributes are those of another item", "\(app) on laptop", "coffer delete --item \(item)"] {
        #expect(outcome.errors.contains(part), "\(words): \(outcome)")
      }
      #expect(!outcome.text.contains("thief"), "\(words): \(outcome)")
      // The rest stays readable, and the item appears under neither name.
      if words == ["list"] {
        #expect(outcome.text.contains("forum") && !outcome.text.contains("bank"), "\(outcome)")
        #expect(outcome.text.components(separatedBy: "forum").count == 2, "\(outcome)")
      }
    }
    let intact = try suite.desktop.succeed("coffer", ["get", "service", "forum"] + actor)
    #expect(intact == "password of the forum")
    let reader = try suite.desktop.run("coffer", "conflicts")
    #expect(reader.exitCode == 0, "\(reader)")
  }

  @Test func `A damaged version in conflict with a true one does not hide the other conflicts`() throws {
    let laptop = try suite.laptop.forge([], account: "bank", in: group, by: app)
    let heads = Array(try suite.laptop.heads(of: laptop))
    // Beside the version that the desktop writes now, and one of "forum" that is sound.
    let damaged = try suite.laptop.forge([1], account: "bank", in: group, by: app, sealing: forum)
    let sound = try suite.laptop.forge([1], account: "forum", in: group, by: app)
    #expect(heads.count == 1)
    try suite.remote.put([suite.laptop.sealSegment(of: [damaged.bytes, sound.bytes], in: damaged.header.group)])
    try suite.desktop.sync()
    let outcome = try onDesktop("conflicts")
    #expect(outcome.exitCode == 6 && outcome.text.contains("service, forum"), "\(outcome)")
    #expect(outcome.errors.contains("coffer delete --item \(damaged.header.item)"), "\(outcome)")
  }

  @Test func `A headless machine does not return a version with the attributes of another item`() throws {
    let machines = try HeadlessMachine.copy(withCredential: true)
    let marker = try machines.laptop.forge([], account: "marker", in: group, by: app)
    let record = try machines.laptop.forge(
      Array("password of the thief".utf8), account: "marker", in: group, by: app,
      bases: Array(machines.laptop.heads(of: marker)), sealing: forum)
    try machines.remote.put([machines.laptop.sealSegment(of: [record.bytes], in: record.header.group)])
    let outcome = try machines.run("get", "service", "marker")
    #expect(outcome.exitCode == 6 && outcome.text.isEmpty, "\(outcome)")
    #expect(outcome.errors.contains("attributes are those of another item"), "\(outcome)")
  }

  @Test func `A damaged item ends by being set, and by its identifier where it has no name`() throws {
    try publish(forum)
    try suite.desktop.coffer("set", "service", "bank", "--group", group, input: "new")
    #expect(try suite.desktop.coffer("get", "service", "bank") == "new")
    try suite.desktop.sync()
    try suite.laptop.sync()
    #expect(try suite.laptop.coffer("get", "service", "bank", "--app", app, "--group", group) == "new")

    let record = try publish(ItemAttributes([.service: .string("service"), .account: .string("nobody's")]))
    #expect(try onDesktop("list").exitCode == 6)
    let deleted = try suite.desktop.coffer("delete", "--item", "\(record.header.item)")
    #expect(deleted.hasSuffix(group) && deleted.contains("\(record.header.item)"))
    #expect(try onDesktop("list").exitCode == 0)
    #expect(try onDesktop("delete", "--item", "\(record.header.item)").exitCode == 3)
    #expect(try onDesktop("delete", "--item", "12").exitCode == 2)
    #expect(try onDesktop("delete", "--item", "\(record.header.item)", "service", "bank").exitCode == 2)
  }

  @Test(arguments: [[], ["--app", "com.example.tools"]])
  func `An item with every access flag is deleted by the owner and by any app of the group, and set anew afterwards`(
    actor: [String]
  ) throws {
    var attributes = ItemAttributes([.service: .string("service"), .account: .string("bank")])
    attributes[.accessControl] = .data(AccessControl(protection: "ak", flags: .max).bytes)
    try publish(attributes)
    let options = actor + ["--group", group]
    let refused = try suite.desktop.start(
      "coffer", ["set", "service", "bank"] + options, input: Data("new".utf8)
    ).wait()
    #expect(refused.exitCode == 5 && refused.errors.contains("coffer delete"), "\(refused)")
    try suite.desktop.succeed("coffer", ["delete", "service", "bank"] + options)
    try suite.desktop.succeed("coffer", ["set", "service", "bank"] + options, input: "new")
    #expect(try suite.desktop.succeed("coffer", ["get", "service", "bank"] + options) == "new")
    try suite.desktop.sync()
    try suite.laptop.sync()
    #expect(try suite.laptop.coffer("get", "service", "bank", "--app", app, "--group", group) == "new")
  }
}
