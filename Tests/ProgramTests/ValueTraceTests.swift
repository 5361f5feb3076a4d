import CofferTestSupport
import Foundation
import Testing

/// Each command that handles a value or a seed, under strace: neither is in an argument, in a file that is not sealed,
/// in a log, or on a stream to which it was not asked to go.
@Suite struct ValueTraceTests {
  private static let value = "s3cret-canary-value"
  private static let seed = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
  private let machine: Machine

  /// A command, what it reads, and whether it may write the value to standard output.
  struct Case: CustomTestStringConvertible, Sendable {
    let arguments: [String]
    var input = ""
    var output = ""

    var testDescription: String { arguments.joined(separator: " ") }
  }

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    try machine.coffer("set", "stored", "jane", input: Self.value)
    try machine.coffer("otp", "add", "stored", "jane", input: Self.seed)
  }

  @Test(arguments: [
    Case(arguments: ["set", "new", "a"], input: value),
    Case(arguments: ["set", "stored", "jane", "--label", "New"], input: value),
    Case(arguments: ["set", "web", "a", "--class", "internet", "--protocol", "HTTPS"], input: value),
    Case(arguments: ["set", "--json-lines"], input: #"{"service": "line", "value": "\#(value)"}"#),
    Case(arguments: ["get", "stored", "jane"], output: value),
    Case(arguments: ["get", "stored", "jane", "--json"], output: value),
    Case(arguments: ["get", "stored", "jane", "--field", "account"]),
    Case(arguments: ["read", "coffer:///stored/jane"], output: value),
    Case(arguments: ["inject", "-i", "-", "-o", "-"], input: "a: {{ coffer:///stored/jane }}", output: value),
    Case(arguments: ["run", "--env", "A=coffer:///stored/jane", "--", "sh", "-c", "test ${#A} = 19"]),
    Case(arguments: ["edit", "stored", "jane", "--comment", "text"]),
    Case(arguments: ["copy", "stored", "jane", "--account", "joe"]),
    Case(arguments: ["move", "stored", "jane", "--to", "com.example.photo.purchases"]),
    Case(arguments: ["list", "--json"]), Case(arguments: ["show", "stored", "jane"]),
    Case(arguments: ["search", "stored"]), Case(arguments: ["history", "stored", "jane"]),
    Case(arguments: ["otp", "stored"]), Case(arguments: ["otp", "stored", "--json"]),
    Case(arguments: ["otp", "add", "stored", "jane", "--replace"], input: seed),
    Case(arguments: ["otp", "uri", "stored"], output: seed), Case(arguments: ["otp", "remove", "stored", "jane"]),
    Case(arguments: ["security", "find-generic-password", "-s", "stored", "-w"], output: value),
    Case(arguments: ["security", "find-generic-password", "-s", "stored"]),
    Case(
      arguments: ["security", "-i"], input: "add-generic-password -s typed -a x -w \(value)\n"),
    Case(arguments: ["delete", "stored", "jane"]),
  ])
  func `A value is nowhere but where it was asked for`(of command: Case) throws {
    let trace = machine.directory.path("trace")
    let calls = "trace=execve,openat,write,pwrite64,writev,pwritev,rename,renameat2,sendto,sendmsg"
    let outcome = try machine.start(
      "coffer", command.arguments, input: Data(command.input.utf8),
      wrapper: ["strace", "-f", "-y", "-s", "1000000", "-e", calls, "-o", trace]
    ).wait()
    guard outcome.exitCode == 0 else { throw SpawnedProgram.Failure(description: "\(outcome)") }
    let secrets = [Self.value, Self.seed]
    let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    #expect(lines.contains { $0.contains("execve(") })
    let found = lines.filter { line in secrets.contains { line.contains($0) } }
    let allowed = found.filter { line in
      !command.output.isEmpty && line.contains(command.output) && line.contains(#/ write\(1</#)
    }
    #expect(found.count == allowed.count, "\(found)")
    #expect(command.output.isEmpty == found.isEmpty, "\(found)")
    #expect(!secrets.contains { outcome.errors.contains($0) }, "\(outcome)")
    // What remains on the disk is sealed.
    for file in machine.files() {
      let bytes = try Data(contentsOf: file)
      for secret in secrets { #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(file.path)") }
    }
  }
}
