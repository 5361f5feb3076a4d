/// What programs that explore the bus read of objects.
extension AppService {
  func introspection(of address: ObjectAddress, at path: String, from caller: Caller) throws -> String {
    let interfaces: String
    var children: [String] = []
    switch address {
    case .folder: return InterfaceDescription.folder(at: path)
    case .service:
      try items.refresh()
      interfaces = InterfaceDescription.service
      children = items.collections.map { "collection/\(ObjectAddress.escaped($0.identifier))" }
      children += ["collection/session", "aliases/default"]
    case .collection, .alias:
      let collection = try collection(at: address)
      interfaces = InterfaceDescription.collection
      switch collection {
      case .memory: children = memoryItems.map(\.identifier)
      case .vault(let info): children = items.items(in: info).map(\.identifier)
      }
    case .item, .aliasedItem:
      _ = try item(at: address)
      interfaces = InterfaceDescription.item
    case .session(let name):
      try checkOwner(sessions[name]?.owner, is: caller, address.path)
      interfaces = InterfaceDescription.session
    case .prompt(let name):
      try checkOwner(prompts[name]?.owner, is: caller, address.path)
      interfaces = InterfaceDescription.prompt
    }
    return InterfaceDescription.document(interfaces, children: children)
  }
}
