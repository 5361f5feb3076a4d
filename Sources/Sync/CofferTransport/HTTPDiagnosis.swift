internal import CCurl
internal import CofferSystem

/// Finds out why a request failed. A hostile server can say anything, so what it says only adds to the wording.
struct HTTPDiagnosis {
  let address: RemoteAddress
  let hasOwnAuthorities: Bool

  /// Returns the error for a response that is none of git's.
  func failure(of head: HTTPClient.Head, saying text: String) -> TransportFailure {
    let words = text.sanitizedForTerminal(limit: 500, foldsWhiteSpace: true)
    let said = words.isEmpty ? "" : ". The remote said: \(words)"
    switch head.status {
    case 401:
      return TransportFailure(
        .authenticationFailed, "the server asks for a password in the middle of a push (401)\(said)",
        recoverySuggestion: "check that the user may push")
    case 403:
      return TransportFailure(
        .permissionDenied, "the server does not permit it (403)\(said)",
        recoverySuggestion: "check that the user may read and push, and that the token has the scope for it")
    case 404, 410:
      return TransportFailure(
        .noRepository, "no git repository at \(address.text) (\(head.status))\(said)",
        recoverySuggestion: "check the URL; hosts also say this of a repository that the user may not see")
    case 407:
      return proxyRefusal(407)
    case 413:
      return TransportFailure(
        .rejected, "the server does not accept a push of this size (413)\(said)",
        recoverySuggestion: "raise the server's limit (nginx: client_max_body_size), and run: coffer sync")
    case 429:
      return TransportFailure(
        .unreachable, "the server asks to wait (429)\(said)",
        recoverySuggestion: "sync again in a few minutes")
    case 507:
      return TransportFailure(
        .rejected, "the server has no space left (507)\(said)",
        recoverySuggestion: "free some space there, and sync again")
    case 500...599:
      return TransportFailure(
        .unreachable, "the server has failed (\(head.status))\(said)",
        recoverySuggestion: "sync again in a while; if it stays, look at the server's log")
    default:
      return TransportFailure(
        .protocolError, "the server answered with the status \(head.status)\(said)",
        recoverySuggestion: "check the URL")
    }
  }

  /// Returns the error for a response that says that all is well, and is something else than git's.
  func notGit(_ contentType: String) -> TransportFailure {
    let type = contentType.isEmpty ? "nothing" : contentType.sanitizedForTerminal(limit: 80)
    let what = contentType == "text/html" ? "a page for people, perhaps that of a login" : type
    return TransportFailure(
      .protocolError, "the server answered with something else than git: \(what)",
      recoverySuggestion:
        "check the URL; a network that asks for a login shows its page instead: open the URL in a browser")
  }

  func badRedirect(_ what: String, recoverySuggestion: String = "check the URL") -> TransportFailure {
    TransportFailure(.protocolError, "the server \(what)", recoverySuggestion: recoverySuggestion)
  }

  /// Returns the error for a request without a complete response, from what libcurl found. `isAnswered` is whether a
  /// part of a response of git has arrived.
  func failure(of problem: HTTPClient.Problem, isAnswered: Bool) -> TransportFailure {
    if problem.proxyStatus != 0 { return proxyRefusal(problem.proxyStatus) }
    let text = problem.text
    switch problem.code {
    case CURLE_COULDNT_RESOLVE_PROXY:
      return TransportFailure(.unreachable, "the proxy is unknown: \(text)", recoverySuggestion: Self.proxyAdvice)
    case CURLE_COULDNT_RESOLVE_HOST:
      return TransportFailure(.unreachable, text, recoverySuggestion: "check the host's name, and the network")
    case CURLE_COULDNT_CONNECT:
      return TransportFailure(
        .unreachable, text, recoverySuggestion: "check the URL, the network and the proxy (\(Self.proxyVariables))")
    case CURLE_OPERATION_TIMEDOUT: return TransportFailure(.timedOut, text)
    case CURLE_PEER_FAILED_VERIFICATION: return untrusted(text)
    case CURLE_SSL_CACERT_BADFILE:
      return TransportFailure(
        .io, "the file with the certificate authorities cannot be read: \(text)",
        recoverySuggestion: "give a file of certificates in PEM form: coffer remote set --ca-file FILE URL")
    case CURLE_SSL_CONNECT_ERROR: return handshake(text)
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return TransportFailure(
        .protocolError, "the server closed the connection\(isAnswered ? " in the middle" : ""): \(text)",
        recoverySuggestion: "sync again")
    default: return TransportFailure(.protocolError, text)
    }
  }

  private func untrusted(_ text: String) -> TransportFailure {
    let lowercased = text.lowercased()
    let (what, suggestion): (String, String) =
      if lowercased.contains("expired") {
        ("the server's certificate has expired", "renew it on the server, and check this machine's clock")
      } else if lowercased.contains("not yet valid") {
        ("the server's certificate is not valid yet", "check this machine's clock")
      } else if lowercased.contains("subject name") || lowercased.contains("does not match") {
        (
          "the server's certificate is for another host than \(address.host)",
          "check the URL: somebody may be between this machine and the host"
        )
      } else if hasOwnAuthorities {
        (
          "the server's certificate is of an authority that is not in the file of --ca-file",
          "give the file with the right authority: coffer remote set --ca-file FILE URL"
        )
      } else {
        (
          "the server's certificate is of an unknown authority",
          "if it is one of your own, give its certificate: coffer remote set --ca-file FILE URL"
        )
      }
    return TransportFailure(.authenticationFailed, "\(what) (\(text))", recoverySuggestion: suggestion)
  }

  private func handshake(_ text: String) -> TransportFailure {
    let lowercased = text.lowercased()
    if lowercased.contains("wrong version number") {
      return TransportFailure(
        .protocolError, "the server does not speak TLS at this port (\(text))", recoverySuggestion: "check the URL")
    }
    if lowercased.contains("protocol version") || lowercased.contains("unsupported protocol") {
      return TransportFailure(
        .protocolError, "the server has only versions of TLS before 1.2, which are not secure (\(text))",
        recoverySuggestion: "enable TLS 1.2 or 1.3 on the server")
    }
    return TransportFailure(
      .protocolError, "no TLS connection: \(text)", recoverySuggestion: "check the URL and the server")
  }

  private func proxyRefusal(_ status: Int) -> TransportFailure {
    guard status == 407 else {
      return TransportFailure(
        .unreachable, "the proxy refuses the connection (\(status))", recoverySuggestion: Self.proxyAdvice)
    }
    return TransportFailure(
      .authenticationFailed, "the proxy asks for a password (407)",
      recoverySuggestion:
        "give user name and password in the proxy's URL, for example https_proxy=http://USER:PASSWORD@HOST")
  }

  private static let proxyVariables = "https_proxy, http_proxy, all_proxy, no_proxy"
  private static let proxyAdvice = "check the proxy, and the variables \(proxyVariables)"
}

/// Why a transfer failed. The program that has started this one shows it.
package struct TransportFailure: Error, Hashable, Sendable {
  /// The kind of an error, by the name that `GitError.Code` has for it.
  package enum Code: String, Sendable {
    case unreachable, authenticationFailed, noRepository, timedOut, rejected, permissionDenied, missingProgram
    case protocolError, io, invalidURL
  }

  package let code: Code
  /// One line that is safe for a terminal.
  package let message: String
  /// What the user can do, as an instruction; nil if there is no advice.
  package let recoverySuggestion: String?

  package init(_ code: Code, _ message: String, recoverySuggestion: String? = nil) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
  }
}
