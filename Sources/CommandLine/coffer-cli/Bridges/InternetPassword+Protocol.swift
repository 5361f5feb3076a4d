internal import Coffer

extension InternetPassword {
  /// The protocol; nil if none is set, which is stored as 0 or an empty text: it is part of the primary key.
  var namedProtocol: InternetProtocol? { self.protocol.flatMap { ["", "0"].contains($0.rawValue) ? nil : $0 } }
}
