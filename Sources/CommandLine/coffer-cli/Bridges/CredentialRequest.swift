internal import Coffer
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// What systemd asks for on a connection: systemd.exec(5) puts it into the name of its end.
struct CredentialRequest: Equatable {
  let unit: String
  let credential: String

  /// The largest size of a credential, in bytes.
  static let maximumByteCount = 1 << 20

  /// Reads the name of the other end of a connection: a NUL, a random number, `/unit/`, the unit, `/` and the credential.
  init?(_ name: [UInt8]) {
    guard name.first == 0, let text = String(validating: name.dropFirst(), as: UTF8.self),
      let match = text.wholeMatch(of: /[0-9a-f]+\/unit\/([A-Za-z0-9:_.\\@\-]+)\/([^\/]+)/)
    else { return nil }
    unit = String(match.output.1)
    credential = String(match.output.2)
  }

  /// Returns the other end of a connection. Throws `invalidArgument` if it is no connection, and `notEntitled` if it is of another
  /// user than this one and root.
  static func peer(of descriptor: Int32) throws(VaultError) -> (name: [UInt8], process: LocalPeer) {
    let peer: (name: [UInt8], process: LocalPeer)
    do throws(SystemError) {
      peer = (try SocketPeer.name(of: descriptor), try SocketPeer.process(of: descriptor))
    } catch {
      throw VaultError(
        .invalidArgument, "standard input is no connection of systemd",
        recoverySuggestion: "let systemd start this with: coffer bridge install systemd")
    }
    guard peer.process.user == geteuid() || peer.process.user == 0 else {
      throw VaultError(
        .notEntitled, "another user (uid \(peer.process.user)) asks for a credential",
        recoverySuggestion: "set SocketMode=0600 in coffer-credentials.socket")
    }
    return peer
  }

  /// Throws `notEntitled` if a process asks that is not the unit's, or that is in a process tree that denies reads.
  /// systemd asks from a process that it has put into the control group of the unit, and a confined program of the same
  /// user, which could not open the vault, cannot enter that. Nothing else is checked if systemd has not started this
  /// process.
  func check(_ peer: LocalPeer) throws(VaultError) {
    // systemd has started this process, so it is not in the tree of who asks.
    guard ProcessLineage.member(peer.process)?.deniesReads != true else { throw VaultError.readsAreDenied }
    guard peer.user != 0, let own = SocketPeer.unit(ofProcess: getpid()),
      own.hasPrefix(SystemdSocketSetting.instancePrefix)
    else { return }
    let asking = SocketPeer.unit(ofProcess: peer.process)
    guard asking != unit else { return }
    throw VaultError(
      .notEntitled, "\(asking?.sanitizedForTerminal() ?? "a process of no unit") asks for a credential of \(unit)",
      recoverySuggestion: "name the socket with LoadCredential= in the unit that needs the credential")
  }

  /// Reads the request in the name of the other end. Throws `invalidArgument` if it is not systemd's.
  static func named(by name: [UInt8]) throws(VaultError) -> CredentialRequest {
    guard let request = CredentialRequest(name) else {
      throw VaultError(
        .invalidArgument, "the connection does not name a unit and a credential as systemd does",
        recoverySuggestion: "name the socket in a unit with: LoadCredential=ID:%t/coffer/credentials")
    }
    return request
  }
}
