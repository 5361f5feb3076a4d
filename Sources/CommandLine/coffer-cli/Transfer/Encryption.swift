internal import Coffer
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// gpg, as pass calls it to encrypt. It gets the contents through a socket, and gives the sealed file through a pipe.
struct Encryption {
  let recipients: [String]

  /// Returns the sealed contents; nil if gpg fails, which has said why on standard error.
  func run(_ contents: [UInt8]) throws(VaultError) -> [UInt8]? {
    let options = ["--quiet", "--batch", "--yes", "--compress-algo", "none", "--no-encrypt-to", "--encrypt"]
    do throws(SystemError) {
      let input = try Descriptor.socketPair()
      let output = try Descriptor.pipe()
      let child = try ChildProcess.start(
        "gpg", arguments: options + recipients.flatMap { ["--recipient", $0] }, searchesPath: true,
        input: .descriptor(input.theirs.rawValue), output: .descriptor(output.theirs.rawValue))
      let sealed = exchange(contents, input.closeTheirs(), output.closeTheirs())
      return child.wait() == .code(0) && !sealed.isEmpty ? sealed : nil
    } catch {
      throw VaultError(.io, "gpg cannot be started", recoverySuggestion: "install gnupg, and export again")
    }
  }

  /// Writes and reads by turns: neither side waits for the other one with a full pipe.
  private func exchange(_ contents: [UInt8], _ input: borrowing Descriptor, _ output: borrowing Descriptor) -> [UInt8] {
    var rest = contents[...]
    var isOpen = true
    var sealed: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      if rest.isEmpty, isOpen {
        shutdown(input.rawValue, Int32(SHUT_WR))
        isOpen = false
      }
      var descriptors = [
        pollfd(fd: output.rawValue, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isOpen ? input.rawValue : -1, events: Int16(POLLOUT), revents: 0),
      ]
      guard unsafe poll(&descriptors, 2, -1) > 0 else { continue }
      if descriptors[1].revents != 0 {
        let count = unsafe rest.withUnsafeBytes { unsafe Descriptor.send($0, to: input.rawValue) }
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno != EAGAIN, errno != EINTR {
          // gpg has ended, and its exit code says why.
          rest = []
        }
      }
      if descriptors[0].revents != 0 {
        let count = unsafe systemRead(output.rawValue, &chunk, chunk.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return sealed }
        sealed += chunk[..<count]
      }
    }
  }
}
