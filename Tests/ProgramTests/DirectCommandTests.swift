import ArgumentParser
@testable import CofferProgram
@testable import CofferSyncProgram
import CofferTestSupport
import Testing

/// Command lines that are read without ArgumentParser.
@Suite struct DirectCommandTests {
  @Test(arguments: [
    ["get", "service", "account"], ["get", "service", "account", "--app", "com.example.app"],
    ["get", "--raw", "service", "--group", "group", "account", "--app", "a", "--passphrase-file", "/file"],
    ["get", "help", "get"], ["get", "service"], ["set", "service"], ["get", "two words", "ä"],
    ["get", "a", "b", "--json"],
    ["set", "service", "account"],
    [
      "set", "--label", "A label", "service", "account", "--allow-empty", "--strip-newline", "--app", "a", "--group",
      "g",
      "--passphrase-file", "f",
    ],
    ["list"], ["ls"], ["list", "service", "--json"], ["list", "--tree", "--json"],
    ["ls", "--app", "a", "--group", "g", "--passphrase-file", "f"],
    ["otp", "service"], ["otp", "service", "account", "--json"], ["otp", "coffer:///service/account", "--app", "a"],
    ["sync"], ["sync", "--json"], ["sync", "--verbose", "--json"],
  ])
  func `A plain command line is read as ArgumentParser reads it`(arguments: [String]) throws {
    let command = try #require(DirectCommand.find(in: arguments))
    let parsed = try CofferCommand.parseAsRoot(arguments)
    #expect(type(of: command) == type(of: parsed))
    #expect(String(describing: command) == String(describing: parsed))
  }

  @Test(arguments: [
    [], ["--version"], ["help"], ["get"], ["get", "a", "b", "c"], ["get", "a", "b", "--app"],
    ["get", "a", "b", "--help"], ["get", "a", "b", "--version"], ["get", "-h"], ["get", "--", "a", "b"],
    ["get", "a", "b", "--app=a"], ["get", "", "b"], ["get", "a", "b", "--json", "--raw"],
    ["get", "a", "b", "--class", "internet-password"], ["set", "--reference", "inet/0"],
    ["set", "a", "b", "--generate-completion-script", "bash"], ["list", "a", "b"], ["list", "a", "--tree"],
    ["ls", "-h"], ["otp"], ["otp", "add", "a"], ["otp", "code", "a"], ["otp", "rm", "a"], ["otp", "help"],
    ["otp", "a", "--clip"], ["otp", "coffer:///a/b", "c"], ["sync", "now"],
    ["sync", "--vault", "folder"], ["delete", "a", "b"], ["status"], ["got", "a", "b"],
  ])
  func `Every other command line is left to ArgumentParser`(arguments: [String]) {
    #expect(DirectCommand.find(in: arguments) == nil)
  }

  @Test func `coffer-sync reads a plain sync as ArgumentParser reads it`() throws {
    for arguments in [
      ["sync"], ["sync", "--json"], ["sync", "--verbose"], ["sync", "--json", "--vault", "/folder"],
    ] {
      let command = try #require(CofferSyncProgram.SyncCommand.read(arguments[...]))
      let parsed = try CofferSyncCommand.parseAsRoot(arguments)
      #expect(String(describing: command) == String(describing: parsed))
    }
    for arguments in [[], ["download"], ["sync", "--vault"], ["sync", "--help"], ["sync", "now"]] {
      #expect(CofferSyncProgram.SyncCommand.read(arguments[...]) == nil)
    }
  }

  // Scripts/link-programs gives the programs a parser that does not examine them.
  @Test func `ArgumentParser finds no mistake in the definitions of the options of any command`() {
    func examine(_ command: any ParsableCommand.Type) -> Int {
      #expect(!command.helpMessage().isEmpty)
      return command.configuration.subcommands.map(examine).reduce(1, +)
    }
    #expect(examine(CofferCommand.self) > 100)
    #expect(examine(CofferSyncCommand.self) > 5)
  }

  @Test func `The version is the same by both ways`() throws {
    let machine = try Machine()
    let direct = try machine.coffer("--version")
    #expect(try machine.coffer("get", "a", "b", "--version") == direct && !direct.isEmpty)
  }
}
