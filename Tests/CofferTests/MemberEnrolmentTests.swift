import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import CofferVault
import Testing

@testable import Coffer

/// A machine that is elsewhere, and is enrolled from what it states of itself.
@Suite struct MemberEnrolmentTests {
  private let fixture: TemporaryVault
  private let device = PartyKeys.random()
  private let delivery = AgreementKey.random()

  init() throws {
    fixture = try TemporaryVault()
    try fixture.app("com.example.one", groups: ["~com.example.shared"])
    try fixture.app("com.example.two", groups: ["~com.example.shared", "~com.example.private"])
  }

  private func request(admin: PartyKeys? = nil) -> DeviceStatement {
    let role = admin.map { DeviceStatement.Role.admin($0.publicKeys, delivery: delivery.publicKey) }
    return DeviceStatement(keys: device.publicKeys, role: role ?? .member(delivery: delivery.publicKey), name: "ci")
  }

  @Test func `An admin enrols a member and gives it an app without the vault key and without any key of the member`()
    throws
  {
    let one = try fixture.local.application(named: "com.example.one")
    let session = try AdminSession.open(fixture.local, allowingLogFork: false, passphrase: .unavailable)
    let machine = try session.change(allowingLogFork: false) { draft in
      let machine = try draft.enrol(request(), by: session.signer, key: session.keys.signing)
      let app = try #require(draft.membership.apps[one])
      try draft.deliver(app, to: machine, by: session.signer, key: session.keys.signing)
      try draft.grantGroups(of: app.entitlements, by: session.signer, with: session.keys)
      return machine
    }.result
    let membership = try fixture.local.membership()
    #expect(membership.devices[machine]?.role == .member && membership.devices[machine]?.name == "ci")
    #expect(membership.offeredApps(on: machine) == [one])
    let author = try #require(membership.delivered(one, to: machine).first)
    let keys = try #require(author.delivery).open(with: delivery, expecting: author.keys)
    #expect(!membership.groups.isEmpty)
    for group in membership.groups.values {
      let opened = try group.keys(for: author.id, opening: keys.agreement)
      #expect(opened.isEmpty == (membership.access(of: author, to: group.id) == nil), "\(group.name)")
    }
    // A second time nothing is new, and an app that it was not given is.
    let registration = AppRegistration(fixture.local, passphrase: .unavailable)
    let again = try registration.deliver(one, to: machine)
    #expect(!again.isNew && again.position == nil)
    let two = try registration.deliver(fixture.local.application(named: "com.example.two"), to: machine)
    #expect(two.isNew && two.position != nil)
  }

  @Test func `An admin cannot enrol another admin`() throws {
    let session = try AdminSession.open(fixture.local, allowingLogFork: false, passphrase: .unavailable)
    #expect(throws: VaultError.self) {
      try session.change(allowingLogFork: false) { draft in
        try draft.enrol(request(admin: .random()), by: session.signer, key: session.keys.signing)
      }
    }
  }
}
