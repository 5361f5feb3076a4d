import CofferSystem
import Testing

/// What is known of the other end of a connection.
@Suite struct SocketPeerTests {
  private static let lists: [(String, String?)] = [
    ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/web@one.service\n", "web@one.service"),
    ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/web.service/.control\n", "web.service"),
    ("0::/user.slice/user-1000.slice/session-1.scope\n", "session-1.scope"),
    ("0::/user@1000.service/web.service/libpod-1.scope/container\n", "libpod-1.scope"),
    ("0::/user@1000.service/app.slice/__x.service\n", "_x.service"),
    ("0::/user@1000.service/app.slice/_cpu.service\n", "cpu.service"),
    ("9:pids:/other.service\n1:name=systemd:/system.slice/a.service\n0::/b.service\n", "a.service"),
    ("0::/\n", nil), ("9:pids:/other.service\n", nil), ("", nil), ("x\n0\n", nil),
  ]

  @Test(arguments: lists)
  func `A process belongs to the innermost unit of its control group`(list: String, unit: String?) {
    #expect(SocketPeer.unit(ofControlGroups: list) == unit)
  }
}
