#if os(Linux)
  import CofferSystem
  import CofferTestSupport
  import Foundation
  import Testing

  /// `coffer backup schedule`. No test here has a manager of systemd for its user: the units are checked by systemd's
  /// own tool, and their command line is run.
  @Suite struct BackupScheduleTests {
    private let machine: Machine
    private var home: String { machine.directory.path("my \"vaults\" $HOME 100% 'x'") }
    private var folder: String { machine.directory.path("the \"disk\" 100% $HOME") }

    init() throws {
      machine = try Machine()
      machine.environment["COFFER_HOME"] = home
      machine.environment["XDG_CONFIG_HOME"] = machine.directory.path("config")
      // Where no manager listens.
      machine.environment["XDG_RUNTIME_DIR"] = machine.directory.path("runtime")
      for path in [folder, machine.directory.path("runtime")] {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }
      try machine.makeVault()
    }

    /// Writes the units that `--print` shows, and returns their paths, the timer at the end.
    private func writeUnits(_ options: String...) throws -> [String] {
      let units = URL(fileURLWithPath: machine.directory.path("config/systemd/user"))
      let text = try machine.succeed("coffer", ["backup", "schedule", "--print"] + options + [folder])
      try FileManager.default.createDirectory(at: units, withIntermediateDirectories: true)
      var paths: [String] = []
      for part in ("\n" + text).components(separatedBy: "\n# coffer-backup").dropFirst() {
        let end = try #require(part.firstIndex(of: "\n"))
        let path = units.appending(path: "coffer-backup" + part[..<end]).path
        try Data(part[end...].dropFirst().utf8).write(to: URL(fileURLWithPath: path))
        paths.append(path)
      }
      return paths
    }

    private func runUnit(_ unit: String) throws -> Machine.Outcome {
      let text = try String(contentsOfFile: unit, encoding: .utf8)
      let line = try #require(text.firstMatch(of: /\nExecStart=(.*)\n/)?.output.1)
      // What systemd expands; its quotes are those of a shell otherwise.
      let words = line.replacing("%%", with: "%").replacing("$$", with: "\\$")
      return try machine.start("/bin/sh", ["-c", "exec \(words)"], environment: ["COFFER_HOME": "/nowhere"]).wait()
    }

    private var backups: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
    }

    @Test func `systemd accepts the units, and their command line adds a backup and keeps the newest`() throws {
      let paths = try writeUnits("--keep", "2", "--every", "week")
      #expect(paths.count == 2 && paths[1].hasSuffix(".timer"))
      #expect(try UnitCheck.complaints(about: paths) == "")
      let other = folder + "/coffer-letter.backup"
      try Data("a letter".utf8).write(to: URL(fileURLWithPath: other))
      var all: [String] = []
      for _ in 0..<4 {
        let outcome = try runUnit(paths[0])
        #expect(outcome.exitCode == 0, "\(outcome)")
        all += try backups.filter { !all.contains($0) && $0 != "coffer-letter.backup" }
      }
      #expect(try Set(backups) == Set(all.suffix(2) + ["coffer-letter.backup"]), "\(all)")
      let show = try machine.coffer("backup", "schedule")
      #expect(show.contains(folder) && show.contains("week"), "\(show)")
      #expect(show.contains(/Last backup +\d{4}-\d\d-\d\d\s/), "\(show)")
      let report = try machine.coffer("backup", "check", folder + "/" + all[3])
      #expect(report.contains("Everything in it was read and verified"))
    }

    @Test func `A backup of another machine, and a damaged one, are not deleted, whatever their names say`() throws {
      try machine.coffer("backup", "create", "--keep", "1", folder)
      let own = try #require(try backups.first)
      let other = try Machine()
      try other.makeVault()
      try other.coffer("backup", "create", "--keep", "1", folder)
      #expect(try backups.count == 2)
      // A name that claims to be the newest, and a date of the future.
      let renamed = folder + "/coffer-zzzzzzzz.backup"
      try FileManager.default.moveItem(atPath: "\(folder)/\(own)", toPath: renamed)
      try FileManager.default.setAttributes([.modificationDate: Date.distantFuture], ofItemAtPath: renamed)
      let damaged = folder + "/coffer-damaged.backup"
      let bytes = try Data(contentsOf: URL(fileURLWithPath: renamed))
      try bytes.dropLast(40).write(to: URL(fileURLWithPath: damaged))
      let made = try machine.coffer("backup", "create", "--keep", "1", folder)
      #expect(made.contains("Note: ") && made.contains("coffer-damaged.backup"), "\(made)")
      #expect(!FileManager.default.fileExists(atPath: renamed))
      #expect(FileManager.default.fileExists(atPath: damaged))
      #expect(try backups.count == 3)
    }

    @Test func `A second schedule keeps the numbers of the first, and a stopped one is started as it is`() throws {
      let paths = try writeUnits("--keep", "100", "--every", "week")
      let timer = URL(fileURLWithPath: paths[1]).lastPathComponent
      let show = try machine.coffer("backup", "schedule")
      #expect(show.contains("not running (systemctl --user enable --now \(timer))"), "\(show)")
      let same = try machine.coffer("backup", "schedule", "--print", folder)
      #expect(same.contains(" --keep 100 ") && same.contains("OnCalendar=weekly"), "\(same)")
      let other = try machine.coffer("backup", "schedule", "--print", "--keep", "3", folder)
      #expect(other.contains(" --keep 3 ") && other.contains("OnCalendar=weekly"), "\(other)")
    }

    @Test func `A folder that is not there is not created, and doctor says that the backup has failed`() throws {
      let paths = try writeUnits()
      try FileManager.default.removeItem(atPath: folder)
      let outcome = try runUnit(paths[0])
      #expect(outcome.exitCode == 2 && outcome.errors.contains("there is no folder"), "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: folder))
      func doctor() throws -> String { try machine.run("coffer", "doctor").text }
      #expect(try doctor().contains("The last scheduled backup failed"))
      // A backup that somebody makes elsewhere says nothing of the timer.
      let elsewhere = machine.directory.path("elsewhere")
      try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
      try machine.coffer("backup", "create", "--keep", "3", elsewhere)
      #expect(try doctor().contains("The last scheduled backup failed"))
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      #expect(try runUnit(paths[0]).exitCode == 0)
      #expect(try !doctor().contains("The last scheduled backup failed"))
    }

    @Test func `What killed runs have left in the folder is deleted by the next one`() throws {
      for _ in 0..<2 {
        try machine.kill(
          "coffer", ["backup", "create", "--keep", "3", folder], at: FaultStep(point: .backupVerified, occurrence: 1))
      }
      #expect(try backups.contains { $0.hasPrefix(".coffer-") })
      try machine.coffer("backup", "create", "--keep", "3", folder)
      #expect(try backups.count == 1 && backups[0].hasPrefix("coffer-"))
    }

    @Test func `Without systemd nothing is installed, and what is installed is removed without residue`() throws {
      let outcome = try machine.run("coffer", "backup", "schedule", folder)
      #expect(outcome.exitCode == 1 && outcome.errors.contains("crontab"), "\(outcome)")
      // The line that is printed does the same when cron gives it to a shell.
      let line = try #require(outcome.errors.firstMatch(of: /crontab: 0 12 \* \* \* (.*)/)).output.1
      #expect(!line.contains("FOLDER") && !String(line).replacing("\\%", with: "").contains("%"), "\(line)")
      let run = try machine.start(
        "/bin/sh", ["-c", String(line).replacing("\\%", with: "%")], environment: ["COFFER_HOME": "/nowhere"]
      ).wait()
      #expect(try run.exitCode == 0 && backups.count == 1, "\(run)")
      let weekly = try machine.run("coffer", "backup", "schedule", "--every", "week", "--keep", "3", folder)
      #expect(weekly.errors.contains("0 12 * * 1 ") && weekly.errors.contains("--keep 3 "), "\(weekly)")
      let config = machine.directory.path("config")
      #expect(!FileManager.default.fileExists(atPath: config + "/systemd/user/coffer-backup.timer"))
      let paths = try writeUnits()
      let removed = try machine.coffer("backup", "schedule", "--remove")
      #expect(paths.allSatisfy { removed.contains($0) && !FileManager.default.fileExists(atPath: $0) }, "\(removed)")
      #expect(try machine.coffer("backup", "schedule", "--remove") == "No backups were scheduled.")
      #expect(try machine.run("coffer", "backup", "schedule", "--keep", "0", folder).exitCode == 2)
    }
  }
#endif
