import Foundation

/// The memory of a running program, as the kernel shows it to root.
package struct ProcessMemory {
  private let identifier: Int

  /// Takes a process by its number.
  package init(of identifier: Int32) { self.identifier = Int(identifier) }

  /// Finds the process that runs `coffer` with the home folder of a machine.
  package init(ofCofferOn machine: Machine) throws {
    guard let found = try machine.processes(named: ["coffer"]).first else { throw CocoaError(.fileNoSuchFile) }
    self.init(of: found)
  }

  /// Returns how often a text occurs in the memory that the process can write.
  package func count(of text: String) throws -> Int {
    let (guarded, ordinary) = try counts(of: text)
    return guarded + ordinary
  }

  /// Returns how often a text occurs in memory that is locked and kept out of core dumps, as libsodium allocates it for
  /// secrets, and in other memory that the process can write.
  package func counts(of text: String) throws -> (guarded: Int, ordinary: Int) {
    try counts(ofHexadecimal: text.utf8.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined())
  }

  /// Counts bytes that are given in hexadecimal, so that the process can look for a secret in its own memory and does
  /// not find what it looks for.
  package func counts(ofHexadecimal digits: String) throws -> (guarded: Int, ordinary: Int) {
    let script = """
      import sys
      found = {True: 0, False: 0}
      regions = []
      for line in open(f"/proc/{sys.argv[1]}/smaps"):
          words = line.split()
          if "-" in words[0] and not words[0].endswith(":"):
              regions.append([words[0], words[1], False])
          elif words[0] == "VmFlags:":
              regions[-1][2] = "lo" in words and "dd" in words
      with open(f"/proc/{sys.argv[1]}/mem", "rb", 0) as memory:
          for bounds, access, guarded in regions:
              start, end = (int(bound, 16) for bound in bounds.split("-"))
              if access.startswith("rw"):
                  try:
                      memory.seek(start)
                      found[guarded] += memory.read(end - start).count(bytes.fromhex(sys.argv[2]))
                  except OSError:
                      pass
      print(found[True], found[False])
      """
    let output = try Command.run("python3", "-c", script, "\(identifier)", digits)
    let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard numbers.count == 2 else { throw CocoaError(.fileReadCorruptFile) }
    return (numbers[0], numbers[1])
  }
}
