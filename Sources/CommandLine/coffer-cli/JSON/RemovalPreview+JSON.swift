internal import Coffer
internal import CofferAdministration
internal import CofferTerminal

extension RemovalPreview {
  /// What was removed from a vault, in the output of `--json`.
  var json: JSONObject {
    let formerAdmin = formerAdmin.map { admin in
      (["apps": admin.apps.map(JSONObject.app)] as JSONObject).including(admin.machine.json)
    }
    return [
      "machines": machines.map(\.json), "formerAdmin": formerAdmin, "apps": apps.map(JSONObject.app),
      "deliveredApps": deliveredApps.map {
        ["id": $0.app, "machine": $0.machine.name, "machineID": $0.machine.id] as JSONObject
      },
      "enrolledMachines": enrolledMachines.map(\.json), "groups": groups.map { JSONObject.group($0) },
      "itemCount": itemCount, "recordCount": recordCount,
    ]
  }
}

extension RemovalPreview.Machine {
  fileprivate var json: JSONObject { ["name": name, "machineID": id] }
}
