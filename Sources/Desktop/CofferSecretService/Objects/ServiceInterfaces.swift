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

/// The interfaces of the service in the XML of D-Bus.
enum InterfaceDescription {
  private static let head = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    """

  /// Returns the description of an object. The names of its children have no character that XML escapes.
  static func document(_ interfaces: String, children: [String]) -> String {
    let nodes = children.map { "<node name=\"\($0)\"/>" }.joined(separator: "\n")
    return "\(head)\n<node>\n\(standard)\n\(interfaces)\n\(nodes)\n</node>\n"
  }

  /// Returns the description of a path above objects: it has the next part of the service's path, and nothing else.
  static func folder(at path: String) -> String {
    let (root, parts) = (ServiceName.root.split(separator: "/"), path.split(separator: "/"))
    let child = root.starts(with: parts) && parts.count < root.count ? "<node name=\"\(root[parts.count])\"/>\n" : ""
    return "\(head)\n<node>\n\(child)</node>\n"
  }

  private static let standard = """
    <interface name="org.freedesktop.DBus.Introspectable">
    <method name="Introspect"><arg name="data" type="s" direction="out"/></method>
    </interface>
    <interface name="org.freedesktop.DBus.Peer">
    <method name="Ping"/>
    <method name="GetMachineId"><arg name="id" type="s" direction="out"/></method>
    </interface>
    <interface name="org.freedesktop.DBus.Properties">
    <method name="Get">
    <arg name="interface" type="s" direction="in"/><arg name="name" type="s" direction="in"/>
    <arg name="value" type="v" direction="out"/>
    </method>
    <method name="GetAll">
    <arg name="interface" type="s" direction="in"/><arg name="properties" type="a{sv}" direction="out"/>
    </method>
    <method name="Set">
    <arg name="interface" type="s" direction="in"/><arg name="name" type="s" direction="in"/>
    <arg name="value" type="v" direction="in"/>
    </method>
    <signal name="PropertiesChanged">
    <arg name="interface" type="s"/><arg name="changed" type="a{sv}"/><arg name="invalidated" type="as"/>
    </signal>
    </interface>
    """

  static let service = """
    <interface name="org.freedesktop.Secret.Service">
    <method name="OpenSession">
    <arg name="algorithm" type="s" direction="in"/><arg name="input" type="v" direction="in"/>
    <arg name="output" type="v" direction="out"/><arg name="result" type="o" direction="out"/>
    </method>
    <method name="CreateCollection">
    <arg name="properties" type="a{sv}" direction="in"/><arg name="alias" type="s" direction="in"/>
    <arg name="collection" type="o" direction="out"/><arg name="prompt" type="o" direction="out"/>
    </method>
    <method name="SearchItems">
    <arg name="attributes" type="a{ss}" direction="in"/>
    <arg name="unlocked" type="ao" direction="out"/><arg name="locked" type="ao" direction="out"/>
    </method>
    <method name="Unlock">
    <arg name="objects" type="ao" direction="in"/>
    <arg name="unlocked" type="ao" direction="out"/><arg name="prompt" type="o" direction="out"/>
    </method>
    <method name="Lock">
    <arg name="objects" type="ao" direction="in"/>
    <arg name="locked" type="ao" direction="out"/><arg name="prompt" type="o" direction="out"/>
    </method>
    <method name="GetSecrets">
    <arg name="items" type="ao" direction="in"/><arg name="session" type="o" direction="in"/>
    <arg name="secrets" type="a{o(oayays)}" direction="out"/>
    </method>
    <method name="ReadAlias">
    <arg name="name" type="s" direction="in"/><arg name="collection" type="o" direction="out"/>
    </method>
    <method name="SetAlias">
    <arg name="name" type="s" direction="in"/><arg name="collection" type="o" direction="in"/>
    </method>
    <signal name="CollectionCreated"><arg name="collection" type="o"/></signal>
    <signal name="CollectionDeleted"><arg name="collection" type="o"/></signal>
    <signal name="CollectionChanged"><arg name="collection" type="o"/></signal>
    <property name="Collections" type="ao" access="read"/>
    </interface>
    """

  static let collection = """
    <interface name="org.freedesktop.Secret.Collection">
    <method name="Delete"><arg name="prompt" type="o" direction="out"/></method>
    <method name="SearchItems">
    <arg name="attributes" type="a{ss}" direction="in"/><arg name="results" type="ao" direction="out"/>
    </method>
    <method name="CreateItem">
    <arg name="properties" type="a{sv}" direction="in"/><arg name="secret" type="(oayays)" direction="in"/>
    <arg name="replace" type="b" direction="in"/>
    <arg name="item" type="o" direction="out"/><arg name="prompt" type="o" direction="out"/>
    </method>
    <signal name="ItemCreated"><arg name="item" type="o"/></signal>
    <signal name="ItemDeleted"><arg name="item" type="o"/></signal>
    <signal name="ItemChanged"><arg name="item" type="o"/></signal>
    <property name="Items" type="ao" access="read"/>
    <property name="Label" type="s" access="readwrite"/>
    <property name="Locked" type="b" access="read"/>
    <property name="Created" type="t" access="read"/>
    <property name="Modified" type="t" access="read"/>
    </interface>
    """

  static let item = """
    <interface name="org.freedesktop.Secret.Item">
    <method name="Delete"><arg name="prompt" type="o" direction="out"/></method>
    <method name="GetSecret">
    <arg name="session" type="o" direction="in"/><arg name="secret" type="(oayays)" direction="out"/>
    </method>
    <method name="SetSecret"><arg name="secret" type="(oayays)" direction="in"/></method>
    <property name="Locked" type="b" access="read"/>
    <property name="Attributes" type="a{ss}" access="readwrite"/>
    <property name="Label" type="s" access="readwrite"/>
    <property name="Created" type="t" access="read"/>
    <property name="Modified" type="t" access="read"/>
    </interface>
    """

  static let session = """
    <interface name="org.freedesktop.Secret.Session">
    <method name="Close"/>
    </interface>
    """

  static let prompt = """
    <interface name="org.freedesktop.Secret.Prompt">
    <method name="Prompt"><arg name="window-id" type="s" direction="in"/></method>
    <method name="Dismiss"/>
    <signal name="Completed"><arg name="dismissed" type="b"/><arg name="result" type="v"/></signal>
    </interface>
    """
}
