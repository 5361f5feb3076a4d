internal import CofferBus

/// An interface of the service: what programs that explore the bus read of it, and what answers its methods. `Target`
/// is the object that a call is for.
struct ServiceInterface<Target>: Sendable {
  /// Names of values with their types, as D-Bus writes them.
  typealias Types = KeyValuePairs<String, String>

  /// A call of a method, with the values that the method takes.
  struct Call {
    let values: [BusValue]
    let target: Target
    let caller: Caller

    func text(_ index: Int) -> String { values[index].string ?? "" }

    func paths(_ index: Int) -> [String] { values[index].elements.compactMap(\.string) }
  }

  struct Method: Sendable {
    let name: String
    let arguments: Types
    let results: Types
    let answer: @Sendable (AppService, Call) throws -> [BusValue]

    init(
      _ name: String, _ arguments: Types = [:], _ results: Types = [:],
      answer: @escaping @Sendable (AppService, Call) throws -> [BusValue]
    ) {
      (self.name, self.arguments, self.results, self.answer) = (name, arguments, results, answer)
    }
  }

  let name: String
  let methods: [Method]
  var signals: KeyValuePairs<String, Types> = [:]
  var properties: Types = [:]
  var writableProperties: Types = [:]

  /// Answers a call, whose object `target` finds. Throws unless the arguments have the types of the method.
  func answer(
    _ call: BusMessage, from caller: Caller, by service: AppService, _ target: () throws -> Target
  ) throws -> [BusValue] {
    guard call.interface == name || call.interface.isEmpty else { throw ServiceError.unknownMethod(call.member) }
    let target = try target()
    guard let method = methods.first(where: { $0.name == call.member }) else {
      throw ServiceError.unknownMethod(call.member)
    }
    guard !call.isTruncated else { throw ServiceError.limit("the values of the call are too many or too large") }
    let signature = method.arguments.map(\.value).joined()
    guard call.signature == signature else {
      throw ServiceError.invalid("\(call.member) takes (\(signature)), not (\(call.signature))")
    }
    return try method.answer(service, Call(values: call.values, target: target, caller: caller))
  }

  /// The interface in the XML of D-Bus.
  var description: String {
    func arguments(_ types: Types, _ direction: String = "") -> String {
      types.map { "<arg name=\"\($0.key)\" type=\"\($0.value)\"\(direction)/>" }.joined()
    }
    func properties(_ types: Types, access: String) -> [String] {
      types.map { "<property name=\"\($0.key)\" type=\"\($0.value)\" access=\"\(access)\"/>" }
    }
    let parts =
      methods.map { method in
        let all = arguments(method.arguments, " direction=\"in\"") + arguments(method.results, " direction=\"out\"")
        return "<method name=\"\(method.name)\">\(all)</method>"
      } + signals.map { "<signal name=\"\($0.key)\">\(arguments($0.value))</signal>" }
      + properties(self.properties, access: "read") + properties(writableProperties, access: "readwrite")
    return "<interface name=\"\(name)\">\n\(parts.joined(separator: "\n"))\n</interface>"
  }
}

/// The interfaces that the service has.
enum ServiceInterfaces {
  static let service = ServiceInterface<Void>(
    name: ServiceName.service,
    methods: [
      .init("OpenSession", ["algorithm": "s", "input": "v"], ["output": "v", "result": "o"]) { service, call in
        try service.openSession(call.text(0), call.values[1].unwrapped, for: call.caller)
      },
      .init("CreateCollection", ["properties": "a{sv}", "alias": "s"], ["collection": "o", "prompt": "o"]) {
        service, call in try service.createCollection(call.values[0], alias: call.text(1), for: call.caller)
      },
      .init("SearchItems", ["attributes": "a{ss}"], ["unlocked": "ao", "locked": "ao"]) {
        try $0.search($1.values[0])
      },
      .init("Unlock", ["objects": "ao"], ["unlocked": "ao", "prompt": "o"]) {
        try $0.unlock($1.paths(0), for: $1.caller)
      },
      .init("Lock", ["objects": "ao"], ["locked": "ao", "prompt": "o"]) { try $0.lock($1.paths(0)) },
      .init("GetSecrets", ["items": "ao", "session": "o"], ["secrets": "a{o(oayays)}"]) { service, call in
        [try service.secrets(of: call.paths(0), in: call.values[1].string, for: call.caller)]
      },
      .init("ReadAlias", ["name": "s"], ["collection": "o"]) {
        [.path(try $0.collection(alias: $1.text(0))?.path ?? ServiceName.noObject)]
      },
      .init("SetAlias", ["name": "s", "collection": "o"]) { service, call in
        try service.setAlias(call.text(0), call.text(1))
        return []
      },
    ],
    signals: [
      "CollectionCreated": ["collection": "o"], "CollectionDeleted": ["collection": "o"],
      "CollectionChanged": ["collection": "o"],
    ],
    properties: ["Collections": "ao"])

