import CofferSystem
import Foundation
import Testing

@Suite struct CurrentProcessTests {
  @Test func `Replacing the program runs the other one in this process`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      try CurrentProcess.replace(with: "/bin/sh", arguments: ["-c", "exit $1", "sh", "7"])
    }
  }

  @Test func `A program that does not exist replaces nothing`() throws {
    let error = try #require(throws: SystemError.self) {
      try CurrentProcess.replace(with: "/absent/program", arguments: [])
    }
    #expect(error.isNotFound)
    #expect(error.description == "cannot start /absent/program: No such file or directory")
  }

  @Test func `A hardened process writes no core dump and hides its memory`() async {
    await #expect(processExitsWith: .success) {
      try CurrentProcess.harden()
      var limit = rlimit()
      unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      #expect(limit.rlim_cur == 0 && limit.rlim_max == 0)
      // The files of a process that is not dumpable belong to root.
      var status = stat()
      unsafe stat("/proc/self/mem", &status)
      #expect(status.st_uid == 0)
    }
  }

  @Test func `A test has no elevated privileges`() {
    #expect(!CurrentProcess.hasElevatedPrivileges)
  }
}
