import Coffer
import CofferAdministration
import CofferCrypto
import CofferExchange
import CofferFormat
import CofferTestSupport
import CofferVault
import Foundation

/// Machines that join by an invitation, and an admin who is killed while it enrols them.
extension World {
  func invite() throws {
    let admins = machines.filter { $0.isAdmin && $0.link.view == nil && !isAway($0) }
    guard host.isHonest, machines.count < 6, !admins.isEmpty else { return }
    let admin = generator.pick(admins)
    let code = try act(admin) {
      try InvitationCreation(in: admin.local).run(
        InvitationCreation.Request(
          isForAdmin: false, applications: [admin.local.application(named: WorldMachine.app)], name: nil,
          expires: Timestamp.now.date.addingTimeInterval(3_600))
      ).code
    }
    let newcomer = try InvitedMachine(named: "invited-\(step)", in: folder, over: WorldLink(to: host), with: code)
    guard try newcomer.answer() == nil else { throw WorldFault("\(newcomer.name) was answered before it had asked") }
    try plainSync(admin, "sync", mayFail: false)
    try approve(admin)
    try plainSync(admin, "sync", mayFail: false)
    guard let answer = try newcomer.answer() else { throw WorldFault("\(newcomer.name) has no answer") }
    try newcomer.enrol(by: answer)
    let machine = try WorldMachine(named: newcomer.name, on: newcomer.disk, link: newcomer.link, isAdmin: false)
    machines.append(machine)
    note("invite", "\(machine.name) by \(admin.name)")
    try plainSync(machine, "sync", mayFail: false)
  }

  /// Approves the request that waits. An admin that is killed meanwhile approves it after a sync, unless that is done.
  private func approve(_ admin: WorldMachine) throws {
    func approve() throws -> Bool {
      try act(admin) {
        let approval = InvitationApproval(in: admin.local)
        guard let proposal = try approval.waitingProposal() else { return false }
        try approval.publish(proposal, passphrase: .unavailable, by: admin.publication) { () throws(VaultError) in nil }
        return true
      }
    }
    if chance(20) {
      cutting(admin.link, within: 6) { _ = try? approve() }
      note("cut approval", admin.name)
      try plainSync(admin, "sync", mayFail: false)
      _ = try approve()
    } else if chance(50) {
      let remains = try admin.killing(at: 1 + number(below: 30)) { _ = try? approve() }
      guard let remains else { return }
      try admin.restart(from: remains)
      note("killed approval", "\(admin.name) at \(remains.point)")
      try plainSync(admin, "sync", mayFail: false)
      _ = try approve()
    } else if try !approve() {
      throw WorldFault("\(admin.name) has received no request")
    }
  }
}

/// A machine that asks to be enrolled.
struct InvitedMachine {
  let name: String
  let disk: URL
  let link: WorldLink
  private let staging: StagingFolder
  private let enrolment: InvitedEnrolment

  init(named name: String, in folder: URL, over link: WorldLink, with code: InvitationCode) throws {
    (self.name, self.link) = (name, link)
    disk = folder.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
    staging = try StagingFolder.waiting(for: VaultLocation(folder: WorldMachine.vault(on: disk)))
    _ = try VaultDownload(access: link.access).run(from: WorldMachine.url, into: staging.folder)
    enrolment = try InvitedEnrolment.begin(
      in: staging.folder, code: code, url: WorldMachine.url, name: name, protection: .none)
  }

  /// Asks, and looks for an answer once; nil if there is none.
  func answer() throws -> [UInt8]? {
    do throws(VaultError) {
      return try EnrolmentRequestExchange(
        invitation: enrolment.invitation.description, label: enrolment.label.hex, access: link.access
      ).answer(to: enrolment.file, at: WorldMachine.url, in: staging.folder, timeout: .zero) { _ in false }
    } catch {
      guard error.code == .network else { throw error }
      return nil
    }
  }

  /// Builds the vault by an answer.
  func enrol(by answer: [UInt8]) throws {
    let admission = try enrolment.open(answer)
    try? FileManager.default.removeItem(at: staging.folder.incoming)
    _ = try VaultDownload(access: link.access).run(from: WorldMachine.url, into: staging.folder)
    let local = try enrolment.finish(admission)
    try WorldMachine.publication(over: link).sync(staging.folder)
    _ = try InvitedEnrolment.installApps(in: local, passphrase: .unavailable)
    try staging.moveIntoPlace()
    InvitedEnrolment.forgetRequest(in: VaultFolder(WorldMachine.vault(on: disk)))
  }
}
