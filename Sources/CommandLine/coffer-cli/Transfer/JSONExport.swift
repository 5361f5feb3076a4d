internal import CofferSystem

/// The file of `coffer export json`.
struct JSONExport: Encodable {
  let format = "coffer-export"
  let version = 1
  let items: [ImportLine]
}