  static let collection = ServiceInterface<AppService.CollectionObject>(
    name: ServiceName.collection,
    methods: [
      .init("Delete", [:], ["prompt": "o"]) { try $0.delete($1.target) },
      .init("SearchItems", ["attributes": "a{ss}"], ["results": "ao"]) { try $0.search($1.values[0], in: $1.target) },
      .init(
        "CreateItem", ["properties": "a{sv}", "secret": "(oayays)", "replace": "b"], ["item": "o", "prompt": "o"]
      ) { [.path(try $0.createItem($1.values, in: $1.target, for: $1.caller)), .path(ServiceName.noObject)] },
    ],
    signals: ["ItemCreated": ["item": "o"], "ItemDeleted": ["item": "o"], "ItemChanged": ["item": "o"]],
    properties: ["Items": "ao", "Locked": "b", "Created": "t", "Modified": "t"], writableProperties: ["Label": "s"])

  static let item = ServiceInterface<AppService.ItemObject>(
    name: ServiceName.item,
    methods: [
      .init("Delete", [:], ["prompt": "o"]) { [.path(try $0.delete($1.target, for: $1.caller))] },
      .init("GetSecret", ["session": "o"], ["secret": "(oayays)"]) {
        [try $0.secret(of: $1.target, in: $1.values[0].string, for: $1.caller)]
      },
      .init("SetSecret", ["secret": "(oayays)"]) { service, call in
        try service.setSecret(of: call.target, to: call.values[0], for: call.caller)
        return []
      },
    ],
    properties: ["Locked": "b", "Created": "t", "Modified": "t"],
    writableProperties: ["Attributes": "a{ss}", "Label": "s"])

  /// The session of a caller, by its name.
  static let session = ServiceInterface<String>(
    name: ServiceName.session,
    methods: [
      .init("Close") { service, call in
        service.sessions[call.target] = nil
        return []
      }
    ])

  /// The prompt of a caller, by its name.
  static let prompt = ServiceInterface<String>(
    name: ServiceName.prompt,
    methods: [
      .init("Prompt", ["window-id": "s"]) { service, call in
        service.begin(call.target)
        return []
      },
      .init("Dismiss") { service, call in
        service.complete(call.target, nil)
        return []
      },
    ],
    signals: ["Completed": ["dismissed": "b", "result": "v"]])

  static let properties = ServiceInterface<ObjectAddress>(
    name: ServiceName.properties,
    methods: [
      .init("Get", ["interface": "s", "name": "s"], ["value": "v"]) { service, call in
        [.variant(try service.property(call.text(1), of: call.target, call.text(0), from: call.caller))]
      },
      .init("GetAll", ["interface": "s"], ["properties": "a{sv}"]) { service, call in
        [.properties(try service.allProperties(of: call.target, call.text(0), from: call.caller))]
      },
      .init("Set", ["interface": "s", "name": "s", "value": "v"]) { service, call in
        try service.set(call.text(1), to: call.values[2].unwrapped, of: call.target)
        return []
      },
    ],
    signals: ["PropertiesChanged": ["interface": "s", "changed": "a{sv}", "invalidated": "as"]])
}

/// What programs that explore the bus read of objects.
extension AppService {
  private static let head = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    """

  /// The interfaces that are answered before a call gets to an object.
  private static let general = """
    <interface name="\(ServiceName.introspectable)">
    <method name="Introspect"><arg name="data" type="s" direction="out"/></method>
    </interface>
    <interface name="\(ServiceName.peer)">
    <method name="Ping"/>
    <method name="GetMachineId"><arg name="id" type="s" direction="out"/></method>
    </interface>
    """

  func introspection(of address: ObjectAddress, at path: String, from caller: Caller) throws -> String {
    let interface: String
    // The names of children have no character that XML escapes.
    var children: [String] = []
    switch address {
    case .folder:
      // A path above objects has the next part of the service's path, and nothing else.
      let (root, parts) = (ServiceName.root.split(separator: "/"), path.split(separator: "/"))
      let child = root.starts(with: parts) && parts.count < root.count ? "<node name=\"\(root[parts.count])\"/>\n" : ""
      return "\(Self.head)\n<node>\n\(child)</node>\n"
    case .service:
      try items.refresh()
      interface = ServiceInterfaces.service.description
      children = items.collections.map { "collection/\(ObjectAddress.escaped($0.identifier))" }
      children += ["collection/session", "aliases/default"]
    case .collection, .alias:
      interface = ServiceInterfaces.collection.description
      switch try collection(at: address) {
      case .memory: children = memoryItems.map(\.identifier)
      case .vault(let info): children = items.items(in: info).map(\.identifier)
      }
    case .item, .aliasedItem:
      _ = try item(at: address)
      interface = ServiceInterfaces.item.description
    case .session(let name):
      try checkOwner(sessions[name]?.owner, is: caller, address.path)
      interface = ServiceInterfaces.session.description
    case .prompt(let name):
      try checkOwner(prompts[name]?.owner, is: caller, address.path)
      interface = ServiceInterfaces.prompt.description
    }
    let nodes = children.map { "<node name=\"\($0)\"/>" }.joined(separator: "\n")
    return
      "\(Self.head)\n<node>\n\(Self.general)\n\(ServiceInterfaces.properties.description)\n\(interface)\n\(nodes)\n</node>\n"
  }
}
