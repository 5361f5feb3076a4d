#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// Every command of `coffer` in a process tree that `coffer run --deny-reads` has started.
  @Suite struct DeniedCommandTests {
    private static let secret = "s3cret-value"
    private static let seed = "GEZDGNBVGY3TQOJQ"
    private static let denial = "`coffer run --deny-reads` has started this process tree"

    /// A command line that hands a value out.
    private struct Showing {
      let words: [String]
      var input = ""
      /// What is in the output only if a value is; empty for any output.
      var value = secret

      init(_ line: String, _ more: String..., input: String = "", value: String = secret) {
        words = line.split(separator: " ").map(String.init) + more
        self.input = input
        self.value = value
      }
    }

    /// The commands that hand values out, with command lines that do.
    private static let showing: [String: [Showing]] = [
      "get": [
        Showing("get github.com jane"), Showing("get github.com"), Showing("get github.com jane --json"),
        Showing("get github.com jane --raw"), Showing("get github.com jane --group coffer.personal"),
        Showing("get otp.example --field otp", value: ""),
      ],
      "read": [
        Showing("read coffer:///github.com/jane"),
        Showing("read coffer:///otp.example/jane#otp", value: ""),
      ],
      "edit": [Showing("edit github.com jane --value")],
      "inject": [Showing("inject --in template --out -")], "env": [Showing("env variables")],
      "export": [Showing("export json export.json --yes")],
      // One could guess values by comparing one's own with them.
      "health": [Showing("health", value: ""), Showing("health --json", value: "")],
      "history": [Showing("history github.com jane --show"), Showing("history github.com jane --show --json")],
      "otp": [Showing("otp otp.example jane", value: ""), Showing("otp otp.example jane --json", value: "\"code\"")],
      "otp uri": [Showing("otp uri otp.example jane", value: seed)],
      "key export": [Showing("key export deploy", value: "PRIVATE KEY")],
      "security": [
        Showing("security find-generic-password -s github.com -a jane -w"),
        Showing("security find-internet-password -s git.example -a u -w"),
      ],
      "bridge git": [Showing("bridge git get", input: "protocol=https\nhost=git.example\n\n")],
      "bridge docker": [Showing("bridge docker get", input: "docker.example")],
      "bridge keyring": [
        Showing("bridge keyring get keyring.example jane"), Showing("bridge keyring get --mode creds keyring.example"),
      ],
      "bridge cargo": [
        Showing(
          "bridge cargo --cargo-plugin",
          input: "{\"v\":1,\"kind\":\"get\",\"operation\":\"read\",\"registry\":{\"index-url\":\"cargo.example\"}}\n")
      ],
      "bridge aws": [Showing("bridge aws default")], "bridge kubectl": [Showing("bridge kubectl admin")],
      "bridge ansible": [Showing("bridge ansible")],
      "bridge ssh-askpass": [
        Showing("bridge ssh-askpass", "Enter passphrase for key '/home/jane/key': "),
        Showing("bridge ssh-askpass", "Password for 'https://u@git.example': "),
      ],
      "vault-key show": [Showing("vault-key show --yes", value: "COFFER")],
    ]

    /// The commands whose values other tests need other scenes for: this process tree gets none of them, see their
    /// suites.
    private static let elsewhere: Set = [
      // Without a conflict there is nothing to show; the values come from the same function as those of `history`.
      "conflicts",
      // It needs a PKCS #12 file; the key comes from the same function as that of `key export`.
      "identity export",
      // It answers on a connection: SystemdBridgeTests.
      "bridge systemd",
      // The pages do not open, and new keys are refused: DeniedReadsTests.
      "inspect", "vault-key rotate", "device create",
    ]

    /// The commands that hand no value out.
    private static let silent: Set = [
      "init", "pair", "join", "clone", "status", "passphrase change", "passphrase set", "vault-key check", "unlock",
      "lock", "agent status", "agent log", "agent install", "agent remove", "set", "list", "search", "show", "move",
      "copy",
      "delete", "otp add", "otp remove", "certificate import", "certificate export", "key import", "identity import",
      "restore", "import", "bridge install", "bridge list", "bridge remove", "secret-service install",
      "secret-service status", "secret-service remove", "remote set", "remote show", "remote remove", "sync",
      "service install", "service status", "service remove", "compact", "app add", "app install", "app list",
      "app reinstall", "app remove", "app show", "app sign", "app uninstall", "team create", "receipt key",
      "receipt issue", "receipt show", "group list",
      "group create", "group delete", "group require", "why", "graph", "device list", "device invite", "device approve",
      "device rename", "device revoke", "admin add", "admin list", "admin remove", "log", "log show", "log resolve",
      "check", "doctor",
      "backup", "backup create", "backup check", "backup restore", "backup schedule", "rotate", "rotate list",
      "rotate dismiss",
      "refused", "refused list", "refused adopt", "refused discard",
      // It gives values to its program, and masks what that prints.
      "run",
    ]

    private func machine() throws -> Machine {
      let machine = try Machine()
      try machine.coffer("set", "github.com", "jane", input: Self.secret)
      try machine.coffer("otp", "add", "--new", "otp.example", "jane", input: Self.seed)
      let aws = "{\"AccessKeyId\":\"AKIA\",\"SecretAccessKey\":\"\(Self.secret)\"}"
      for (service, account, value) in [
        ("keyring.example", "x", ""), ("cargo.example", "cargo", Self.secret), ("aws", "default", aws),
        ("kubectl", "admin", Self.secret), ("ansible-vault", "default", Self.secret),
        ("ssh", "/home/jane/key", Self.secret),
      ] where !value.isEmpty {
        try machine.coffer("set", service, account, input: value)
      }
      try machine.coffer("bridge", "keyring", "set", "keyring.example", "jane", input: Self.secret)
      try machine.coffer(
        "bridge", "docker", "store",
        input: "{\"ServerURL\":\"docker.example\",\"Username\":\"u\",\"Secret\":\"\(Self.secret)\"}")
      try machine.coffer(
        "bridge", "git", "store", input: "protocol=https\nhost=git.example\nusername=u\npassword=\(Self.secret)\n\n")
      let key = machine.directory.path("key.pem")
      try Command.run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key)
      try machine.coffer("key", "import", key, "--label", "deploy")
      _ = try machine.directory.write("template", "{{ coffer:///github.com/jane }}")
      _ = try machine.directory.write("variables", "A=coffer:///github.com/jane\n")
      machine.environment["EDITOR"] = "cat"
      return machine
    }

    /// Runs a command line, and returns what it has printed, and written to the file of the line that exports.
    private func outcome(of words: [String], _ input: String, on machine: Machine) throws -> String {
      let file = machine.directory.path("export.json")
      try? FileManager.default.removeItem(atPath: file)
      let folder = ["env", "--chdir", machine.directory.path]
      let outcome = try machine.start("coffer", words, input: Data(input.utf8), wrapper: folder).wait()
      let exported = FileManager.default.contents(atPath: file) ?? Data()
      return outcome.text + outcome.errors + String(decoding: exported, as: UTF8.self)
    }

    @Test func `Each command hands no value out to the tree, although no passphrase protects the vault`() throws {
      let names = Set(try CommandTree.read().leaves.map(\.name))
      let known = Set(Self.showing.keys).union(Self.elsewhere).union(Self.silent)
      // A new command belongs into one of the three lists.
      #expect(names.subtracting(known).isEmpty, "\(names.subtracting(known).sorted())")
      let machine = try machine()
      for (name, lines) in Self.showing.sorted(by: { $0.key < $1.key }) {
        for line in lines {
          let coffer = Machine.path(of: "coffer")
          let denied = try outcome(of: ["run", "--deny-reads", "--", coffer] + line.words, line.input, on: machine)
          #expect(denied.contains(Self.denial), "\(name): \(denied)")
          for secret in [Self.secret, Self.seed, "PRIVATE KEY"] {
            #expect(!denied.contains(secret), "\(name): \(denied)")
          }
          // As a control, the same line hands the value out elsewhere.
          let free = try outcome(of: line.words, line.input, on: machine)
          #expect(!free.isEmpty && (line.value.isEmpty || free.contains(line.value)), "\(name): \(free)")
        }
      }
    }

    @Test func `Changes that look at values without showing them go on in the tree`() throws {
      let machine = try machine()
      let coffer = Machine.path(of: "coffer")
      for (line, input) in [
        ("set github.com jane", "changed"), ("edit github.com jane --label Label", ""),
        ("copy github.com jane --to coffer.personal --account joe", ""), ("delete github.com joe", ""),
        ("bridge keyring set keyring.example jane", Self.secret),
        ("bridge git store", "protocol=https\nhost=git.example\nusername=u\npassword=other\n\n"),
        ("bridge git erase", "protocol=https\nhost=git.example\nusername=u\npassword=other\n\n"),
        ("history github.com jane", ""), ("otp remove otp.example jane", ""), ("check", ""),
      ] {
        let outcome = try machine.start(
          "coffer", ["run", "--deny-reads", "--", coffer] + line.split(separator: " ").map(String.init),
          input: Data(input.utf8)
        ).wait()
        #expect(outcome.exitCode == 0, "\(line): \(outcome)")
      }
      #expect(try machine.coffer("get", "github.com", "jane") == "changed")
      #expect(try !machine.coffer("list").contains("git.example"))
    }
  }
#endif
