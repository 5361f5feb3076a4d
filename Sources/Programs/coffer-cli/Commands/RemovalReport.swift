internal import Coffer
internal import CofferAdministration

/// What was removed from a vault, in the output of `--json`. As everywhere, a machine has a `name`, an app an `id`, and a
/// group its name as `group`.
struct RemovalReport: Encodable {
  private struct Machine: Encodable {
    let name: String
    let machineID: String
  }
  private struct App: Encodable { let id: String }
  private struct DeliveredApp: Encodable {
    let id: String
    let machine: String
    let machineID: String
  }
  private struct Group: Encodable { let group: String }

  private struct FormerAdmin: Encodable {
    let name: String
    let machineID: String
    let apps: [App]
  }

  private let machines: [Machine]
  private let formerAdmin: FormerAdmin?
  private let apps: [App]
  private let deliveredApps: [DeliveredApp]
  private let enrolledMachines: [Machine]
  private let groups: [Group]
  private let itemCount: Int
  private let recordCount: Int

  init(_ preview: RemovalPreview) {
    machines = preview.machines.map { Machine(name: $0.name, machineID: $0.id) }
    formerAdmin = preview.formerAdmin.map {
      FormerAdmin(name: $0.machine.name, machineID: $0.machine.id, apps: $0.apps.map(App.init))
    }
    apps = preview.apps.map(App.init)
    deliveredApps = preview.deliveredApps.map {
      DeliveredApp(id: $0.app, machine: $0.machine.name, machineID: $0.machine.id)
    }
    enrolledMachines = preview.enrolledMachines.map { Machine(name: $0.name, machineID: $0.id) }
    groups = preview.groups.map(Group.init)
    itemCount = preview.itemCount
    recordCount = preview.recordCount
  }
}
